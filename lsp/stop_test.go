package lsp_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// TestNothingIsWrittenAfterStop stops a reply at many moments, in fast and slow editors, while somebody types: once
// Stop is answered, nothing comes into the document but what closes the reply.
// Invariant 13.
func TestNothingIsWrittenAfterStop(t *testing.T) {
	t.Parallel()
	script := "turn\nraw {\"message\":{\"content\":\"{\\\"answer\\\":\\\"```go\\\\n\"}}\n" +
		strings.Repeat("raw {\"message\":{\"content\":\"word and \"}}\npause 7ms\n", 60) + "hang\n"
	for _, kind := range []lsptest.Options{
		{},
		{Edits: lsptest.Drops, Hold: 150 * time.Millisecond, Name: "Neovim"},
		{Hold: 500 * time.Millisecond},
		{Edits: lsptest.Mute},
	} {
		for _, typed := range []bool{false, true} {
			for at := time.Duration(0); at < 400*time.Millisecond; at += 31 * time.Millisecond {
				t.Run(fmt.Sprintf("%s%s/typed %v/%s", kind.Edits, kind.Hold, typed, at), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						l := newLab(t, script, kind, map[string]string{chat: "## You\n\nFix it.\n"})
						defer l.Leave()
						l.Open(chat)
						l.must(l.Do(chat, "Fix it", "Send"))
						for n := range 30 {
							if typed {
								time.AfterFunc(time.Duration(n)*19*time.Millisecond, func() { l.Replace(chat, "Fix", "Fixx"); l.Replace(chat, "Fixx", "Fix") })
							}
						}
						<-time.After(at)
						began := time.Now()
						if _, err := l.Execute("assent.stop"); err != nil {
							t.Fatal(err)
						}
						then := l.Text(chat)
						if took := time.Since(began); took > 250*time.Millisecond {
							t.Errorf("Stop was answered after %s of the bubble's time", took)
						}
						<-time.After(30 * time.Second)
						synctest.Wait()
						now := l.Text(chat)
						for _, part := range []string{"word", "and", "model:", "context", "Assistant", "go\n"} {
							if strings.Count(now, part) != strings.Count(then, part) {
								t.Fatalf("%q came after Stop:\n%s\nthen it was\n%s", part, now, then)
							}
						}
						if _, reply, _ := strings.Cut(now, "```go\n"); reply != "" && !strings.Contains(reply, "\n```") {
							t.Errorf("the fence is open:\n%s", now)
						}
						kept := l.kept()
						if strings.Count(kept, "word") != strings.Count(now, "word") {
							t.Errorf("kept for recovery is %q, and the document has\n%s", kept, now)
						}
						l.checkAfterRun()
					})
				})
			}
		}
	}
}

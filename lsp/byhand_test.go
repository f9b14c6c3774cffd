package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// S19: the menu of a call that is in a chat, whoever wrote it, hides nothing, its first row is harmless, and to
// look at it does nothing.
func TestACallInAChatHidesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call := "```tool run_command\ncommand: \"touch owned \\u202eevil\\u200b \\u001b[2J\"\n```\n"
		l := newLab(t, "turn\nhang\n", lsptest.Options{}, map[string]string{chat: "## You\n\n" + call + "\n```tool re\u202ead_file\npath: x\n```\n\n```tool run_command\nnot: [\n```\n"})
		defer l.Leave()
		before := tree(t, l.Dir)
		l.Open(chat)
		titles := l.Titles(chat, "touch owned")
		if len(titles) < 2 || titles[0] != "Show what would happen" || titles[1] != "Approve once: run touch owned <U+202E>evil<U+200B> <U+001B>[2J" {
			t.Errorf("the menu is %q", titles)
		}
		for _, needle := range []string{"touch owned", "path: x", "not: ["} {
			for _, title := range l.Titles(chat, needle) {
				if strings.ContainsAny(title, "\u202e\u200b\x1b\n") || strings.HasPrefix(title, "Always") {
					t.Errorf("at %q there is %q", needle, title)
				}
			}
		}
		l.must(l.Do(chat, "touch owned", "Show what would happen"))
		synctest.Wait()
		if after := tree(t, l.Dir); after != before || len(l.model.Requests()) > 0 {
			t.Errorf("to look at a call did something:\n%s", after)
		}
	})
}

// R03: Stop ends a call that a person runs by hand, with its process, as it ends one of a model.
func TestStopEndsACallByHand(t *testing.T) {
	l := newLab(t, "turn\nhang\n", lsptest.Options{}, map[string]string{chat: "## You\n\n```tool run_command\ncommand: touch started; sleep 1000\n```\n"})
	defer l.Leave()
	l.Open(chat)
	l.must(l.Do(chat, "touch started", "Approve once"))
	for end := time.Now().Add(20 * time.Second); ; { // no event of the editor tells it
		if _, err := os.Stat(filepath.Join(l.Dir, "started")); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the command never ran")
		}
	}
	began := time.Now()
	l.must(l.Do(chat, "touch started", "Stop"))
	l.WaitText(chat, "[Stopped by the user")
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

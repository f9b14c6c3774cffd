package lsp_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// TestProbeOnARequest has a client that waits for the command, as the token for its progress says: it is answered at
// the end, and cancelling the request ends the probe.
func TestProbeOnARequest(t *testing.T) {
	const first = "turn\njson {\"do\":\"talk\",\"answer\":\"At noon.\"}\nturn\n"
	for name, script := range map[string]string{ // a report stays until the next question: the second one waits
		"to its end": first + "hold\nsay: At noon.\nturn repeat\nsay: {\"name\":\"read_file\",\"arguments\":{\"path\":\"tides.log\"}}\n",
		"cancelled":  first + "hang\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab(t, script, lsptest.Options{}, map[string]string{chat: "## You\n\nHello?\n"})
				defer l.Leave()
				l.Open(chat)
				params := map[string]any{"command": "assent.probe", "workDoneToken": "mine"}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				answered := make(chan error, 1)
				go func() {
					var result json.RawMessage
					answered <- l.Editor.CallUntil(ctx, "workspace/executeCommand", params, &result)
				}()
				l.WaitFor("a question", func() bool { return strings.Contains(lines(l), "picks the right tool") })
				if name == "cancelled" {
					cancel()
				} else {
					l.model.Release()
				}
				err := <-answered
				synctest.Wait()
				l.WaitIdle()
				profiles, _ := filepath.Glob(filepath.Join(l.config, "profiles", "*"))
				switch name {
				case "cancelled":
					if len(profiles) > 0 || len(l.Messages()) > 0 || !strings.Contains(lines(l), "Stopped: nothing was written.") {
						t.Errorf("%q, %q\n%s", profiles, l.Messages(), lines(l))
					}
				default:
					if err != nil || len(profiles) != 1 || len(l.Messages()) != 1 {
						t.Errorf("%v, %q, %q\n%s", err, profiles, l.Messages(), lines(l))
					}
				}
			})
		})
	}
}

// lines are those of the newest progress.
func lines(l *lab) string {
	all := l.Progress()
	if len(all) == 0 {
		return ""
	}
	return strings.Join(all[len(all)-1].Lines, "\n")
}

// TestProbeEndsWithTheServer: an editor that leaves ends the probe, and nothing is written.
func TestProbeEndsWithTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\nhang\n", lsptest.Options{}, map[string]string{chat: "## You\n\nHello?\n"})
		l.Open(chat)
		if _, err := l.Execute("assent.probe"); err != nil {
			t.Fatal(err)
		}
		l.WaitFor("a question", func() bool { return strings.Contains(lines(l), "calls a tool") })
		l.Leave()
		if _, err := os.Stat(filepath.Join(l.config, "profiles")); err == nil {
			t.Error("something was written")
		}
	})
}

// TestProbeWithoutShowDocument: the message says all, and where the page is.
func TestProbeWithoutShowDocument(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn repeat\nsay: I cannot.\n", lsptest.Options{Capabilities: map[string]any{}}, nil)
		defer l.Leave()
		if _, err := l.Execute("assent.probe"); err != nil {
			t.Fatal(err)
		}
		l.WaitFor("the end", func() bool { return len(l.Messages()) > 0 })
		synctest.Wait()
		page := filepath.Join(l.state.Dir(), "probes", "probed-qwen2.5-coder-1.5b.md")
		want := "qwen2.5-coder:1.5b called no tool in any way (it can still answer; a larger model calls tools), so its profile stays as it is." +
			" Nothing was written. All results are in " + page + "."
		if got := strings.Join(l.Messages(), "\n"); got != want {
			t.Errorf("got %q", got)
		}
		text, err := os.ReadFile(page)
		if err != nil || !strings.Contains(string(text), "| guided | calls a tool |") {
			t.Errorf("%v\n%s", err, text)
		}
		if len(l.Shown()) > 0 {
			t.Errorf("shown: %v", l.Shown())
		}
	})
}

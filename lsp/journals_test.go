//go:build linux

package lsp_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/lsp/journal"
	"github.com/assent-ls/assent/lsp/lsptest"
)

// openFiles lists what this process has open below a folder.
func openFiles(t *testing.T, folder string) (open []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if name, err := os.Readlink("/proc/self/fd/" + entry.Name()); err == nil && strings.HasPrefix(name, folder+"/") {
			open = append(open, name)
		}
	}
	return open
}

// TestAClosedChatKeepsNoFileOpen closes chats after their reply, and in the middle of it. What was kept for recovery
// stays.
// Promise 10.
func TestAClosedChatKeepsNoFileOpen(t *testing.T) {
	for name, reply := range map[string]string{"whole": `json {"answer":"Hi."}`, "going on": "raw {\"message\":{\"content\":\"{\\\"answer\\\":\\\"Hi.\"}}\nhang"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab(t, "turn\n"+reply+"\n", lsptest.Options{}, map[string]string{chat: "## You\n\nSay hi.\n"})
				defer l.Leave()
				l.Open(chat)
				l.must(l.Do(chat, "Say hi", "Send"))
				l.WaitText(chat, "Hi.")
				if name == "whole" {
					l.WaitIdle()
				}
				if open := openFiles(t, l.state.Dir()); len(open) == 0 {
					t.Error("no journal was open before")
				}
				l.Close(chat)
				<-time.After(30 * time.Second)
				synctest.Wait()
				if open := openFiles(t, l.state.Dir()); len(open) > 0 {
					t.Errorf("still open are %q", open)
				}
				if kept := l.kept(); !strings.Contains(kept, "Hi.") {
					t.Errorf("kept for recovery is %q", kept)
				}
				l.Open(chat)
				l.WaitFor("the offer to restore", func() bool { return strings.Contains(strings.Join(l.Titles(chat, "Say hi"), "\n"), "Restore reply") })
			})
		})
	}
}

// TestAReplyThatIsNotKeptIsToldOnce puts something else in the place of journals: the reply comes all the same, and the
// user is told once that it is not kept for recovery, however many replies there are.
// Promise 10.
func TestAReplyThatIsNotKeptIsToldOnce(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(journals, file string) error
		told  int
	}{
		"nothing":                  {func(string, string) error { return nil }, 0},
		"a pipe, which is removed": {func(_, file string) error { return syscall.Mkfifo(file, 0o600) }, 0},
		"a folder":                 {func(_, file string) error { return os.MkdirAll(filepath.Join(file, "below"), 0o700) }, 1},
		"no folder": {func(journals, _ string) error {
			return errors.Join(os.Remove(journals), os.WriteFile(journals, nil, 0o600))
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab(t, "turn repeat\njson {\"answer\":\"Hi.\"}\n", lsptest.Options{}, map[string]string{chat: "## You\n\nSay hi.\n"})
				defer l.Leave()
				journals := filepath.Join(l.state.Dir(), "journals")
				file := filepath.Join(journals, journal.Hash(filepath.Join(l.Dir, chat))[:32]+".journal")
				if err := errors.Join(os.MkdirAll(journals, 0o700), test.spoil(journals, file)); err != nil {
					t.Fatal(err)
				}
				l.Open(chat)
				l.must(l.Do(chat, "Say hi", "Send"))
				l.WaitText(chat, "Hi.\n")
				l.WaitIdle()
				l.Type(chat, "Again.\n")
				l.must(l.Do(chat, "Again", "Send"))
				l.WaitFor("two replies", func() bool { return strings.Count(l.Text(chat), "Hi.\n") == 2 })
				l.WaitIdle()
				told := 0
				for _, message := range l.Messages() {
					if strings.Contains(message, "cannot be kept for recovery") {
						told++
					}
				}
				if told != test.told {
					t.Errorf("it was told %d times: %q", told, l.Messages())
				}
			})
		})
	}
}

// TestBrokenStateIsToldOnce asks twice with grants that cannot be read.
func TestBrokenStateIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call := "turn\njson {\"tool\":\"write_file\",\"arguments\":{\"path\":\"new.md\",\"content\":\"x\"}}\n"
		l := newLab(t, call+"turn\njson {\"answer\":\"Well.\"}\n"+call+"turn\njson {\"answer\":\"Well.\"}\n", lsptest.Options{}, map[string]string{chat: "## You\n\nWrite it.\n"})
		defer l.Leave()
		grants := filepath.Join(l.state.Dir(), "grants.json")
		if err := errors.Join(os.MkdirAll(l.state.Dir(), 0o700), syscall.Mkfifo(grants, 0o600)); err != nil {
			t.Fatal(err)
		}
		l.Open(chat)
		for n := range 2 {
			l.must(l.Do(chat, []string{"Write it", "Again"}[n], "Send"))
			l.waitDiagnostic("Waits for your answer")
			l.must(l.Do(chat, "tool write_file c"+[]string{"1", "2"}[n], "Deny"))
			l.WaitFor("the answer", func() bool { return strings.Count(l.Text(chat), "Well.\n") == n+1 })
			l.WaitIdle()
			<-time.After(time.Minute)
			l.Type(chat, "Again.\n")
		}
		told := strings.Count(strings.Join(l.Messages(), "\n"), "grants.json")
		if told != 1 || !strings.Contains(strings.Join(l.Messages(), "\n"), "is not a regular file: move it away") {
			t.Errorf("it was told %d times: %q", told, l.Messages())
		}
	})
}

// TestAResumedReplyIsRestoredWhole loses a reply that was stopped, resumed and never saved: its end looks like its
// middle, and both come back at once.
func TestAResumedReplyIsRestoredWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := "turn\njson {\"tool\":\"write_file\",\"arguments\":{\"path\":\"a.txt\",\"content\":\"a\"}}\nturn\nsay: Done.\n"
		l := newLab(t, script, lsptest.Options{}, map[string]string{chat: "## You\n\nWrite it.\n"})
		defer l.Leave()
		l.Open(chat)
		l.must(l.Do(chat, "Write it", "Send"))
		l.waitDiagnostic(waits)
		l.must(l.Do(chat, "Write it", "Stop"))
		l.WaitIdle()
		l.must(l.Do(chat, "write_file", "Resume"))
		l.waitDiagnostic(waits)
		l.must(l.Do(chat, "write_file", "Deny"))
		l.WaitText(chat, "Done.")
		l.WaitIdle()
		before := l.Text(chat)
		for _, end := range []string{"not-run", "denied"} {
			if !strings.Contains(before, "```result c1 "+end) {
				t.Fatalf("no result %s in\n%s", end, before)
			}
		}
		l.Close(chat)
		l.Open(chat)
		if strings.Contains(l.Text(chat), "write_file") {
			t.Fatal("the file on disk has the reply already")
		}
		l.must(l.Do(chat, "Write it", "Restore reply"))
		l.WaitIdle()
		reply := func(text string) string {
			_, text, _ = strings.Cut(text, "## Assistant")
			return strings.Join(strings.Fields(text), " ")
		}
		if got := reply(l.Text(chat)); got != reply(before) {
			t.Errorf("it came back as\n%s\ninstead of\n%s", got, reply(before))
		}
	})
}

// TestTheSameWordsTwiceKeepBothReplies sends the same words again without a save: what the first of them brought is
// still kept, and comes back.
func TestTheSameWordsTwiceKeepBothReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\nsay: One.\nturn\nsay: Two.\nturn\nsay: Three.\n", lsptest.Options{}, map[string]string{chat: "## You\n\nGo on.\n"})
		defer l.Leave()
		l.Open(chat)
		for _, answer := range []string{"One.", "Two.", "Three."} {
			if answer != "One." {
				l.Type(chat, "Go on.\n")
			}
			l.must(l.Do(chat, "Go on.", "Send"))
			l.WaitText(chat, answer)
			l.WaitIdle()
			if kept := l.kept(); !strings.Contains(kept, "One.") || !strings.Contains(kept, answer) {
				t.Fatalf("after %q is kept %q", answer, kept)
			}
		}
		l.Close(chat)
		l.Open(chat)
		for range 3 {
			l.must(l.Do(chat, "Go on.", "Restore reply"))
			l.WaitIdle()
		}
		text := l.Text(chat)
		one, two, three := strings.Index(text, "One."), strings.Index(text, "Two."), strings.Index(text, "Three.")
		if one < 0 || two < one || three < two {
			t.Errorf("restored is\n%s", text)
		}
	})
}

// TestAChangedQuestionKeepsTheReplies changes a question of which another has the words, and sends the next without a
// save: what was there is still kept, the newest reply too, which has another number now.
func TestAChangedQuestionKeepsTheReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\nsay: One.\nturn\nsay: Two.\nturn\nsay: Three.\n", lsptest.Options{}, map[string]string{chat: "## You\n\nGo on.\n"})
		defer l.Leave()
		l.Open(chat)
		for i, answer := range []string{"One.", "Two.", "Three."} {
			if i > 0 {
				l.Type(chat, "Go on.\n")
			}
			if i == 2 {
				first, _, _ := strings.Cut(l.Text(chat), "One.")
				l.Replace(chat, first, strings.Replace(first, "Go on.", "Begin.", 1))
			}
			l.must(l.Do(chat, "Go on.", "Send"))
			l.WaitText(chat, answer)
			l.WaitIdle()
		}
		if kept := l.kept(); !strings.Contains(kept, "One.") || !strings.Contains(kept, "Two.") || !strings.Contains(kept, "Three.") {
			t.Fatalf("kept is %q", kept)
		}
		l.Close(chat)
		l.Open(chat)
		for range 3 {
			l.must(l.Do(chat, "Go on.", "Restore reply"))
			l.WaitIdle()
		}
		text := l.Text(chat)
		one, two, three := strings.Index(text, "One."), strings.Index(text, "Two."), strings.Index(text, "Three.")
		if one < 0 || two < one || three < two {
			t.Errorf("restored is\n%s", text)
		}
	})
}

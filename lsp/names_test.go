package lsp_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// TestABegunCallIsSoUnderEachNameOfItsChat opens a chat whose call was begun under another name: a link, a hard link, a
// new name, and the copy that Retry makes.
func TestABegunCallIsSoUnderEachNameOfItsChat(t *testing.T) {
	const other = "other.chat.md"
	for name, change := range map[string]func(l *lab) (shown string){
		"symbolic link": func(l *lab) string {
			l.must(os.Symlink(chat, filepath.Join(l.Dir, other)))
			return other
		},
		"hard link": func(l *lab) string {
			l.must(os.Link(filepath.Join(l.Dir, chat), filepath.Join(l.Dir, other)))
			return other
		},
		"new name": func(l *lab) string {
			l.must(os.Rename(filepath.Join(l.Dir, chat), filepath.Join(l.Dir, other)))
			return other
		},
		"copy of Retry": func(l *lab) string {
			l.Open(chat)
			l.waitDiagnostic("was begun")
			l.must(l.Do(chat, "run_command", "Retry"))
			l.WaitText(chat, "Done.")
			return "ask.before-retry-1.chat.md"
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab(t, begunCommand+"turn\nsay: Done.\n", lsptest.Options{}, map[string]string{chat: "## You\n\nRun it.\n"})
				l.Open(chat)
				l.begun()
				l.Die()
				l.Env = lsptest.NewEnv(t, serveWith(t, l.state, l.config, l.transport), l.Dir, lsptest.Options{})
				defer l.Leave()
				shown := change(l)
				l.Open(shown)
				l.WaitFor("a word about the call", func() bool { return len(l.Diagnostics(shown)) > 0 })
				if said := l.Diagnostics(shown)[0].Message; !strings.Contains(said, "was begun and may have had effects") {
					t.Errorf("it says %q", said)
				}
			})
		})
	}
}

// TestUndoIsNotOfferedAtACallThatTookTheID asks again, so that the new call has the ID of one that edited a file.
func TestUndoIsNotOfferedAtACallThatTookTheID(t *testing.T) {
	script := "turn\njson {\"tool\":\"write_file\",\"arguments\":{\"path\":\"one.txt\",\"content\":\"1\\n\"}}\nturn\njson {\"answer\":\"Done.\"}\n" +
		"turn\njson {\"tool\":\"write_file\",\"arguments\":{\"path\":\"two.txt\",\"content\":\"2\\n\"}}\n"
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, script, lsptest.Options{}, map[string]string{chat: "## You\n\nWrite it.\n"})
		defer l.Leave()
		l.Open(chat)
		l.must(l.Do(chat, "Write it", "Send"))
		l.waitDiagnostic(waits)
		l.must(l.Do(chat, "write_file c1", "Approve once"))
		l.WaitText(chat, "Done.")
		l.checkAfterRun()
		l.must(l.Do(chat, "Write it", "Retry"))
		l.waitDiagnostic(waits)
		<-time.After(time.Second)
		if titles := l.Titles(chat, "write_file c1"); slices.Contains(titles, "Undo this edit") {
			t.Errorf("the waiting call has %q", titles)
		}
		l.must(l.Do(chat, "write_file c1", "Stop"))
		l.checkAfterRun()
	})
}

// TestASecondSendKeepsTheReplyThatIsNotSaved sends twice and saves nothing before the editor dies: both replies come
// back.
func TestASecondSendKeepsTheReplyThatIsNotSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\nsay: The first word.\nturn\nsay: The second word.\n", lsptest.Options{}, map[string]string{chat: "## You\n\nTell me.\n"})
		l.Open(chat)
		l.must(l.Do(chat, "Tell me", "Send"))
		l.WaitText(chat, "first word")
		l.WaitIdle()
		<-time.After(time.Second)
		l.Type(chat, "More.\n")
		l.must(l.Do(chat, "More", "Send"))
		l.WaitText(chat, "second word")
		l.WaitIdle()
		<-time.After(time.Second)
		l.Die()
		l.Env = lsptest.NewEnv(t, serveWith(t, l.state, l.config, l.transport), l.Dir, lsptest.Options{})
		defer l.Leave()
		l.Open(chat)
		l.must(l.Do(chat, "Tell me", "Restore reply"))
		l.must(l.Do(chat, "Tell me", "Restore reply"))
		if text := l.Text(chat); !strings.Contains(text, "first word") || !strings.Contains(text, "second word") {
			t.Errorf("it came back as\n%s", text)
		}
		l.checkAfterRun()
	})
}

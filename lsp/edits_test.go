package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// TestEditsThatDoNotHappen approves an edit in editors that do not make it: the model is told what is known of it, and
// nothing is on disk.
func TestEditsThatDoNotHappen(t *testing.T) {
	for _, edits := range []lsptest.Edits{lsptest.Lies, lsptest.Refuses, lsptest.Ignores} {
		t.Run(string(edits), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				told := "It is not known whether"
				if edits == lsptest.Refuses {
					told = "not applied"
				}
				l := newLab(t, "turn\n"+theEdit+"turn\nexpect-last: "+told+"\njson {\"answer\":\"A pity.\"}\n",
					lsptest.Options{Edits: edits, Hold: 150 * time.Millisecond}, story())
				defer l.Leave()
				l.Open("README.md")
				l.Open(chat)
				l.must(l.Do(chat, "Fix it", "Send"))
				l.waitDiagnostic(waits)
				l.must(l.Do(chat, "edit_file", "Approve once"))
				l.WaitText(chat, "A pity.")
				l.checkAfterRun()
				if got := l.Disk("README.md"); got != story()["README.md"] {
					t.Errorf("on disk: %q", got)
				}
				for _, title := range l.Titles(chat, "result c1") {
					if strings.HasPrefix(title, "Undo") {
						t.Errorf("an edit that did not happen can be undone")
					}
				}
				<-time.After(time.Minute)
				if got := l.Text("README.md"); got != story()["README.md"] {
					t.Errorf("in the buffer, later: %q", got)
				}
			})
		})
	}
}

// TestDOSFiles has CRLF in the chat and in the file: no line end changes its kind, and nothing is doubled.
func TestDOSFiles(t *testing.T) {
	for _, hold := range []time.Duration{0, 150 * time.Millisecond} {
		t.Run(fmt.Sprint(hold), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				files := story()
				for name, text := range files {
					files[name] = strings.ReplaceAll(text, "\n", "\r\n")
				}
				l := newLab(t, "turn\n"+
					`json {"tool":"edit_file","arguments":{"path":"README.md","old_text":"Title\n\nHelo","new_text":"Name\n\nHello\nyou"}}`+
					"\nturn\njson {\"answer\":\"One\\n\\ntwo\\n\\nthree\"}\n", lsptest.Options{Edits: lsptest.Drops, Hold: hold}, files)
				defer l.Leave()
				l.Open("README.md")
				l.Open(chat)
				l.must(l.Do(chat, "Fix it", "Send"))
				l.waitDiagnostic(waits)
				l.must(l.Do(chat, "edit_file", "Approve once"))
				l.WaitText(chat, "three")
				synctest.Wait()
				l.WaitIdle()
				text := l.Text(chat)
				if strings.Count(text, "\n") != strings.Count(text, "\r\n") || strings.Contains(text, "\r\r") {
					t.Errorf("mixed line ends: %q", text)
				}
				if !strings.HasSuffix(text, "One\r\n\r\ntwo\r\n\r\nthree\r\n\r\n## You\r\n\r\n") || strings.Count(text, "## You") != 2 {
					t.Errorf("got %q", text)
				}
				if got, want := l.Text("README.md"), "# Name\r\n\r\nHello\r\nyou world\r\n"; got != want {
					t.Errorf("got %q, want %q", got, want)
				}
				l.Save(chat)
				synctest.Wait()
				if left, _ := filepath.Glob(filepath.Join(l.state.Dir(), "journals", "*")); len(left) > 0 {
					t.Errorf("a journal is left: %v", left)
				}
			})
		})
	}
}

// TestFolders runs chats outside of every folder, and in the inner one of two.
func TestFolders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := story()
		files["inner/only.txt"], files["inner/in.chat.md"] = "x", "## You\n\nWhat is here?\n"
		l := newLab(t, "turn\nexpect: only.txt\nexpect-not: README.md\njson {\"answer\":\"Inner.\"}\nturn\nexpect-not: edit_file\nexpect: get_time\njson {\"answer\":\"Outer.\"}\n",
			lsptest.Options{}, files)
		defer l.Leave()
		folder := func(dir string) map[string]any {
			return map[string]any{"uri": "file://" + dir, "name": filepath.Base(dir)}
		}
		l.must(l.Editor.Notify("workspace/didChangeWorkspaceFolders", map[string]any{
			"event": map[string]any{"added": []any{folder(filepath.Join(l.Dir, "inner"))}, "removed": []any{}},
		}))
		l.Open("inner/in.chat.md")
		l.must(l.Do("inner/in.chat.md", "here", "Send"))
		l.WaitText("inner/in.chat.md", "Inner.")
		synctest.Wait()
		l.WaitIdle()
		l.must(l.Do("inner/in.chat.md", "here", "New chat"))
		if made, _ := filepath.Glob(filepath.Join(l.Dir, "inner", ".assent", "chats", "*.chat.md")); len(made) != 1 {
			t.Errorf("the new chat is not in the folder of the old one: %q", made)
		}

		outside := filepath.Join(t.TempDir(), "out.chat.md")
		l.must(os.WriteFile(outside, []byte("## You\n\nWhere am I?\n"), 0o600))
		rel, err := filepath.Rel(l.Dir, outside)
		l.must(err)
		l.Open(rel)
		if _, err := l.Execute("assent.send"); err == nil || !strings.Contains(err.Error(), "several chats are open") {
			t.Errorf("which chat was sent? %v", err)
		}
		l.must(l.Do(rel, "Where", "Send"))
		l.WaitText(rel, "Outer.")
		synctest.Wait()
		l.WaitIdle()
		if told := strings.Join(l.Messages(), "\n"); !strings.Contains(told, "in no workspace folder") {
			t.Errorf("told %q", told)
		}
	})
}

// TestTwoChats run at once: one waits for the other at the model, and neither mixes with the other.
func TestTwoChats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := story()
		files["b.chat.md"] = "## You\n\nB?\n"
		l := newLab(t, "turn\nexpect-last: Fix it\n"+theEdit+"turn\nexpect-last: B?\njson {\"answer\":\"B!\"}\nturn\njson {\"answer\":\"A!\"}\n", lsptest.Options{Hold: 150 * time.Millisecond}, files)
		defer l.Leave()
		l.Open(chat)
		l.Open("b.chat.md")
		l.must(l.Do(chat, "Fix it", "Send"))
		l.waitDiagnostic(waits) // a chat that waits for a person does not hold the model
		l.must(l.Do("b.chat.md", "B?", "Send"))
		l.WaitText("b.chat.md", "B!")
		l.must(l.Do(chat, "edit_file", "Approve once"))
		l.WaitText(chat, "A!")
		synctest.Wait()
		l.WaitIdle()
		l.Save("b.chat.md")
		l.checkAfterRun()
		if strings.Contains(l.Text("b.chat.md"), "A!") || strings.Contains(l.Text(chat), "B!") {
			t.Error("the chats mixed")
		}
	})
}

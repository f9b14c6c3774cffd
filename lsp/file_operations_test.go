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

func call(tool, arguments string) string {
	return fmt.Sprintf("json {\"tool\":%q,\"arguments\":%s}\n", tool, arguments)
}

func (l *lab) there(name string) bool {
	_, err := os.Lstat(filepath.Join(l.Dir, name))
	return err == nil
}

// The file of an open document is moved and deleted by the editor, or on disk where it cannot do that. Undo takes it
// back.
func TestFilesAreMovedAndDeleted(t *testing.T) {
	type editor struct {
		lsptest.Options
		asked map[string]bool // whether the editor closes the document, for delete_file and move_file
	}
	plain := map[string]any{"workspace": map[string]any{"applyEdit": true, "workspaceEdit": map[string]any{"documentChanges": true}}}
	for name, e := range map[string]editor{
		"with file operations":    {lsptest.Options{}, map[string]bool{"delete_file": true, "move_file": true}},
		"without":                 {lsptest.Options{Capabilities: plain}, nil},
		"that forces a close":     {lsptest.Options{Name: "Neovim", Edits: lsptest.Drops, Hold: 150 * time.Millisecond}, map[string]bool{"move_file": true}},
		"with nothing open in it": {lsptest.Options{}, nil},
	} {
		for tool, arguments := range map[string]string{"delete_file": `{"path":"README.md"}`, "move_file": `{"from":"README.md","to":"docs/intro.md"}`} {
			t.Run(tool+" in an editor "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l := newLab(t, "turn\n"+call(tool, arguments)+"turn\njson {\"answer\":\"Done.\"}\n", e.Options, story())
					defer l.Leave()
					open := name != "with nothing open in it"
					if open {
						l.Open("README.md")
					}
					l.Open(chat)
					l.must(l.Do(chat, "Fix it", "Send"))
					l.waitDiagnostic(waits)
					l.must(l.Do(chat, tool, "Approve once"))
					l.WaitText(chat, "Done.")
					l.checkAfterRun()
					if l.there("README.md") || l.there("docs/intro.md") != (tool == "move_file") {
						t.Error("it was not done")
					}
					if open && l.IsOpen("README.md") == e.asked[tool] {
						t.Errorf("the document is open: %v", l.IsOpen("README.md"))
					}
					l.must(l.Do(chat, "result c1", "Undo this edit"))
					synctest.Wait()
					if tool == "delete_file" && l.IsOpen("README.md") {
						return // its text is still in the editor, which may save it
					}
					if !l.there("README.md") || l.Disk("README.md") != story()["README.md"] || l.there("docs/intro.md") {
						t.Error("it was not undone")
					}
				})
			})
		}
	}
}

// What a person typed and did not save is neither deleted nor moved: the question waits for the save.
func TestUnsavedTextIsNotDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\n"+call("delete_file", `{"path":"README.md"}`)+"turn\njson {\"answer\":\"Done.\"}\n", lsptest.Options{Hold: 150 * time.Millisecond}, story())
		defer l.Leave()
		l.Open("README.md")
		l.Open(chat)
		l.Type("README.md", "typed\n")
		l.must(l.Do(chat, "Fix it", "Send"))
		l.waitDiagnostic("has changes in the editor that are not saved")
		for _, title := range l.Titles(chat, "delete_file") {
			if strings.HasPrefix(title, "Approve") || strings.HasPrefix(title, "Run") {
				t.Errorf("there is an action %q", title)
			}
		}
		l.Save("README.md")
		synctest.Wait() // until the question is asked anew
		l.must(l.Do(chat, "delete_file", "Approve once"))
		l.WaitText(chat, "Done.")
		if l.there("README.md") {
			t.Error("it was not deleted")
		}
	})
}

// Row 29: an edit that the editor never answers is told to the model as not known, and the file is frozen until the
// editor shows it: no edit, deletion, move or command before that.
func TestAnEditOfWhichNothingIsKnownFreezesTheFile(t *testing.T) {
	const unknown = "It is not known whether"
	for name, tt := range map[string]struct {
		thaw func(l *lab)
		next string // of the next edit, which this editor does not answer either
	}{
		"a save":     {func(l *lab) { l.Save("README.md") }, "Nothing was changed: the time ran out"}, // not sent: the one before it may still be answered
		"a change":   {func(l *lab) { l.Type("README.md", "typed\n") }, unknown},
		"a new open": {func(l *lab) { l.Close("README.md"); l.Open("README.md") }, unknown},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const frozen = "expect-last: did not say what became of an edit\n"
				l := newLab(t, "turn\n"+theEdit+
					"turn\nexpect-last: It is not known whether\n"+theEdit+
					"turn\n"+frozen+call("delete_file", `{"path":"README.md"}`)+
					"turn\n"+frozen+call("move_file", `{"from":"README.md","to":"b.md"}`)+
					"turn\n"+frozen+call("run_command", `{"command":"cat README.md"}`)+
					"turn\nexpect-last: denied this call\n"+call("edit_file", `{"path":"README.md","old_text":"Title","new_text":"Name"}`)+
					"turn\nexpect-last: "+tt.next+"\njson {\"answer\":\"A pity.\"}\n",
					lsptest.Options{Edits: lsptest.Ignores}, story())
				defer l.Leave()
				l.Open("README.md")
				l.Open(chat)
				l.must(l.Do(chat, "Fix it", "Send"))
				l.waitDiagnostic(waits)
				l.must(l.Do(chat, "edit_file", "Approve once"))
				l.waitDiagnostic("Unsaved changes by Assent in README.md") // the command waits
				if got := l.Disk("README.md"); got != story()["README.md"] {
					t.Errorf("on disk: %q", got)
				}
				tt.thaw(l)
				synctest.Wait() // until the question is asked anew
				l.must(l.Do(chat, "run_command", "Deny"))
				l.WaitFor("the next edit", func() bool { return strings.Contains(l.Text(chat), "new_text: Name") })
				synctest.Wait()
				l.must(l.Do(chat, "new_text: Name", "Approve once"))
				l.WaitText(chat, "A pity.")
				l.checkAfterRun()
			})
		})
	}
}

// Row 30, S06: a file that is changed, deleted or replaced by a link while a person looks at the preview is not touched
// by their yes: the call is refused, or asked about again as it is now.
func TestWhatIsSwappedDuringAQuestionIsNotDone(t *testing.T) {
	calls := map[string]string{
		"edit_file":   `{"path":"README.md","old_text":"Helo","new_text":"Hello"}`,
		"insert_text": `{"path":"README.md","after":"Helo world","text":"more"}`,
		"edit_files":  `{"edits":[{"path":"other.txt","old_text":"x","new_text":"y"},{"path":"README.md","old_text":"Helo","new_text":"Hello"}]}`,
		"delete_file": `{"path":"README.md"}`,
		"move_file":   `{"from":"README.md","to":"b.md"}`,
	}
	swaps := map[string]func(t *testing.T, name, outside string){
		"changed": func(t *testing.T, name, _ string) { write(t, name, "# Title\n\nsomething else\n") },
		"deleted": func(t *testing.T, name, _ string) { remove(t, name) },
		"a link to the outside": func(t *testing.T, name, outside string) {
			remove(t, name)
			if err := os.Symlink(outside, name); err != nil {
				t.Fatal(err)
			}
		},
	}
	for tool, arguments := range calls {
		for what, swap := range swaps {
			t.Run(tool+" "+what, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					files := story()
					files["other.txt"] = "x\n"
					l := newLab(t, "turn\n"+call("read_file", `{"path":"other.txt"}`)+"turn\n"+call("read_file", `{"path":"README.md"}`)+
						"turn\n"+call(tool, arguments)+"turn\njson {\"answer\":\"Done.\"}\n", lsptest.Options{}, files)
					defer l.Die()
					outside := filepath.Join(t.TempDir(), "outside.md")
					write(t, outside, files["README.md"])
					l.Open(chat)
					l.must(l.Do(chat, "Fix it", "Send"))
					l.waitDiagnostic(waits)
					swap(t, filepath.Join(l.Dir, "README.md"), outside)
					now := tree(t, l.Dir)
					if err := l.Do(chat, tool, "Approve once"); err != nil && !strings.Contains(err.Error(), "look at the call again") {
						t.Error(err)
					}
					l.WaitFor("an end or a question", func() bool {
						return strings.Contains(l.Text(chat), "Done.") || strings.Contains(diagnosticsOf(l), waits)
					})
					synctest.Wait()
					if got := tree(t, l.Dir); got != now {
						t.Errorf("got\n%s\nwant\n%s", got, now)
					}
					if data, err := os.ReadFile(outside); err != nil || string(data) != files["README.md"] {
						t.Errorf("outside: %q, %v", data, err)
					}
				})
			})
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

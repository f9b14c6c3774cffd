package builtin_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/toolstest"
	"github.com/assent-ls/assent/tools/workspace"
)

func twoFiles(t *testing.T) *toolstest.Bench {
	t.Helper()
	return toolstest.NewBench(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "top\none\nend\n"})
}

func TestEditFiles(t *testing.T) {
	b := twoFiles(t)
	call := toolstest.Several(toolstest.Change("a.txt", "one", "1"), toolstest.Change("b.txt", "one", "1"), toolstest.Change("a.txt", "1\ntwo", "1\n2"))
	r := b.Do("edit_files", call)
	want := "Nothing was changed: these files were not read yet. Here they are. Call edit_files again with every old_text copied from them.\n\n\"a.txt\":\n\none\ntwo\n\n\"b.txt\":\n\ntop\none\nend"
	if !r.Failed || !r.Retry || r.Text() != want {
		t.Fatalf("unread: %+v", r)
	}
	p := b.Prepare("edit_files", call)
	if p.Target != "a.txt, b.txt" {
		t.Errorf("target %q", p.Target)
	}
	wantPreview := "--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n-one\n-two\n+1\n+2\n--- b.txt\n+++ b.txt\n@@ -1,3 +1,3 @@\n top\n-one\n+1\n end\n"
	if diff := cmp.Diff(wantPreview, p.Preview); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a.txt", "b.txt"}, b.Plan("edit_files", call).Paths); diff != "" {
		t.Error(diff)
	}
	r, err := b.Dispatcher.Execute(t.Context(), p.Approved(), nil)
	if err != nil || r.Failed || r.Text() != "Changed:\n\"a.txt\" at 2 places, lines 1, 1 (+2 -2 lines)\n\"b.txt\" at line 2 (+1 -1 lines)" {
		t.Fatalf("%+v, %v", r, err)
	}
	changes := []tools.FileChange{
		{Path: filepath.Join(b.Workspace.Root(), "a.txt"), Before: new("one\ntwo\n"), After: new("1\n2\n")},
		{Path: filepath.Join(b.Workspace.Root(), "b.txt"), Before: new("top\none\nend\n"), After: new("top\n1\nend\n")},
	}
	if diff := cmp.Diff(changes, r.Changes); diff != "" {
		t.Error(diff)
	}
	if r := b.Do("edit_files", call); r.Failed || !strings.Contains(r.Text(), "seem to be done") {
		t.Errorf("made again: %+v", r)
	}
	b.Write("b.txt", "typed\n"+b.OnDisk("b.txt"))
	if err := tools.UndoEdit(t.Context(), b.Workspace, b.Reads, *r.Undo); err != nil || b.OnDisk("a.txt") != "one\ntwo\n" || b.OnDisk("b.txt") != "typed\ntop\none\nend\n" {
		t.Errorf("undone: %v, %q, %q", err, b.OnDisk("a.txt"), b.OnDisk("b.txt"))
	}
	b.Write("b.txt", "typed\n")
	if err := tools.UndoEdit(t.Context(), b.Workspace, b.Reads, *r.Undo); !errors.Is(err, edit.ErrGone) || b.OnDisk("b.txt") != "typed\n" {
		t.Errorf("undone where it is gone: %v", err)
	}
}

// Whatever is wrong with one edit, nothing is changed, and the answer names the edit.
func TestEditFilesIsAllOrNothing(t *testing.T) {
	good := toolstest.Change("a.txt", "one", "1")
	for _, tt := range []struct {
		name string
		args any
		want string
	}{
		{"none", toolstest.Several(), "Edits must have 1 to 100 edits, each with path, old_text and new_text."},
		{"not there", toolstest.Several(good, toolstest.Change("b.txt", "three", "3")), `Nothing was changed. Edit 2, in "b.txt": old_text is not in the file.`},
		{"no file", toolstest.Several(good, toolstest.Change("c.txt", "three", "3")), `Nothing was changed. Edit 2: There is no file "c.txt". Near: "a.txt", "b.txt".`},
		{"ambiguous", toolstest.Several(good, toolstest.Change("b.txt", "e", "E")), `Nothing was changed. Edit 2, in "b.txt": old_text occurs 2 times (lines 2, 3).`},
		{"gone by an edit before it", toolstest.Several(good, toolstest.Change("a.txt", "one", "2")), `Nothing was changed. Edit 2, in "a.txt": old_text is not in the file.`},
		{"empty", toolstest.Several(good, toolstest.Change("b.txt", "", "3")), `Nothing was changed. Edit 2, in "b.txt": old_text is empty`},
		{"one is done", toolstest.Several(toolstest.Change("b.txt", "gone", "top"), good), "Nothing was changed: 1 of the edits seem to be done"},
		{"an argument is missing", `{"edits":[{"path":"a.txt","old_text":"one"}]}`, `The argument "edits[0].new_text" is missing. The schema`},
		{"an argument is given twice", `{"edits":[{"path":"a.txt","path":"b.txt","old_text":"one","new_text":"x"}]}`, `In "edits[0]": The argument "path" is given twice. The schema`},
		{"an argument in capitals", `{"edits":[{"path":"a.txt","PATH":"b.txt","Old_Text":"x","new_text":"x"}]}`, `The argument "edits[0].old_text" is missing. The schema`},
		{"no list", `{"edits":7}`, `The argument "edits" must be a list. The schema`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := twoFiles(t)
			b.ReadAll("a.txt", "b.txt")
			was := snapshot(b)
			r := b.Do("edit_files", tt.args)
			if !r.Failed || !strings.HasPrefix(r.Text(), tt.want) {
				t.Errorf("got %q", r.Text())
			}
			if diff := cmp.Diff(was, snapshot(b)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Models write a list as text, or a single edit without a list.
func TestEditFilesReadsListsAsModelsWriteThem(t *testing.T) {
	for _, call := range []string{
		`{"edits":"[{\"path\":\"a.txt\",\"old_text\":\"one\",\"new_text\":\"1\"}]"}`,
		`{"edits":{"path":"a.txt","old_text":"one","new_text":1,"why":"x"}}`,
		`{"edits":["{\"path\":\"a.txt\",\"old_text\":\"one\",\"new_text\":\"1\",\"replace_all\":\"false\"}"]}`,
	} {
		b := twoFiles(t)
		b.ReadAll("a.txt")
		if r := b.Do("edit_files", call); r.Failed || b.OnDisk("a.txt") != "1\ntwo\n" {
			t.Errorf("%s: %+v", call, r)
		}
	}
}

// S06: the approval of several edits is bound to every file.
func TestEditFilesIsBoundToEveryFile(t *testing.T) {
	for name, during := range map[string]func(b *toolstest.Bench){
		"the place in the second": func(b *toolstest.Bench) { b.Write("b.txt", "else\none\nwhere\n") },
		"twice in the first":      func(b *toolstest.Bench) { b.Write("a.txt", "one\ntwo\none\n") },
		"the second is gone":      func(b *toolstest.Bench) { _ = os.Remove(filepath.Join(b.Dir, "b.txt")) },
		"the second is a link": func(b *toolstest.Bench) {
			_ = os.Rename(filepath.Join(b.Dir, "b.txt"), filepath.Join(b.Dir, "c.txt"))
			_ = os.Symlink("c.txt", filepath.Join(b.Dir, "b.txt"))
			b.ReadAll("c.txt")
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := twoFiles(t)
			b.ReadAll("a.txt", "b.txt")
			p := b.Prepare("edit_files", toolstest.Several(toolstest.Change("a.txt", "one", "1"), toolstest.Change("b.txt", "one", "1")))
			during(b)
			was := snapshot(b)
			if _, err := b.Dispatcher.Execute(t.Context(), p.Approved(), nil); !errors.Is(err, tools.ErrChanged) {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(was, snapshot(b)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// If one file cannot be changed although all could when they were looked at, the others are changed back; what cannot
// be is told, and so is what is not known.
func TestEditFilesThatFailsHalfway(t *testing.T) {
	abs := func(b *toolstest.Bench, name string) string { return filepath.Join(b.Workspace.Root(), name) }
	for _, tt := range []struct {
		name    string
		fails   error
		stuck   bool // a.txt cannot be changed back
		want    string
		changed []string
	}{
		{"refused", workspace.ErrNotApplied, false, `Nothing was changed: not applied.`, nil},
		{"refused, and the first was changed meanwhile", workspace.ErrNotApplied, true, `Not applied. Changed before that, and could not be changed back: a.txt.`, []string{"a.txt"}},
		{"not known", workspace.ErrUnknown, false, `Not known whether it was applied. Changed before that: a.txt. Not changed: c.txt.`, []string{"a.txt"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := toolstest.NewBench(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n", "c.txt": "one\n"})
			b.ReadAll("a.txt", "b.txt", "c.txt")
			b.Buffers.Texts[abs(b, "b.txt")] = "one\n"
			b.Buffers.Fails = func(string) error {
				if tt.stuck {
					b.Write("a.txt", "typed\n")
				}
				return tt.fails
			}
			r := b.Do("edit_files", toolstest.Several(toolstest.Change("a.txt", "one", "1"), toolstest.Change("b.txt", "one", "1"), toolstest.Change("c.txt", "one", "1")))
			if !r.Failed || r.Text() != tt.want {
				t.Errorf("%q", r.Text())
			}
			var changed []string
			for _, c := range r.Changes {
				changed = append(changed, filepath.Base(c.Path))
			}
			if diff := cmp.Diff(tt.changed, changed); diff != "" || (r.Undo == nil) != (tt.changed == nil) {
				t.Errorf("changed:\n%s", diff)
			}
			first := "one\n"
			if tt.stuck {
				first = "typed\n"
			} else if tt.changed != nil {
				first = "1\n"
			}
			if b.OnDisk("a.txt") != first || b.OnDisk("b.txt") != "one\n" || b.OnDisk("c.txt") != "one\n" {
				t.Errorf("%q %q %q", b.OnDisk("a.txt"), b.OnDisk("b.txt"), b.OnDisk("c.txt"))
			}
		})
	}
}

package builtin_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/toolstest"
)

func TestDeleteFile(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.txt": "one\ntwo\n", "bin": "a\x00b", "empty": "", "sub/x": ""})
	if err := os.Chmod(filepath.Join(b.Dir, "a.txt"), 0o750); err != nil {
		t.Fatal(err)
	}
	p := b.Prepare("delete_file", toolstest.Args("path", "a.txt"))
	want := "Deletes \"a.txt\" (8 bytes, 2 lines).\n--- a.txt\n+++ a.txt\n@@ -1,2 +0,0 @@\n-one\n-two\n"
	if p.Decision.Verdict != policy.Ask || p.Target != "a.txt" || p.Preview != want {
		t.Fatalf("%+v", p)
	}
	r, err := b.Dispatcher.Execute(t.Context(), p.Approved(), nil)
	if err != nil || r.Failed || r.Text() != `Deleted "a.txt".` {
		t.Fatalf("%+v, %v", r, err)
	}
	b.Gone("a.txt")
	if diff := cmp.Diff([]tools.FileChange{{Path: filepath.Join(b.Workspace.Root(), "a.txt"), Before: new("one\ntwo\n"), Mode: 0o750}}, r.Changes); diff != "" {
		t.Error(diff)
	}
	if err := tools.UndoEdit(t.Context(), b.Workspace, b.Reads, *r.Undo); err != nil || b.OnDisk("a.txt") != "one\ntwo\n" {
		t.Errorf("undone: %v", err)
	}
	if info, err := os.Stat(filepath.Join(b.Dir, "a.txt")); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("undone: %v, %v", info.Mode(), err)
	}
	if err := tools.UndoEdit(t.Context(), b.Workspace, b.Reads, *r.Undo); err == nil {
		t.Error("undone over a file that is there")
	}
	if p := b.Prepare("delete_file", toolstest.Args("path", "bin")); p.Preview != "Deletes \"bin\" (3 bytes, not a text file).\n" {
		t.Errorf("%q", p.Preview)
	}
	for name, text := range map[string]string{"bin": "a\x00b", "empty": ""} {
		r := b.Do("delete_file", toolstest.Args("path", name))
		b.Gone(name)
		if err := tools.UndoEdit(t.Context(), b.Workspace, b.Reads, *r.Undo); err != nil || b.OnDisk(name) != text {
			t.Errorf("%s: undone: %v", name, err)
		}
	}
	for name, want := range map[string]string{
		"sub": `"sub" is a folder: only files can be deleted or moved, one by one.`,
		".":   `"." is a folder: only files can be deleted or moved, one by one.`,
		"b":   `There is no file "b".`,
	} {
		if r := b.Do("delete_file", toolstest.Args("path", name)); !r.Failed || !strings.HasPrefix(r.Text(), want) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestMoveFile(t *testing.T) {
	for _, tt := range []struct{ to, at string }{
		{"b.txt", "b.txt"},
		{"new/deep/b.txt", "new/deep/b.txt"},
		{"sub", "sub/a.txt"},
		{"sub/", "sub/a.txt"},
		{"new/", "new/a.txt"},
		{"/sub/b.txt", "sub/b.txt"},
	} {
		b := toolstest.NewBench(t, map[string]string{"a.txt": "one\n", "sub/x": "x\n"})
		if err := os.Chmod(filepath.Join(b.Dir, "a.txt"), 0o755); err != nil {
			t.Fatal(err)
		}
		b.ReadAll("a.txt")
		p := b.Prepare("move_file", toolstest.Args("from", "a.txt", "to", tt.to))
		if p.Decision.Verdict != policy.Ask || p.Target != "a.txt -> "+tt.at || p.Preview != "Moves \"a.txt\" (4 bytes, 1 lines).\nto    \""+tt.at+"\"\n" {
			t.Fatalf("%+v", p)
		}
		if diff := cmp.Diff([]string{"a.txt", tt.at}, b.Plan("move_file", toolstest.Args("from", "a.txt", "to", tt.to)).Paths); diff != "" {
			t.Error(diff)
		}
		r, err := b.Dispatcher.Execute(t.Context(), p.Approved(), nil)
		if err != nil || r.Failed || r.Text() != `Moved "a.txt" to "`+tt.at+`".` || b.OnDisk(tt.at) != "one\n" {
			t.Fatalf("%s: %+v, %v", tt.to, r, err)
		}
		b.Gone("a.txt")
		if info, err := os.Stat(filepath.Join(b.Dir, tt.at)); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
		root := b.Workspace.Root()
		want := []tools.FileChange{{Path: filepath.Join(root, "a.txt"), Before: new("one\n"), Mode: 0o755}, {Path: filepath.Join(root, tt.at), After: new("one\n"), Mode: 0o755}}
		if diff := cmp.Diff(want, r.Changes); diff != "" {
			t.Error(diff)
		}
		if r := b.Do("edit_file", toolstest.Change(tt.at, "one", "1")); r.Failed { // it is known under its new name
			t.Errorf("%+v", r)
		}
		if err := tools.UndoEdit(t.Context(), b.Workspace, b.Reads, *r.Undo); err != nil || b.OnDisk("a.txt") != "1\n" {
			t.Errorf("undone: %v", err)
		}
		b.Gone(tt.at)
	}
}

func TestMoveFileErrors(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n", "sub/a.txt": "x\n"})
	for _, tt := range []struct{ from, to, want string }{
		{"a.txt", "b.txt", `"b.txt" exists already: choose another path.`},
		{"b.txt", "sub/a.txt", `"sub/a.txt" exists already: choose another path, such as "sub/b.txt".`}, // a file was taken for its folder
		{"a.txt", "sub", `"sub/a.txt" exists already: choose another path.`},
		{"a.txt", "a.txt", `"a.txt" is there already: nothing would change.`},
		{"a.txt", ".", `"a.txt" is there already: nothing would change.`},
		{"a.txt", "", "To is empty: give the new path."},
		{"a.txt", "b.txt/c", `"b.txt" is a file, not a folder.`},
		{"sub", "new", `"sub" is a folder: only files can be deleted or moved, one by one.`},
		{"c.txt", "d.txt", `There is no file "c.txt". Near: "a.txt", "b.txt", "sub/a.txt".`},
	} {
		if r := b.Do("move_file", toolstest.Args("from", tt.from, "to", tt.to)); !r.Failed || r.Text() != tt.want {
			t.Errorf("%s to %s: %+v", tt.from, tt.to, r)
		}
	}
	if b.OnDisk("a.txt") != "one\n" || b.OnDisk("b.txt") != "b\n" || b.OnDisk("sub/a.txt") != "x\n" {
		t.Error("something was changed")
	}
}

// S03: protected files are asked about by their own sentence, on either side of a move, also where nothing is yet.
func TestMovingAndDeletingAsksForWhatIsProtected(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.txt": "x\n", ".env": "KEY=canary\n"})
	for _, tt := range []struct {
		tool   string
		args   map[string]any
		notice string
	}{
		{"delete_file", toolstest.Args("path", ".env"), ""},
		{"move_file", toolstest.Args("from", ".env", "to", "b.txt"), "Under its new path the file is not protected any more."},
		{"move_file", toolstest.Args("from", "a.txt", "to", ".git/hooks/pre-commit"), ""},
		{"move_file", toolstest.Args("from", "a.txt", "to", "sub/.ENV"), ""},
		{"edit_files", toolstest.Several(toolstest.Change("a.txt", "x", "y"), toolstest.Change(".env", "KEY", "K")), ""},
		{"insert_text", toolstest.Args("path", ".env", "at_end", true, "text", "X=1"), ""},
	} {
		b.Do("read_file", toolstest.Args("path", ".env"))
		b.Do("read_file", toolstest.Args("path", "a.txt"))
		p := b.Prepare(tt.tool, tt.args)
		if p.Answered != nil || p.Protected == "" || p.Decision.Verdict != policy.Ask || len(p.Decision.Offers) > 0 || p.Notice != tt.notice {
			t.Errorf("%s %v: %+v", tt.tool, tt.args, p)
		}
	}
}

// S06, row 30: what was deleted or moved is what was shown.
func TestDeletingAndMovingIsBound(t *testing.T) {
	link := func(b *toolstest.Bench, target, name string) {
		_ = os.Remove(filepath.Join(b.Dir, name))
		if err := os.Symlink(target, filepath.Join(b.Dir, name)); err != nil {
			b.Fatal(err)
		}
	}
	for name, during := range map[string]func(b *toolstest.Bench){
		"changed":               func(b *toolstest.Bench) { b.Write("sub/a.txt", "two\n") },
		"gone":                  func(b *toolstest.Bench) { _ = os.Remove(filepath.Join(b.Dir, "sub/a.txt")) },
		"a link instead":        func(b *toolstest.Bench) { link(b, "../b.txt", "sub/a.txt") },
		"a link to the outside": func(b *toolstest.Bench) { link(b, "/etc/hostname", "sub/a.txt") },
		"its folder is a link": func(b *toolstest.Bench) {
			_ = os.Rename(filepath.Join(b.Dir, "sub"), filepath.Join(b.Dir, "old"))
			link(b, "old", "sub")
		},
		"unsaved now": func(b *toolstest.Bench) {
			b.Buffers.Texts[filepath.Join(b.Workspace.Root(), "sub/a.txt")] = "one\ntyped\n"
		},
	} {
		for tool, call := range map[string]map[string]any{
			"delete_file": toolstest.Args("path", "sub/a.txt"), "move_file": toolstest.Args("from", "sub/a.txt", "to", "new/c.txt"),
		} {
			t.Run(tool+" "+name, func(t *testing.T) {
				b := toolstest.NewBench(t, map[string]string{"sub/a.txt": "one\n", "b.txt": "one\n"})
				p := b.Prepare(tool, call)
				during(b)
				if _, err := b.Dispatcher.Execute(t.Context(), p.Approved(), nil); err == nil {
					t.Error("it was done")
				}
				b.Gone("new/c.txt")
				if b.OnDisk("b.txt") != "one\n" {
					t.Error("another file was changed")
				}
			})
		}
	}
	b := toolstest.NewBench(t, map[string]string{"a.txt": "one\n"})
	p := b.Prepare("move_file", toolstest.Args("from", "a.txt", "to", "c.txt"))
	b.Write("c.txt", "mine\n")
	if _, err := b.Dispatcher.Execute(t.Context(), p.Approved(), nil); err == nil || b.OnDisk("c.txt") != "mine\n" || b.OnDisk("a.txt") != "one\n" {
		t.Errorf("moved over a file: %v", err)
	}
}

// What an editor shows and has not saved is neither deleted nor moved: the call waits.
func TestUnsavedFilesAreNotDeletedOrMoved(t *testing.T) {
	for tool, call := range map[string]map[string]any{
		"delete_file": toolstest.Args("path", "a.txt"), "move_file": toolstest.Args("from", "a.txt", "to", "b.txt"),
	} {
		b := toolstest.NewBench(t, map[string]string{"a.txt": "one\n"})
		abs := filepath.Join(b.Workspace.Root(), "a.txt")
		b.Buffers.Texts[abs] = "one\ntyped\n"
		p := b.Prepare(tool, call)
		if p.Waits != `"a.txt" has changes in the editor that are not saved: save it first.` || p.CanRunAnyway {
			t.Errorf("%s: waits %q", tool, p.Waits)
		}
		if _, err := b.Dispatcher.Execute(t.Context(), p.Approved().Anyway(), nil); !errors.Is(err, tools.ErrWaits) {
			t.Errorf("%s: %v", tool, err)
		}
		b.Write("a.txt", "one\ntyped\n")
		if r := b.Do(tool, call); r.Failed {
			t.Errorf("%s: %+v", tool, r)
		}
		b.Gone("a.txt")
	}
}

// C3: what is asked about is where a path leads, and not its name, and a link is not taken for its file.
func TestMovingThroughALinkIsAskedAsItsTarget(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"video.mp4": "x\n", ".git/config": "x\n", "src/a.txt": "a\n"})
	for link, target := range map[string]string{"docs": ".git", "folder": "src", "link.txt": "src/a.txt", "new.txt": ".git/hooks/new"} {
		if err := os.Symlink(target, filepath.Join(b.Dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		from, to, target string
		protected        bool
	}{
		{"video.mp4", "docs/", "video.mp4 -> .git/video.mp4", true},
		{"video.mp4", "docs/hooks/pre-commit", "video.mp4 -> .git/hooks/pre-commit", true},
		{"video.mp4", "new.txt", "video.mp4 -> .git/hooks/new", true},
		{"docs/config", "b.txt", ".git/config -> b.txt", true},
		{"video.mp4", "folder/b.txt", "video.mp4 -> src/b.txt", false},
	} {
		p := b.Prepare("move_file", toolstest.Args("from", tt.from, "to", tt.to))
		if p.Answered != nil || p.Target != tt.target || (p.Protected != "") != tt.protected || !strings.Contains(p.Preview, tt.target[strings.LastIndex(tt.target, " ")+1:]) {
			t.Errorf("%s to %s: %+v", tt.from, tt.to, p)
		}
	}
	const want = `"link.txt" is a link to "src/a.txt": name that file itself.`
	for tool, call := range map[string]map[string]any{"delete_file": toolstest.Args("path", "link.txt"), "move_file": toolstest.Args("from", "link.txt", "to", "b.txt")} {
		if r := b.Do(tool, call); !r.Failed || r.Text() != want {
			t.Errorf("%s: %+v", tool, r)
		}
	}
	if r := b.Do("delete_file", toolstest.Args("path", "folder/a.txt")); r.Failed || r.Text() != `Deleted "src/a.txt".` {
		t.Errorf("below a linked folder: %+v", r)
	}
}

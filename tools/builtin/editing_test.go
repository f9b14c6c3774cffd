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
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/toolstest"
)

func TestEdit(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"README.md": "# Demo\n\nHelo world.\n"})
	helo := toolstest.Change("README.md", "Helo", "Hello")

	p := b.Prepare("edit_file", helo)
	if p.Answered == nil {
		t.Fatal("an unread file is edited")
	}
	if again := b.Prepare("edit_file", helo); again.Answered == nil {
		t.Fatal("looking at a call counts as reading")
	}
	r, err := b.Dispatcher.Execute(t.Context(), p, nil)
	if err != nil || !r.Failed {
		t.Fatalf("%+v, %v", r, err)
	}
	want := "Nothing was changed: \"README.md\" was not read yet. Here it is. If the edit is right, make the same call again:\n\n# Demo\n\nHelo world."
	if diff := cmp.Diff(want, r.Text()); diff != "" {
		t.Error(diff)
	}

	p = b.Prepare("edit_file", helo)
	if p.Answered != nil || p.Decision.Verdict != policy.Ask || p.Target != "README.md" {
		t.Fatalf("%+v", p)
	}
	wantPreview := "--- README.md\n+++ README.md\n@@ -1,3 +1,3 @@\n # Demo\n \n-Helo world.\n+Hello world.\n"
	if diff := cmp.Diff(wantPreview, p.Preview); diff != "" {
		t.Error(diff)
	}
	if _, err := b.Dispatcher.Execute(t.Context(), p, nil); !errors.Is(err, tools.ErrNotApproved) {
		t.Fatalf("unapproved: %v", err)
	}
	if got := b.OnDisk("README.md"); strings.Contains(got, "Hello") {
		t.Fatal("it ran unapproved")
	}
	r, err = b.Dispatcher.Execute(t.Context(), p.Approved(), nil)
	if err != nil || r.Failed || r.Text() != `Changed "README.md" at line 3 (+1 -1 lines).` || b.OnDisk("README.md") != "# Demo\n\nHello world.\n" {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := b.Dispatcher.Execute(t.Context(), p.Approved(), nil); err == nil {
		t.Error("it ran twice")
	}
	if r := b.Do("edit_file", helo); r.Failed || r.Text() != `Nothing was changed: old_text is not in "README.md", and new_text is there already. This change seems to be done.` {
		t.Errorf("done already: %+v", r)
	}

	adds := toolstest.Change("README.md", "Hello world.", "Hello world.\nMore.")
	b.Do("edit_file", adds)
	twice := b.Do("edit_file", adds)
	if twice.Failed || !strings.Contains(twice.Text(), "stands there already") || strings.Count(b.OnDisk("README.md"), "More.") != 1 {
		t.Errorf("added twice: %+v", twice)
	}
	b.Do("edit_file", toolstest.Change("README.md", "\nMore.", ""))

	// Another edit, and typing, come between; the first is taken back alone.
	b.Do("edit_file", toolstest.Change("README.md", "# Demo", "# A demo"))
	b.Write("README.md", b.OnDisk("README.md")+"typed\n")
	if err := tools.UndoEdit(t.Context(), b.Workspace, b.Reads, *r.Undo); err != nil {
		t.Fatal(err)
	}
	if got := b.OnDisk("README.md"); got != "# A demo\n\nHelo world.\ntyped\n" {
		t.Errorf("got %q", got)
	}
	if err := tools.UndoEdit(t.Context(), b.Workspace, b.Reads, *r.Undo); err == nil {
		t.Error("taken back twice")
	}
}

func TestRemovingAWholeLineLeavesNoBlankOne(t *testing.T) {
	tests := []struct{ text, old, want string }{
		{"a\nb\nc\n", "b", "a\nc\n"},
		{"a\r\nb\r\nc\r\n", "b", "a\r\nc\r\n"},
		{"a\nb\nc\n", "b\n", "a\nc\n"},
		{"a\nbb cc\nd\n", "cc", "a\nbb \nd\n"},
		{"a\nbb cc\nd\n", "bb ", "a\ncc\nd\n"},
		{"a\nb", "b", "a\n"},
	}
	for _, tt := range tests {
		b := toolstest.NewBench(t, map[string]string{"f.txt": tt.text})
		b.Do("read_file", toolstest.Args("path", "f.txt"))
		p := b.Prepare("edit_file", toolstest.Change("f.txt", tt.old, ""))
		if r, err := b.Dispatcher.Execute(t.Context(), p.Approved(), nil); err != nil || r.Failed || b.OnDisk("f.txt") != tt.want {
			t.Errorf("%q without %q is %q, want %q (%+v, %v)", tt.text, tt.old, b.OnDisk("f.txt"), tt.want, r, err)
		}
	}
}

func TestEditErrors(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.go": "one\ntwo\none\n", "bin": "\x00"})
	b.Do("read_file", toolstest.Args("path", "a.go"))
	for _, tt := range []struct {
		args any
		want string
	}{
		{toolstest.Change("a.go", "one", "1"), "old_text occurs 2 times (lines 1, 3).\n\nLine 1, with the lines around it:\none\ntwo\n\nLine 3, with the lines around it:\ntwo\none\n\n" +
			"For one of them, add lines before or after it to old_text, so that it is found only once. For all of them, make the same call with replace_all true."},
		{toolstest.Change("a.go", "two", "two"), "old_text and new_text are the same: nothing would change."},
		{toolstest.Change("a.go", "", "x"), `old_text is empty: copy the text to replace from "a.go", or use write_file for the whole file.`},
		{toolstest.Change("a.go", "twoo", "x"), "old_text is not in the file. The closest text is:\n\nLine 2:\ntwo\n\nCopy old_text exactly from the file.\n\n" +
			"Or write all of \"a.go\" again with write_file. It is now:\n\none\ntwo\none"},
		{toolstest.Change("b.go", "x", "y"), `There is no file "b.go". Near: "a.go".`},
		{toolstest.Change("bin", "x", "y"), `"bin" is not a text file (1 bytes).`},
		{toolstest.Change(".", "x", "y"), `"." is a folder, not a file.`},
	} {
		if r := b.Do("edit_file", tt.args); r.Text() != tt.want || !r.Failed {
			t.Errorf("%v: %+v", tt.args, r)
		}
	}
	if got := b.OnDisk("a.go"); got != "one\ntwo\none\n" {
		t.Errorf("changed: %q", got)
	}
}

func TestEditOfEveryPlace(t *testing.T) {
	text := "package a\n\n// Helo\nfunc Helo() {}\n\nvar _ = Helo // Helo\n"
	b := toolstest.NewBench(t, map[string]string{"a.go": text})
	b.Do("read_file", toolstest.Args("path", "a.go"))
	all := toolstest.Args("path", "a.go", "old_text", "Helo", "new_text", "Hello", "replace_all", "true")
	p := b.Prepare("edit_file", all)
	b.Contains(p.Preview, "-// Helo\n", "-func Helo() {}\n", "+var _ = Hello // Hello\n")

	// S06: a place that was not there when the question was asked is not changed.
	b.Write("a.go", text+"Helo\n")
	if _, err := b.Dispatcher.Execute(t.Context(), p.Approved(), nil); !errors.Is(err, tools.ErrChanged) {
		t.Errorf("another place: %v", err)
	}
	b.Write("a.go", "above\n\n"+text) // elsewhere
	r, err := b.Dispatcher.Execute(t.Context(), p.Approved(), nil)
	if err != nil || r.Text() != `Changed "a.go" at 4 places, lines 5, 6, 8, 8 (+3 -3 lines).` {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := b.OnDisk("a.go"); got != "above\n\n"+strings.ReplaceAll(text, "Helo", "Hello") {
		t.Errorf("got %q", got)
	}
	b.Write("a.go", b.OnDisk("a.go")+"typed\n")
	if err := tools.UndoEdit(t.Context(), b.Workspace, b.Reads, *r.Undo); err != nil || b.OnDisk("a.go") != "above\n\n"+text+"typed\n" {
		t.Errorf("undone: %v, %q", err, b.OnDisk("a.go"))
	}
	b.Do("edit_file", all)
	b.Write("a.go", strings.Replace(b.OnDisk("a.go"), "func Hello", "func Mine", 1))
	was := b.OnDisk("a.go")
	if err := tools.UndoEdit(t.Context(), b.Workspace, b.Reads, *r.Undo); !errors.Is(err, edit.ErrGone) || b.OnDisk("a.go") != was {
		t.Errorf("one place changed since: %v, %q", err, b.OnDisk("a.go"))
	}
}

func TestEditOfVeryManyPlaces(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.txt": strings.Repeat("x\ny\n", 500)})
	b.Do("read_file", toolstest.Args("path", "a.txt"))
	r := b.Do("edit_file", toolstest.Args("path", "a.txt", "old_text", "x", "new_text", "", "replace_all", true))
	if b.OnDisk("a.txt") != strings.Repeat("y\n", 500) {
		t.Errorf("%+v", r)
	}
	b.Contains(r.Text(), `Changed "a.txt" at 500 places, lines 1, 3, 5, 7, 9, 11, 13, 15, 17, 19 and 490 more (`)
	if err := tools.UndoEdit(t.Context(), b.Workspace, b.Reads, *r.Undo); err != nil || b.OnDisk("a.txt") != strings.Repeat("x\ny\n", 500) {
		t.Errorf("undone: %v", err)
	}
}

// What an edit that failed offers: to write the file again if it is short.
func TestOnlyAShortFileIsOfferedWhole(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"59.txt": toolstest.Numbered(59), "60.txt": toolstest.Numbered(60), "wide.txt": strings.Repeat("x", 9000), ".env": "KEY=canary\nKEY=canary\n"})
	for name, offers := range map[string]bool{"59.txt": true, "60.txt": false, "wide.txt": false, ".env": false} {
		b.Do("read_file", toolstest.Args("path", name))
		text := b.Do("edit_file", toolstest.Change(name, "lime 7", "x")).Text()
		if strings.Contains(text, "again with write_file") != offers || strings.Contains(text, "line 1\n") != offers {
			t.Errorf("%s: %s", name, text)
		}
	}
	// The places of a text are numbers alone in a protected file.
	want := "old_text occurs 2 times (lines 1, 2). For one of them, add lines before or after it to old_text, so that it is found only once. For all of them, make the same call with replace_all true."
	if got := b.Do("edit_file", toolstest.Change(".env", "KEY=canary", "x")).Text(); got != want {
		t.Errorf("got %q", got)
	}
}

func TestEditSaysWhereItWasLoose(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.py": "class A:\n\tdef f():\n\t\treturn 1\n"})
	b.Do("read_file", toolstest.Args("path", "a.py"))
	loose := toolstest.Change("a.py", "def f():\n    return 1", "def f():\n    return 2")
	b.Contains(b.Prepare("edit_file", loose).Preview, "-\t\treturn 1\n+\t\treturn 2\n", "The text in the file differs from old_text: other indentation.")
	if r := b.Do("edit_file", loose); r.Text() != `Changed "a.py" at line 2 (+1 -1 lines). The text in the file differs from old_text: other indentation.` {
		t.Errorf("%+v", r)
	}
}

func TestEditKeepsCRLFAndShowsWhatIsLoose(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"dos.txt": "a \r\nb\r\nc\r\n"})
	b.Do("read_file", toolstest.Args("path", "dos.txt"))
	p := b.Prepare("edit_file", toolstest.Change("dos.txt", "1\ta\n2\tb", "x\ny\nz"))
	b.Contains(p.Preview, "-a \n-b\n+x\n+y\n+z\n c\n", "without line numbers")
	b.Do("edit_file", toolstest.Change("dos.txt", "1\ta\n2\tb", "x\ny\nz"))
	if got := b.OnDisk("dos.txt"); got != "x\r\ny\r\nz\r\nc\r\n" {
		t.Errorf("got %q", got)
	}
}

func TestEditInABuffer(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.txt": "Helo\n"})
	abs := b.Workspace.Root() + "/a.txt"
	b.Buffers.Texts[abs] = "typed\nHelo\n"
	b.Reads.MarkRead(abs, "Helo\n") // attached before the typing
	b.Do("edit_file", toolstest.Change("a.txt", "Helo", "Hello"))
	if b.Buffers.Texts[abs] != "typed\nHello\n" || b.OnDisk("a.txt") != "Helo\n" {
		t.Errorf("buffer %q, disk %q", b.Buffers.Texts[abs], b.OnDisk("a.txt"))
	}

	// A command waits for the buffer to be saved, or runs on the files on disk and says so.
	p := b.Prepare("run_command", toolstest.Args("command", "cat a.txt")).Approved()
	if p.Waits != "Unsaved changes by Assent in a.txt: save them, or run on the files on disk." || !p.CanRunAnyway {
		t.Fatalf("waits: %q", p.Waits)
	}
	if _, err := b.Dispatcher.Execute(t.Context(), p, nil); err == nil {
		t.Fatal("it did not wait")
	}
	r, err := b.Dispatcher.Execute(t.Context(), p.Anyway(), nil)
	if err != nil || r.Text() != "[Ran on the files on disk: the changes in a.txt are not saved.]\nHelo\n[Exit status 0.]" {
		t.Errorf("%q, %v", r.Text(), err)
	}
	p = b.Prepare("run_command", toolstest.Args("command", "cat a.txt")).Approved()
	b.Write("a.txt", b.Buffers.Texts[abs])
	clear(b.Buffers.Edited)
	r, err = b.Dispatcher.Execute(t.Context(), p, nil)
	if err != nil || r.Text() != "typed\nHello\n[Exit status 0.]" {
		t.Errorf("after the save: %q, %v", r.Text(), err)
	}
}

func TestEditOfAFileThatChanged(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.txt": "one\n"})
	b.Do("read_file", toolstest.Args("path", "a.txt"))
	b.Write("a.txt", "two\n")
	if r := b.Do("edit_file", toolstest.Change("a.txt", "one", "1")); !r.Failed ||
		r.Text() != "Nothing was changed: \"a.txt\" changed since it was read, and old_text is not in it. Here it is now:\n\ntwo" {
		t.Errorf("%+v", r)
	}
	if r := b.Do("edit_file", toolstest.Change("a.txt", "two", "2")); r.Failed {
		t.Errorf("%+v", r)
	}
}

func TestWrite(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.txt": "old\r\ntext\r\n", "src/x": ""})
	write := func(path, content string) map[string]any { return toolstest.Args("path", path, "content", content) }

	p := b.Prepare("write_file", write("new/b.txt", "hi\n"))
	if p.Target != "new/b.txt (new)" || p.Decision.Verdict != policy.Ask {
		t.Fatalf("%+v", p)
	}
	b.Contains(p.Preview, "A new file.\n", "+hi\n")
	r := b.Do("write_file", write("new/b.txt", "hi\n"))
	if r.Failed || b.OnDisk("new/b.txt") != "hi\n" {
		t.Fatalf("%+v", r)
	}
	if r := b.Do("write_file", write("/src/y", "hi")); r.Failed || b.OnDisk("src/y") != "hi" {
		t.Errorf("%+v", r)
	}
	if r := b.Do("write_file", write("new/b.txt", "hi\n")); r.Failed || r.Text() != `"new/b.txt" has this content already: nothing was changed.` {
		t.Errorf("%+v", r)
	}
	if r := b.Do("write_file", write("a.txt", "new\n")); !r.Failed || b.OnDisk("a.txt") != "old\r\ntext\r\n" {
		t.Errorf("unread: %+v", r)
	}
	r = b.Do("write_file", write("a.txt", "new\ntext\n"))
	if r.Failed || b.OnDisk("a.txt") != "new\r\ntext\r\n" {
		t.Errorf("%+v, %q", r, b.OnDisk("a.txt"))
	}
	if err := tools.UndoEdit(t.Context(), b.Workspace, b.Reads, *r.Undo); err != nil || b.OnDisk("a.txt") != "old\r\ntext\r\n" {
		t.Errorf("%v, %q", err, b.OnDisk("a.txt"))
	}
	b.Write("a.txt", "by somebody else\n")
	if r := b.Do("write_file", write("a.txt", "x")); !r.Failed || !strings.Contains(r.Text(), "changed since it was read") {
		t.Errorf("%+v", r)
	}
	for _, path := range []string{"", "dir/", "src"} {
		if r := b.Do("write_file", write(path, "x")); !r.Failed {
			t.Errorf("%q: %+v", path, r)
		}
	}
}

// S03, S05: what is protected asks with a sentence of its own, whatever was granted; what is denied never runs.
// Promise 1. Invariant 3.
func TestProtectedAndDenied(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.txt": "x\n", ".git/config": "x\n", "old.chat.md": "x\n"})
	if err := os.Symlink(".git/config", filepath.Join(b.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	ok := b.Prepare("write_file", toolstest.Args("path", "new.txt", "content", "x"))
	if _, err := b.Policy.Accept(ok.Decision.Offers[0], "test"); err != nil {
		t.Fatal(err)
	}
	if p := b.Prepare("write_file", toolstest.Args("path", "new2.txt", "content", "x")); p.Decision.Verdict != policy.Run {
		t.Fatalf("the grant does not work: %+v", p.Decision)
	}
	for _, path := range []string{".git/hooks/pre-commit", ".GIT/x", "./a/../.git/x", ".vscode/tasks.json", ".envrc", "new.chat.md", "sub/NEW.Chat.MD", ".assent/grants", "/.assent/x"} {
		p := b.Prepare("write_file", toolstest.Args("path", path, "content", "x"))
		if path == "/.assent/x" && p.Answered != nil {
			continue // outside the workspace, as it is written
		}
		if p.Answered != nil || p.Protected == "" || p.Decision.Verdict != policy.Ask || len(p.Decision.Offers) > 0 {
			t.Errorf("%s: %+v", path, p)
		}
	}
	for _, path := range []string{"old.chat.md", ".git/config", "link"} {
		for _, c := range []struct {
			tool string
			args map[string]any
		}{{"read_file", toolstest.Args("path", path)}, {"search_files", toolstest.Args("pattern", "x", "path", path)}} {
			if p := b.Prepare(c.tool, c.args); p.Protected == "" || p.Decision.Verdict != policy.Ask {
				t.Errorf("%s %s: %+v", c.tool, path, p)
			}
		}
		// An edit must not tell the content without a question.
		for _, c := range []tools.Prepared{
			b.Prepare("edit_file", toolstest.Change(path, "y", "z")),
			b.Prepare("write_file", toolstest.Args("path", path, "content", "y")),
		} {
			if c.Answered == nil || !strings.Contains(c.Answered.Text(), "read_file first") {
				t.Errorf("%s: %+v", path, c.Answered)
			}
		}
	}
	b.Forbid(ok)
	for _, path := range []string{"new3.txt", ".git/hooks/pre-commit"} { // what was granted and what is protected, too
		if r := b.Do("write_file", toolstest.Args("path", path, "content", "x")); !r.Failed || !strings.HasPrefix(r.Text(), "Refused: You denied write_file in this chat") {
			t.Errorf("%+v", r)
		}
	}
}

// S06: whatever changes after the question voids the approval, and nothing is done.
// A file that a tool runs by itself is asked about as every other one, and the question says what follows.
// Promise 5.
func TestTheQuestionNamesWhatRunsByItself(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"Makefile": "all:\n", "a.txt": "all:\n"})
	for _, name := range []string{"Makefile", "a.txt"} {
		b.Do("read_file", toolstest.Args("path", name))
	}
	for _, tt := range []struct {
		tool, path, notice string
	}{
		{"edit_file", "Makefile", `"Makefile" runs when you build.`},
		{"write_file", "Makefile", `"Makefile" runs when you build.`},
		{"write_file", "sub/package.json", `"sub/package.json" runs when you install or build.`},
		{"edit_file", "a.txt", ""},
		{"write_file", "b.txt", ""},
		{"read_file", "Makefile", ""},
	} {
		p := b.Prepare(tt.tool, toolstest.Args("path", tt.path, "old_text", "all:", "new_text", "all: x", "content", "all: x\n"))
		if tt.tool == "read_file" {
			p = b.Prepare(tt.tool, toolstest.Args("path", tt.path))
		}
		if p.Notice != tt.notice || p.Protected != "" || tt.tool != "read_file" && len(p.Decision.Offers) == 0 {
			t.Errorf("%s %s: notice %q, protected %q, %+v", tt.tool, tt.path, p.Notice, p.Protected, p.Decision)
		}
	}
}

// Promise 2. Invariant 8.
func TestApprovalIsBound(t *testing.T) {
	files := map[string]string{"a.txt": "top\n\n\nup\nHelo\ndown\n\n\nend\n", "b.txt": "b\n"}
	for _, tt := range []struct {
		name   string
		tool   string
		args   map[string]any
		during func(b *toolstest.Bench)
		runs   bool
	}{
		{"typing elsewhere", "edit_file", toolstest.Change("a.txt", "Helo", "Hello"), func(b *toolstest.Bench) { b.Write("a.txt", "more\n"+files["a.txt"]) }, true},
		{"an edit elsewhere", "edit_file", toolstest.Change("a.txt", "Helo", "Hello"), func(b *toolstest.Bench) { b.Do("edit_file", toolstest.Change("a.txt", "end", "END")) }, true},
		{"its line", "edit_file", toolstest.Change("a.txt", "Helo", "Hello"), func(b *toolstest.Bench) { b.Write("a.txt", "up\nnot Helo\ndown\n") }, false},
		{"its place", "edit_file", toolstest.Change("a.txt", "Helo", "Hello"), func(b *toolstest.Bench) { b.Write("a.txt", "else\nHelo\nwhere\n") }, false},
		{"twice now", "edit_file", toolstest.Change("a.txt", "Helo", "Hello"), func(b *toolstest.Bench) { b.Write("a.txt", files["a.txt"]+"Helo\n") }, false},
		{"gone", "edit_file", toolstest.Change("a.txt", "Helo", "Hello"), func(b *toolstest.Bench) { _ = os.Remove(filepath.Join(b.Dir, "a.txt")) }, false},
		{"a link instead", "edit_file", toolstest.Change("a.txt", "Helo", "Hello"), func(b *toolstest.Bench) {
			_ = os.Rename(filepath.Join(b.Dir, "a.txt"), filepath.Join(b.Dir, "c.txt"))
			_ = os.Symlink("c.txt", filepath.Join(b.Dir, "a.txt"))
			b.Do("read_file", toolstest.Args("path", "c.txt"))
		}, false},
		{"whole file", "write_file", toolstest.Args("path", "a.txt", "content", files["a.txt"]+"new\n"), func(b *toolstest.Bench) { b.Write("a.txt", files["a.txt"]+"typed\n") }, false},
		{"exists now", "write_file", toolstest.Args("path", "new.txt", "content", "new\n"), func(b *toolstest.Bench) { b.Write("new.txt", "mine\n") }, false},
		{"denied", "write_file", toolstest.Args("path", "new.txt", "content", "new\n"), func(b *toolstest.Bench) {
			b.Forbid(b.Prepare("write_file", toolstest.Args("path", "other.txt", "content", "x")))
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := toolstest.NewBench(t, files)
			b.Do("read_file", toolstest.Args("path", "a.txt"))
			p := b.Prepare(tt.tool, tt.args)
			if p.Decision.Verdict != policy.Ask {
				t.Fatalf("%+v", p)
			}
			tt.during(b)
			before := snapshot(b)
			_, err := b.Dispatcher.Execute(t.Context(), p.Approved(), nil)
			if (err == nil) != tt.runs {
				t.Errorf("error %v", err)
			}
			if changed := cmp.Diff(before, snapshot(b)) != ""; changed != tt.runs {
				t.Errorf("changed %v", changed)
			}
		})
	}
}

func snapshot(b *toolstest.Bench) map[string]string {
	files := map[string]string{}
	entries, err := os.ReadDir(b.Dir)
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range entries {
		files[e.Name()] = b.OnDisk(e.Name())
	}
	return files
}

// TestProtectedTextIsInNoError: without a read of the present text that was agreed to, no answer depends on the text of
// a protected file; after one, no error repeats it.
// Promise 3.
func TestProtectedTextIsInNoError(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{".env": "KEY=canary\n"})
	abs := b.Workspace.Root() + "/.env"
	calls := map[string]map[string]any{
		"right place":  toolstest.Change(".env", "KEY=canary", "KEY=x"),
		"near place":   toolstest.Change(".env", "KEY=canarx", "KEY=x"),
		"done already": toolstest.Change(".env", "KEY=old", "canary"),
		"right text":   toolstest.Args("path", ".env", "content", "KEY=canary\n"),
		"other text":   toolstest.Args("path", ".env", "content", "KEY=x\n"),
	}
	tool := func(call map[string]any) string {
		if call["content"] != nil {
			return "write_file"
		}
		return "edit_file"
	}
	for _, seen := range []string{"", "KEY=guess\n", "KEY=canary"} {
		if seen != "" {
			b.Reads.MarkRead(abs, seen) // it has changed since
		}
		for name, call := range calls {
			p := b.Prepare(tool(call), call)
			if p.Answered == nil || p.Answered.Text() != `".env" was not read, or changed since: use read_file first.` {
				t.Errorf("%s, having seen %q: %+v", name, seen, p.Answered)
			}
		}
	}
	p := b.Prepare("read_file", toolstest.Args("path", ".env"))
	if r, err := b.Dispatcher.Execute(t.Context(), p.Approved(), nil); err != nil || r.Text() != "KEY=canary" {
		t.Fatal(r, err)
	}
	for name, asks := range map[string]bool{"right place": true, "near place": false, "done already": false, "right text": false, "other text": true} {
		p := b.Prepare(tool(calls[name]), calls[name])
		if (p.Answered == nil) != asks {
			t.Errorf("%s, read: %+v", name, p.Answered)
		}
		if p.Answered != nil && strings.Contains(p.Answered.Text(), "canary") {
			t.Errorf("%s tells the text: %s", name, p.Answered.Text())
		}
	}
	b.Do("edit_file", toolstest.Change(".env", "canary", "kept"))
	if p := b.Prepare("edit_file", toolstest.Change(".env", "kept", "again")); p.Answered != nil {
		t.Errorf("what an edit of its own left counts as unread: %+v", p.Answered)
	}
}

// TestWhatOthersChangedIsNotKnown: neither an edit elsewhere in the file nor taking one back makes it so. It is not
// written over unseen.
func TestWhatOthersChangedIsNotKnown(t *testing.T) {
	for _, taken := range []bool{false, true} {
		b := toolstest.NewBench(t, map[string]string{"a.txt": "one\ntwo\n"})
		b.Do("read_file", toolstest.Args("path", "a.txt"))
		if !taken {
			b.Write("a.txt", "one\ntwo\ntheirs\n")
		}
		r := b.Do("edit_file", toolstest.Change("a.txt", "one", "1"))
		if r.Failed {
			t.Fatal(r.Text())
		}
		if taken {
			b.Write("a.txt", "1\ntwo\ntheirs\n")
			if err := tools.UndoEdit(t.Context(), b.Workspace, b.Reads, *r.Undo); err != nil {
				t.Fatal(err)
			}
		}
		if r := b.Do("write_file", toolstest.Args("path", "a.txt", "content", "1\n2\n")); !r.Failed || !strings.Contains(r.Text(), "theirs") {
			t.Errorf("taken back %t: %s; now %q", taken, r.Text(), b.OnDisk("a.txt"))
		}
	}
}

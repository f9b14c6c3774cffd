package tools_test

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
)

func change(path, oldText, newText string) map[string]any {
	return args("path", path, "old_text", oldText, "new_text", newText)
}

func TestEdit(t *testing.T) {
	b := newBench(t, map[string]string{"README.md": "# Demo\n\nHelo world.\n"})
	helo := change("README.md", "Helo", "Hello")

	p := b.prepare("edit_file", helo)
	if p.Answered == nil {
		t.Fatal("an unread file is edited")
	}
	if again := b.prepare("edit_file", helo); again.Answered == nil {
		t.Fatal("looking at a call counts as reading")
	}
	r, err := b.d.Execute(t.Context(), p, nil)
	if err != nil || !r.Failed {
		t.Fatalf("%+v, %v", r, err)
	}
	want := "Nothing was changed: \"README.md\" was not read yet. Here it is. If the edit is right, make the same call again:\n\n# Demo\n\nHelo world."
	if diff := cmp.Diff(want, r.Text()); diff != "" {
		t.Error(diff)
	}

	p = b.prepare("edit_file", helo)
	if p.Answered != nil || p.Decision.Verdict != policy.Ask || p.Target != "README.md" {
		t.Fatalf("%+v", p)
	}
	wantPreview := "--- README.md\n+++ README.md\n@@ -1,3 +1,3 @@\n # Demo\n \n-Helo world.\n+Hello world.\n"
	if diff := cmp.Diff(wantPreview, p.Preview); diff != "" {
		t.Error(diff)
	}
	if _, err := b.d.Execute(t.Context(), p, nil); !errors.Is(err, tools.ErrNotApproved) {
		t.Fatalf("unapproved: %v", err)
	}
	if got := b.onDisk("README.md"); strings.Contains(got, "Hello") {
		t.Fatal("it ran unapproved")
	}
	r, err = b.d.Execute(t.Context(), p.Approved(), nil)
	if err != nil || r.Failed || r.Text() != `Changed "README.md" at line 3 (+1 -1 lines).` || b.onDisk("README.md") != "# Demo\n\nHello world.\n" {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := b.d.Execute(t.Context(), p.Approved(), nil); err == nil {
		t.Error("it ran twice")
	}
	if r := b.do("edit_file", helo); r.Failed || r.Text() != `Nothing was changed: old_text is not in "README.md", and new_text is there already. This change seems to be done.` {
		t.Errorf("done already: %+v", r)
	}

	adds := change("README.md", "Hello world.", "Hello world.\nMore.")
	b.do("edit_file", adds)
	twice := b.do("edit_file", adds)
	if twice.Failed || !strings.Contains(twice.Text(), "stands there already") || strings.Count(b.onDisk("README.md"), "More.") != 1 {
		t.Errorf("added twice: %+v", twice)
	}
	b.do("edit_file", change("README.md", "\nMore.", ""))

	// Another edit, and typing, come between; the first is taken back alone.
	b.do("edit_file", change("README.md", "# Demo", "# A demo"))
	b.write("README.md", b.onDisk("README.md")+"typed\n")
	if err := tools.UndoEdit(t.Context(), b.ws, b.reads, *r.Undo); err != nil {
		t.Fatal(err)
	}
	if got := b.onDisk("README.md"); got != "# A demo\n\nHelo world.\ntyped\n" {
		t.Errorf("got %q", got)
	}
	if err := tools.UndoEdit(t.Context(), b.ws, b.reads, *r.Undo); err == nil {
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
		b := newBench(t, map[string]string{"f.txt": tt.text})
		b.do("read_file", args("path", "f.txt"))
		p := b.prepare("edit_file", change("f.txt", tt.old, ""))
		if r, err := b.d.Execute(t.Context(), p.Approved(), nil); err != nil || r.Failed || b.onDisk("f.txt") != tt.want {
			t.Errorf("%q without %q is %q, want %q (%+v, %v)", tt.text, tt.old, b.onDisk("f.txt"), tt.want, r, err)
		}
	}
}

func TestEditErrors(t *testing.T) {
	b := newBench(t, map[string]string{"a.go": "one\ntwo\none\n", "bin": "\x00"})
	b.do("read_file", args("path", "a.go"))
	for _, tt := range []struct {
		args any
		want string
	}{
		{change("a.go", "one", "1"), "old_text occurs 2 times (lines 1, 3).\n\nLine 1, with the lines around it:\none\ntwo\n\nLine 3, with the lines around it:\ntwo\none\n\n" +
			"For one of them, add lines before or after it to old_text, so that it is found only once. For all of them, make the same call with replace_all true."},
		{change("a.go", "two", "two"), "old_text and new_text are the same: nothing would change."},
		{change("a.go", "", "x"), `old_text is empty: copy the text to replace from "a.go", or use write_file for the whole file.`},
		{change("a.go", "twoo", "x"), "old_text is not in the file. The closest text is:\n\nLine 2:\ntwo\n\nCopy old_text exactly from the file.\n\n" +
			"Or write all of \"a.go\" again with write_file. It is now:\n\none\ntwo\none"},
		{change("b.go", "x", "y"), `There is no file "b.go". Near: "a.go".`},
		{change("bin", "x", "y"), `"bin" is not a text file (1 bytes).`},
		{change(".", "x", "y"), `"." is a folder, not a file.`},
	} {
		if r := b.do("edit_file", tt.args); r.Text() != tt.want || !r.Failed {
			t.Errorf("%v: %+v", tt.args, r)
		}
	}
	if got := b.onDisk("a.go"); got != "one\ntwo\none\n" {
		t.Errorf("changed: %q", got)
	}
}

func TestEditOfEveryPlace(t *testing.T) {
	text := "package a\n\n// Helo\nfunc Helo() {}\n\nvar _ = Helo // Helo\n"
	b := newBench(t, map[string]string{"a.go": text})
	b.do("read_file", args("path", "a.go"))
	all := args("path", "a.go", "old_text", "Helo", "new_text", "Hello", "replace_all", "true")
	p := b.prepare("edit_file", all)
	b.contains(p.Preview, "-// Helo\n", "-func Helo() {}\n", "+var _ = Hello // Hello\n")

	// S06: a place that was not there when the question was asked is not changed.
	b.write("a.go", text+"Helo\n")
	if _, err := b.d.Execute(t.Context(), p.Approved(), nil); !errors.Is(err, tools.ErrChanged) {
		t.Errorf("another place: %v", err)
	}
	b.write("a.go", "above\n\n"+text) // elsewhere
	r, err := b.d.Execute(t.Context(), p.Approved(), nil)
	if err != nil || r.Text() != `Changed "a.go" at 4 places, lines 5, 6, 8, 8 (+3 -3 lines).` {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := b.onDisk("a.go"); got != "above\n\n"+strings.ReplaceAll(text, "Helo", "Hello") {
		t.Errorf("got %q", got)
	}
	b.write("a.go", b.onDisk("a.go")+"typed\n")
	if err := tools.UndoEdit(t.Context(), b.ws, b.reads, *r.Undo); err != nil || b.onDisk("a.go") != "above\n\n"+text+"typed\n" {
		t.Errorf("undone: %v, %q", err, b.onDisk("a.go"))
	}
	b.do("edit_file", all)
	b.write("a.go", strings.Replace(b.onDisk("a.go"), "func Hello", "func Mine", 1))
	was := b.onDisk("a.go")
	if err := tools.UndoEdit(t.Context(), b.ws, b.reads, *r.Undo); !errors.Is(err, edit.ErrGone) || b.onDisk("a.go") != was {
		t.Errorf("one place changed since: %v, %q", err, b.onDisk("a.go"))
	}
}

func TestEditOfVeryManyPlaces(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": strings.Repeat("x\ny\n", 500)})
	b.do("read_file", args("path", "a.txt"))
	r := b.do("edit_file", args("path", "a.txt", "old_text", "x", "new_text", "", "replace_all", true))
	if b.onDisk("a.txt") != strings.Repeat("y\n", 500) {
		t.Errorf("%+v", r)
	}
	b.contains(r.Text(), `Changed "a.txt" at 500 places, lines 1, 3, 5, 7, 9, 11, 13, 15, 17, 19 and 490 more (`)
	if err := tools.UndoEdit(t.Context(), b.ws, b.reads, *r.Undo); err != nil || b.onDisk("a.txt") != strings.Repeat("x\ny\n", 500) {
		t.Errorf("undone: %v", err)
	}
}

// What an edit that failed offers: to write the file again if it is short.
func TestOnlyAShortFileIsOfferedWhole(t *testing.T) {
	b := newBench(t, map[string]string{"59.txt": numbered(59), "60.txt": numbered(60), "wide.txt": strings.Repeat("x", 9000), ".env": "KEY=canary\nKEY=canary\n"})
	for name, offers := range map[string]bool{"59.txt": true, "60.txt": false, "wide.txt": false, ".env": false} {
		b.do("read_file", args("path", name))
		text := b.do("edit_file", change(name, "lime 7", "x")).Text()
		if strings.Contains(text, "again with write_file") != offers || strings.Contains(text, "line 1\n") != offers {
			t.Errorf("%s: %s", name, text)
		}
	}
	// The places of a text are numbers alone in a protected file.
	want := "old_text occurs 2 times (lines 1, 2). For one of them, add lines before or after it to old_text, so that it is found only once. For all of them, make the same call with replace_all true."
	if got := b.do("edit_file", change(".env", "KEY=canary", "x")).Text(); got != want {
		t.Errorf("got %q", got)
	}
}

func TestEditSaysWhereItWasLoose(t *testing.T) {
	b := newBench(t, map[string]string{"a.py": "class A:\n\tdef f():\n\t\treturn 1\n"})
	b.do("read_file", args("path", "a.py"))
	loose := change("a.py", "def f():\n    return 1", "def f():\n    return 2")
	b.contains(b.prepare("edit_file", loose).Preview, "-\t\treturn 1\n+\t\treturn 2\n", "The text in the file differs from old_text: other indentation.")
	if r := b.do("edit_file", loose); r.Text() != `Changed "a.py" at line 2 (+1 -1 lines). The text in the file differs from old_text: other indentation.` {
		t.Errorf("%+v", r)
	}
}

func TestEditKeepsCRLFAndShowsWhatIsLoose(t *testing.T) {
	b := newBench(t, map[string]string{"dos.txt": "a \r\nb\r\nc\r\n"})
	b.do("read_file", args("path", "dos.txt"))
	p := b.prepare("edit_file", change("dos.txt", "1\ta\n2\tb", "x\ny\nz"))
	b.contains(p.Preview, "-a \n-b\n+x\n+y\n+z\n c\n", "without line numbers")
	b.do("edit_file", change("dos.txt", "1\ta\n2\tb", "x\ny\nz"))
	if got := b.onDisk("dos.txt"); got != "x\r\ny\r\nz\r\nc\r\n" {
		t.Errorf("got %q", got)
	}
}

func TestEditInABuffer(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "Helo\n"})
	abs := b.ws.Root() + "/a.txt"
	b.buffers.text[abs] = "typed\nHelo\n"
	b.reads.MarkRead(abs, "Helo\n") // attached before the typing
	b.do("edit_file", change("a.txt", "Helo", "Hello"))
	if b.buffers.text[abs] != "typed\nHello\n" || b.onDisk("a.txt") != "Helo\n" {
		t.Errorf("buffer %q, disk %q", b.buffers.text[abs], b.onDisk("a.txt"))
	}

	// A command waits for the buffer to be saved, or runs on the files on disk and says so.
	p := b.prepare("run_command", args("command", "cat a.txt")).Approved()
	if p.Waits != "Unsaved changes by Assent in a.txt: save them, or run on the files on disk." || !p.CanRunAnyway {
		t.Fatalf("waits: %q", p.Waits)
	}
	if _, err := b.d.Execute(t.Context(), p, nil); err == nil {
		t.Fatal("it did not wait")
	}
	r, err := b.d.Execute(t.Context(), p.Anyway(), nil)
	if err != nil || r.Text() != "[Ran on the files on disk: the changes in a.txt are not saved.]\nHelo\n[Exit status 0.]" {
		t.Errorf("%q, %v", r.Text(), err)
	}
	p = b.prepare("run_command", args("command", "cat a.txt")).Approved()
	b.write("a.txt", b.buffers.text[abs])
	clear(b.buffers.unsaved)
	r, err = b.d.Execute(t.Context(), p, nil)
	if err != nil || r.Text() != "typed\nHello\n[Exit status 0.]" {
		t.Errorf("after the save: %q, %v", r.Text(), err)
	}
}

func TestEditOfAFileThatChanged(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "one\n"})
	b.do("read_file", args("path", "a.txt"))
	b.write("a.txt", "two\n")
	if r := b.do("edit_file", change("a.txt", "one", "1")); !r.Failed ||
		r.Text() != "Nothing was changed: \"a.txt\" changed since it was read, and old_text is not in it. Here it is now:\n\ntwo" {
		t.Errorf("%+v", r)
	}
	if r := b.do("edit_file", change("a.txt", "two", "2")); r.Failed {
		t.Errorf("%+v", r)
	}
}

func TestWrite(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "old\r\ntext\r\n", "src/x": ""})
	write := func(path, content string) map[string]any { return args("path", path, "content", content) }

	p := b.prepare("write_file", write("new/b.txt", "hi\n"))
	if p.Target != "new/b.txt (new)" || p.Decision.Verdict != policy.Ask {
		t.Fatalf("%+v", p)
	}
	b.contains(p.Preview, "A new file.\n", "+hi\n")
	r := b.do("write_file", write("new/b.txt", "hi\n"))
	if r.Failed || b.onDisk("new/b.txt") != "hi\n" || !r.Undo.Files[0].Created {
		t.Fatalf("%+v", r)
	}
	if r := b.do("write_file", write("/src/y", "hi")); r.Failed || b.onDisk("src/y") != "hi" {
		t.Errorf("%+v", r)
	}
	if r := b.do("write_file", write("new/b.txt", "hi\n")); r.Failed || r.Text() != `"new/b.txt" has this content already: nothing was changed.` {
		t.Errorf("%+v", r)
	}
	if r := b.do("write_file", write("a.txt", "new\n")); !r.Failed || b.onDisk("a.txt") != "old\r\ntext\r\n" {
		t.Errorf("unread: %+v", r)
	}
	r = b.do("write_file", write("a.txt", "new\ntext\n"))
	if r.Failed || b.onDisk("a.txt") != "new\r\ntext\r\n" {
		t.Errorf("%+v, %q", r, b.onDisk("a.txt"))
	}
	if err := tools.UndoEdit(t.Context(), b.ws, b.reads, *r.Undo); err != nil || b.onDisk("a.txt") != "old\r\ntext\r\n" {
		t.Errorf("%v, %q", err, b.onDisk("a.txt"))
	}
	b.write("a.txt", "by somebody else\n")
	if r := b.do("write_file", write("a.txt", "x")); !r.Failed || !strings.Contains(r.Text(), "changed since it was read") {
		t.Errorf("%+v", r)
	}
	for _, path := range []string{"", "dir/", "src"} {
		if r := b.do("write_file", write(path, "x")); !r.Failed {
			t.Errorf("%q: %+v", path, r)
		}
	}
}

// S03, S05: what is protected asks with a sentence of its own, whatever was granted; what is denied never runs.
func TestProtectedAndDenied(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "x\n", ".git/config": "x\n", "old.chat.md": "x\n"})
	if err := os.Symlink(".git/config", filepath.Join(b.dir, "link")); err != nil {
		t.Fatal(err)
	}
	ok := b.prepare("write_file", args("path", "new.txt", "content", "x"))
	if _, err := b.policy.Accept(ok.Decision.Offers[0], "test"); err != nil {
		t.Fatal(err)
	}
	if p := b.prepare("write_file", args("path", "new2.txt", "content", "x")); p.Decision.Verdict != policy.Run {
		t.Fatalf("the grant does not work: %+v", p.Decision)
	}
	for _, path := range []string{".git/hooks/pre-commit", ".GIT/x", "./a/../.git/x", ".vscode/tasks.json", ".envrc", "new.chat.md", "sub/NEW.Chat.MD", ".assent/grants", "/.assent/x"} {
		p := b.prepare("write_file", args("path", path, "content", "x"))
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
		}{{"read_file", args("path", path)}, {"search_files", args("pattern", "x", "path", path)}} {
			if p := b.prepare(c.tool, c.args); p.Protected == "" || p.Decision.Verdict != policy.Ask {
				t.Errorf("%s %s: %+v", c.tool, path, p)
			}
		}
		// An edit must not tell the content without a question.
		for _, c := range []tools.Prepared{
			b.prepare("edit_file", change(path, "y", "z")),
			b.prepare("write_file", args("path", path, "content", "y")),
		} {
			if c.Answered == nil || !strings.Contains(c.Answered.Text(), "read_file first") {
				t.Errorf("%s: %+v", path, c.Answered)
			}
		}
	}
	b.forbid(ok)
	for _, path := range []string{"new3.txt", ".git/hooks/pre-commit"} { // what was granted and what is protected, too
		if r := b.do("write_file", args("path", path, "content", "x")); !r.Failed || !strings.HasPrefix(r.Text(), "Refused: You denied write_file in this chat") {
			t.Errorf("%+v", r)
		}
	}
}

// S06: whatever changes after the question voids the approval, and nothing is done.
// A file that a tool runs by itself is asked about as every other one, and the question says what follows.
func TestTheQuestionNamesWhatRunsByItself(t *testing.T) {
	b := newBench(t, map[string]string{"Makefile": "all:\n", "a.txt": "all:\n"})
	for _, name := range []string{"Makefile", "a.txt"} {
		b.do("read_file", args("path", name))
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
		p := b.prepare(tt.tool, args("path", tt.path, "old_text", "all:", "new_text", "all: x", "content", "all: x\n"))
		if tt.tool == "read_file" {
			p = b.prepare(tt.tool, args("path", tt.path))
		}
		if p.Notice != tt.notice || p.Protected != "" || tt.tool != "read_file" && len(p.Decision.Offers) == 0 {
			t.Errorf("%s %s: notice %q, protected %q, %+v", tt.tool, tt.path, p.Notice, p.Protected, p.Decision)
		}
	}
}

func TestApprovalIsBound(t *testing.T) {
	files := map[string]string{"a.txt": "top\n\n\nup\nHelo\ndown\n\n\nend\n", "b.txt": "b\n"}
	for _, tt := range []struct {
		name   string
		tool   string
		args   map[string]any
		during func(b *bench)
		runs   bool
	}{
		{"typing elsewhere", "edit_file", change("a.txt", "Helo", "Hello"), func(b *bench) { b.write("a.txt", "more\n"+files["a.txt"]) }, true},
		{"an edit elsewhere", "edit_file", change("a.txt", "Helo", "Hello"), func(b *bench) { b.do("edit_file", change("a.txt", "end", "END")) }, true},
		{"its line", "edit_file", change("a.txt", "Helo", "Hello"), func(b *bench) { b.write("a.txt", "up\nnot Helo\ndown\n") }, false},
		{"its place", "edit_file", change("a.txt", "Helo", "Hello"), func(b *bench) { b.write("a.txt", "else\nHelo\nwhere\n") }, false},
		{"twice now", "edit_file", change("a.txt", "Helo", "Hello"), func(b *bench) { b.write("a.txt", files["a.txt"]+"Helo\n") }, false},
		{"gone", "edit_file", change("a.txt", "Helo", "Hello"), func(b *bench) { _ = os.Remove(filepath.Join(b.dir, "a.txt")) }, false},
		{"a link instead", "edit_file", change("a.txt", "Helo", "Hello"), func(b *bench) {
			_ = os.Rename(filepath.Join(b.dir, "a.txt"), filepath.Join(b.dir, "c.txt"))
			_ = os.Symlink("c.txt", filepath.Join(b.dir, "a.txt"))
			b.do("read_file", args("path", "c.txt"))
		}, false},
		{"whole file", "write_file", args("path", "a.txt", "content", files["a.txt"]+"new\n"), func(b *bench) { b.write("a.txt", files["a.txt"]+"typed\n") }, false},
		{"exists now", "write_file", args("path", "new.txt", "content", "new\n"), func(b *bench) { b.write("new.txt", "mine\n") }, false},
		{"denied", "write_file", args("path", "new.txt", "content", "new\n"), func(b *bench) { b.forbid(b.prepare("write_file", args("path", "other.txt", "content", "x"))) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, files)
			b.do("read_file", args("path", "a.txt"))
			p := b.prepare(tt.tool, tt.args)
			if p.Decision.Verdict != policy.Ask {
				t.Fatalf("%+v", p)
			}
			tt.during(b)
			before := snapshot(b)
			_, err := b.d.Execute(t.Context(), p.Approved(), nil)
			if (err == nil) != tt.runs {
				t.Errorf("error %v", err)
			}
			if changed := cmp.Diff(before, snapshot(b)) != ""; changed != tt.runs {
				t.Errorf("changed %v", changed)
			}
		})
	}
}

func snapshot(b *bench) map[string]string {
	files := map[string]string{}
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range entries {
		files[e.Name()] = b.onDisk(e.Name())
	}
	return files
}

// TestProtectedTextIsInNoError: without a read of the present text that was agreed to, no answer depends on the text of
// a protected file; after one, no error repeats it.
func TestProtectedTextIsInNoError(t *testing.T) {
	b := newBench(t, map[string]string{".env": "KEY=canary\n"})
	abs := b.ws.Root() + "/.env"
	calls := map[string]map[string]any{
		"right place":  change(".env", "KEY=canary", "KEY=x"),
		"near place":   change(".env", "KEY=canarx", "KEY=x"),
		"done already": change(".env", "KEY=old", "canary"),
		"right text":   args("path", ".env", "content", "KEY=canary\n"),
		"other text":   args("path", ".env", "content", "KEY=x\n"),
	}
	tool := func(call map[string]any) string {
		if call["content"] != nil {
			return "write_file"
		}
		return "edit_file"
	}
	for _, seen := range []string{"", "KEY=guess\n", "KEY=canary"} {
		if seen != "" {
			b.reads.MarkRead(abs, seen) // it has changed since
		}
		for name, call := range calls {
			p := b.prepare(tool(call), call)
			if p.Answered == nil || p.Answered.Text() != `".env" was not read, or changed since: use read_file first.` {
				t.Errorf("%s, having seen %q: %+v", name, seen, p.Answered)
			}
		}
	}
	p := b.prepare("read_file", args("path", ".env"))
	if r, err := b.d.Execute(t.Context(), p.Approved(), nil); err != nil || r.Text() != "KEY=canary" {
		t.Fatal(r, err)
	}
	for name, asks := range map[string]bool{"right place": true, "near place": false, "done already": false, "right text": false, "other text": true} {
		p := b.prepare(tool(calls[name]), calls[name])
		if (p.Answered == nil) != asks {
			t.Errorf("%s, read: %+v", name, p.Answered)
		}
		if p.Answered != nil && strings.Contains(p.Answered.Text(), "canary") {
			t.Errorf("%s tells the text: %s", name, p.Answered.Text())
		}
	}
	b.do("edit_file", change(".env", "canary", "kept"))
	if p := b.prepare("edit_file", change(".env", "kept", "again")); p.Answered != nil {
		t.Errorf("what an edit of its own left counts as unread: %+v", p.Answered)
	}
}

// TestWhatOthersChangedIsNotKnown: neither an edit elsewhere in the file nor taking one back makes it so. It is not
// written over unseen.
func TestWhatOthersChangedIsNotKnown(t *testing.T) {
	for _, taken := range []bool{false, true} {
		b := newBench(t, map[string]string{"a.txt": "one\ntwo\n"})
		b.do("read_file", args("path", "a.txt"))
		if !taken {
			b.write("a.txt", "one\ntwo\ntheirs\n")
		}
		r := b.do("edit_file", change("a.txt", "one", "1"))
		if r.Failed {
			t.Fatal(r.Text())
		}
		if taken {
			b.write("a.txt", "1\ntwo\ntheirs\n")
			if err := tools.UndoEdit(t.Context(), b.ws, b.reads, *r.Undo); err != nil {
				t.Fatal(err)
			}
		}
		if r := b.do("write_file", args("path", "a.txt", "content", "1\n2\n")); !r.Failed || !strings.Contains(r.Text(), "theirs") {
			t.Errorf("taken back %t: %s; now %q", taken, r.Text(), b.onDisk("a.txt"))
		}
	}
}

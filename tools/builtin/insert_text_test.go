package builtin_test

import (
	"errors"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/toolstest"
)

func TestInsert(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		args       map[string]any
		want, says string
	}{
		{"after a line", "a\nb\nc\n", toolstest.Args("after", "b", "text", "x"), "a\nb\nx\nc\n", `Inserted into "f.txt" at line 3 (+1 -0 lines).`},
		{"after a part of a line", "one two\nthree\n", toolstest.Args("after", "two", "text", "x\ny\n"), "one two\nx\ny\nthree\n", `Inserted into "f.txt" at line 2 (+2 -0 lines).`},
		{"after several lines", "a\nb\nc\n", toolstest.Args("after", "a\nb\n", "text", "x"), "a\nb\nx\nc\n", ""},
		{"before a line", "a\nb\nc\n", toolstest.Args("before", "b", "text", "x\n"), "a\nx\nb\nc\n", `Inserted into "f.txt" at line 2 (+1 -0 lines).`},
		{"before the first line", "a\nb\n", toolstest.Args("before", "a", "text", "x"), "x\na\nb\n", ""},
		{"at the end", "a\nb\n", toolstest.Args("at_end", "true", "text", "x"), "a\nb\nx\n", `Inserted into "f.txt" at line 3 (+1 -0 lines).`},
		{"at the end, without a line end", "a\nb", toolstest.Args("at_end", true, "text", "x"), "a\nb\nx\n", ""},
		{"after the last line, without a line end", "a\r\nb", toolstest.Args("after", "b", "text", "x\ny"), "a\r\nb\r\nx\r\ny\r\n", ""},
		{"into an empty file", "", toolstest.Args("at_end", true, "text", "x"), "x\n", `Inserted into "f.txt" at line 1 (+1 -0 lines).`},
		{"a blank line", "a\nb\n", toolstest.Args("after", "a", "text", "\n", "before", "", "at_end", false), "a\n\nb\n", ""},
		{"CRLF", "a\r\nb\r\n", toolstest.Args("after", "a", "text", "x\ny"), "a\r\nx\r\ny\r\nb\r\n", ""},
		{"loose", "\tone {\n\t\ttwo\n", toolstest.Args("after", "  one {\n    two", "text", "x"), "\tone {\n\t\ttwo\nx\n", `Inserted into "f.txt" at line 3 (+1 -0 lines). The text in the file differs from "after": other indentation.`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := toolstest.NewBench(t, map[string]string{"f.txt": tt.file})
			tt.args["path"] = "f.txt"
			if r := b.Do("insert_text", tt.args); !r.Failed || !r.Retry || b.OnDisk("f.txt") != tt.file {
				t.Fatalf("a file that was not read: %+v", r)
			}
			r := b.Do("insert_text", tt.args)
			if got := b.OnDisk("f.txt"); r.Failed || got != tt.want || tt.says != "" && r.Text() != tt.says {
				t.Fatalf("%+v, %q", r, got)
			}
			if again := b.Do("insert_text", tt.args); tt.args["text"] != "\n" && (again.Failed || b.OnDisk("f.txt") != tt.want) {
				t.Errorf("made again: %+v, %q", again, b.OnDisk("f.txt"))
			}
			b.Write("f.txt", tt.want)
			if err := tools.UndoEdit(t.Context(), b.Workspace, b.Reads, *r.Undo); err != nil || b.OnDisk("f.txt") != tt.file {
				t.Errorf("undone: %v, %q", err, b.OnDisk("f.txt"))
			}
		})
	}
}

func TestInsertErrors(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.txt": "one\ntwo\none\n", ".env": "KEY=canary\nKEY=canary\n"})
	b.Do("read_file", toolstest.Args("path", "a.txt"))
	b.Do("read_file", toolstest.Args("path", ".env"))
	const where = `say where with one argument: "after" or "before" with a text of the file, or at_end true.`
	for _, tt := range []struct {
		args map[string]any
		want string
	}{
		{toolstest.Args("path", "a.txt", "text", "x"), "Say" + where[3:]},
		{toolstest.Args("path", "a.txt", "text", "x", "after", "one", "at_end", true), "Say" + where[3:]},
		{toolstest.Args("path", "a.txt", "text", "", "after", "one"), "Text is empty: nothing would be inserted."},
		{
			toolstest.Args("path", "a.txt", "text", "x", "after", "one"),
			"\"after\" occurs 2 times (lines 1, 3).\n\nLine 1, with the lines around it:\none\ntwo\n\nLine 3, with the lines around it:\ntwo\none\n\n" +
				"For one of them, add lines before or after it to \"after\", so that it is found only once.",
		},
		{
			toolstest.Args("path", "a.txt", "text", "x", "before", "twoo"),
			"\"before\" is not in the file. The closest text is:\n\nLine 2:\ntwo\n\nCopy \"before\" exactly from the file.\n\n" +
				"Or write all of \"a.txt\" again with write_file. It is now:\n\none\ntwo\none",
		},
		{toolstest.Args("path", ".env", "text", "x", "after", "KEY=canarx"), `"after" is not in ".env": copy it exactly from what read_file shows.`},
		{toolstest.Args("path", ".env", "text", "x", "after", "KEY=canary"), `"after" occurs 2 times (lines 1, 2). For one of them, add lines before or after it to "after", so that it is found only once.`},
		{toolstest.Args("path", "a.txt", "text", "x", "at_end", "maybe"), `The argument "at_end" must be true or false. The schema of insert_text is {"type":"object","properties":{"path":{"type":"string"},"text":{"type":"string"},"after":{"type":"string"},"before":{"type":"string"},"at_end":{"type":"boolean"}},"required":["path","text"]}`},
	} {
		if r := b.Do("insert_text", tt.args); r.Text() != tt.want || !r.Failed {
			t.Errorf("%v: %+v", tt.args, r)
		}
	}
}

// S06: an insertion is bound to its place.
func TestAnInsertionIsBoundToItsPlace(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.txt": "top\none\ntwo\nend\n"})
	b.Do("read_file", toolstest.Args("path", "a.txt"))
	p := b.Prepare("insert_text", toolstest.Args("path", "a.txt", "text", "x", "after", "one"))
	b.Write("a.txt", "top\none\n2\nend\n")
	if _, err := b.Dispatcher.Execute(t.Context(), p.Approved(), nil); !errors.Is(err, tools.ErrChanged) {
		t.Errorf("the line below changed: %v", err)
	}
	b.Write("a.txt", "new\ntop\none\ntwo\nend\n")
	if _, err := b.Dispatcher.Execute(t.Context(), p.Approved(), nil); err != nil || b.OnDisk("a.txt") != "new\ntop\none\nx\ntwo\nend\n" {
		t.Errorf("changed elsewhere: %v, %q", err, b.OnDisk("a.txt"))
	}
}

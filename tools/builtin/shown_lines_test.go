package builtin_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/toolstest"
)

// shownLines is a chat to which some lines of a file were attached, with these line ends.
func shownLines(t *testing.T, eol string) *toolstest.Bench {
	t.Helper()
	b := toolstest.NewBench(t, map[string]string{"a.go": strings.ReplaceAll("package a\n\nfunc f() {\n\treturn\n}\n\nfunc g() {\n\treturn\n}\n", "\n", eol)})
	b.Reads.MarkShown(b.Workspace.Root()+"/a.go", strings.ReplaceAll("func f() {\n\treturn\n}\n", "\n", eol))
	return b
}

var editOfG = toolstest.Change("a.go", "func g() {", "func g() int {")

// TestShownLinesMayBeEdited at once. The file does not count as read by it, neither before the edit nor after it.
func TestShownLinesMayBeEdited(t *testing.T) {
	for _, eol := range []string{"\n", "\r\n"} {
		for _, c := range []struct {
			tool      string
			arguments map[string]any
		}{
			{"edit_file", toolstest.Change("a.go", "func f() {", "func f() int {")},
			{"edit_file", toolstest.Change("a.go", "func f() {\n\treturn\n}", "")},
			{"insert_text", toolstest.Args("path", "a.go", "after", "func f() {", "text", "\t// It does nothing.")},
			{"edit_files", toolstest.Several(toolstest.Change("a.go", "func f() {", "func h() {"), toolstest.Change("a.go", "func h() {\n\treturn", "func h() {\n\tpanic(1)"))},
		} {
			b := shownLines(t, eol)
			if r := b.Do(c.tool, c.arguments); r.Failed {
				t.Errorf("%s %v: %s", c.tool, c.arguments, r.Text())
			}
			if p := b.Prepare("edit_file", editOfG); p.Answered == nil || !p.Answered.Retry {
				t.Errorf("%s %v: the rest counts as read", c.tool, c.arguments)
			}
		}
	}
}

// TestWhatAModelWroteItselfItKnows, and what is there again once that is taken back.
func TestWhatAModelWroteItselfItKnows(t *testing.T) {
	b := shownLines(t, "\n")
	first := b.Do("edit_file", toolstest.Change("a.go", "func f() {", "func f() int {"))
	if p := b.Prepare("edit_file", toolstest.Change("a.go", "f() int {", "f() string {")); p.Answered != nil {
		t.Error(p.Answered.Text())
	}
	if err := tools.UndoEdit(t.Context(), b.Workspace, b.Reads, *first.Undo); err != nil {
		t.Fatal(err)
	}
	if p := b.Prepare("edit_file", toolstest.Change("a.go", "func f() {", "func h() {")); p.Answered != nil {
		t.Error(p.Answered.Text())
	}
	if p := b.Prepare("edit_file", editOfG); p.Answered == nil {
		t.Error("the rest counts as read")
	}
}

// TestOtherLinesAreShownFirst: those that were not shown, and those that are others now.
func TestOtherLinesAreShownFirst(t *testing.T) {
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		now       string // what the file has meanwhile; empty: the same
	}{
		{"edit_file", editOfG, ""},
		{"edit_file", toolstest.Change("a.go", "}\n\nfunc g", "}\n\n\nfunc g"), ""},
		{"edit_file", toolstest.Args("path", "a.go", "old_text", "return", "new_text", "panic(1)", "replace_all", true), ""},
		{"insert_text", toolstest.Args("path", "a.go", "after", "func g() {", "text", "\t// It does nothing."), ""},
		{"insert_text", toolstest.Args("path", "a.go", "at_end", true, "text", "// The end."), ""},
		{"edit_files", toolstest.Several(toolstest.Change("a.go", "func f() {", "func h() {"), editOfG), ""},
		{"edit_file", toolstest.Change("a.go", "func f() {", "func h() {"), "func f() {\n\tpanic(1)\n}\n"},
		{"edit_file", toolstest.Change("a.go", "func f() {", "func h() {"), "// func f() {\n\treturn\n}\n"},
		{"edit_file", toolstest.Change("a.go", "func f() {", "func h() {"), "func f() {\n\treturn\n} // end\n"},
	} {
		b := shownLines(t, "\n")
		if c.now != "" {
			b.Write("a.go", c.now)
		}
		p := b.Prepare(c.tool, c.arguments)
		if p.Answered == nil || !p.Answered.Retry || !strings.Contains(p.Answered.Text(), "Here ") {
			t.Errorf("%s %v: %+v", c.tool, c.arguments, p.Answered)
		}
	}
	if p := shownLines(t, "\n").Prepare("write_file", toolstest.Args("path", "a.go", "content", "package a\n")); p.Answered == nil {
		t.Error("the file is written over")
	}
}

package builtin_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/toolstest"
)

// A whole content that leaves most of a file out is not written the first time: models write only what is new, or "the
// rest as before".
func TestMostOfAFileIsNotDeletedAtOnce(t *testing.T) {
	const text = "one\ntwo\nthree\nfour\nfive\nsix\n"
	b := toolstest.NewBench(t, map[string]string{"a.txt": text, "short.txt": "one\ntwo\n"})
	b.Do("read_file", toolstest.Args("path", "a.txt"))
	b.Do("read_file", toolstest.Args("path", "short.txt"))
	for _, tt := range []struct {
		name, path, content string
		first               bool // it is written at once
	}{
		{"a part", "a.txt", "one\n// the rest as before\n", false},
		{"one line more", "a.txt", text + "seven\n", true},
		{"two lines less", "a.txt", "one\ntwo\nthree\nfour\n", true},
		{"other blanks", "a.txt", "  one\n\ttwo\n three\nfour\nfive\n six\n", true},
		{"a short file", "short.txt", "three\n", true},
	} {
		p := b.Prepare("write_file", toolstest.Args("path", tt.path, "content", tt.content))
		if held := p.Answered != nil && p.Answered.Failed && strings.Contains(p.Answered.Text(), "would delete most"); held == tt.first {
			t.Errorf("%s: %+v", tt.name, p.Answered)
		}
	}
	if p := b.Prepare("write_file", toolstest.Args("path", "a.txt", "content", "one\n// the rest as before\n")); p.Answered != nil {
		t.Errorf("the same call again: %s", p.Answered.Text())
	}
	if p := b.Prepare("write_file", toolstest.Args("path", "a.txt", "content", "quite\nother\n")); p.Answered == nil {
		t.Error("another call that deletes most is written at once")
	}
}

// What Assent keeps in a folder is not listed as the user's, and the folders are counted.
func TestOwnFolderIsNotListed(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{".assent/prompt.md": "x", "src/a.go": "x", "docs/b.md": "x", "c.txt": "x"})
	if got := b.Do("list_directory", toolstest.Args("path", ".")); got.Text() != "[2 folders, then 1 file]\ndocs/\nsrc/\nc.txt" {
		t.Errorf("%q", got.Text())
	}
}

package builtin_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/toolstest"
)

// A byte order mark, as editors of Windows write it, is not shown, and an edit of the first line keeps it.
func TestByteOrderMark(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.txt": "\ufeffone\r\ntwo\r\n"})
	if got := b.Do("read_file", toolstest.Args("path", "a.txt")); got.Text() != "one\ntwo" {
		t.Errorf("read as %q", got.Text())
	}
	if got := b.Do("edit_file", toolstest.Args("path", "a.txt", "old_text", "one\n", "new_text", "1\n")); got.Failed {
		t.Error(got.Text())
	}
	if got := b.OnDisk("a.txt"); got != "\ufeff1\r\ntwo\r\n" {
		t.Errorf("the file is %q", got)
	}
	if got := b.Do("read_file", toolstest.Args("path", "a.txt", "start_line", 1, "end_line", 1)); strings.Contains(got.Text(), "FEFF") {
		t.Errorf("read as %q", got.Text())
	}
}

package tools_test

import (
	"strings"
	"testing"
)

// A byte order mark, as editors of Windows write it, is not shown, and an edit of the first line keeps it.
func TestByteOrderMark(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "\ufeffone\r\ntwo\r\n"})
	if got := b.do("read_file", args("path", "a.txt")); got.Text() != "one\ntwo" {
		t.Errorf("read as %q", got.Text())
	}
	if got := b.do("edit_file", args("path", "a.txt", "old_text", "one\n", "new_text", "1\n")); got.Failed {
		t.Error(got.Text())
	}
	if got := b.onDisk("a.txt"); got != "\ufeff1\r\ntwo\r\n" {
		t.Errorf("the file is %q", got)
	}
	if got := b.do("read_file", args("path", "a.txt", "start_line", 1, "end_line", 1)); strings.Contains(got.Text(), "FEFF") {
		t.Errorf("read as %q", got.Text())
	}
}

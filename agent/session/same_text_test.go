package session

import (
	"testing"

	"github.com/assent-ls/assent/tools/workspace"
)

// A chat that was opened again knows a file that it shows, however its hidden characters and line ends are shown.
func TestSameText(t *testing.T) {
	for _, row := range []struct {
		file, shown string
		same        bool
	}{
		{"one\ntwo\n", "one\ntwo", true},
		{"\ufeffone\r\ntwo\u200b\r\n", "one\ntwo<U+200B>", true},
		{"one\u200b", "one", false},
		{"one<U+200B>", "one\u200b", false},
		{"one", "one\ntwo", false},
	} {
		if got := sameText(workspace.File{Text: row.file}, row.shown); got != row.same {
			t.Errorf("%q shown as %q: %v", row.file, row.shown, got)
		}
	}
}

package ledger_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/workspace"
)

// TestWhatAnEditorShowsDifferently: an editor leaves out a byte order mark, adds the last line end, and may show all
// line ends alike. That is nobody's change.
func TestWhatAnEditorShowsDifferently(t *testing.T) {
	for _, test := range []struct{ name, before, after, shown, rejected string }{
		{"mark", "\ufeffone\ntwo\n", "\ufeffONE\ntwo\n", "ONE\ntwo\n", "one\ntwo\n"},
		{"no mark", "one\ntwo\n", "ONE\ntwo\n", "\ufeffONE\ntwo\n", "\ufeffone\ntwo\n"},
		{"last line", "one\ntwo", "one\nTWO", "one\nTWO\n", "one\ntwo\n"},
		{"last line of CRLF", "one\r\ntwo", "one\r\nTWO", "one\r\nTWO\r\n", "one\r\ntwo\r\n"},
		{"CRLF", "one\r\ntwo\r\n", "one\r\nTWO\r\n", "one\nTWO\n", "one\ntwo\n"},
		{"LF", "one\ntwo\n", "one\nTWO\n", "one\r\nTWO\r\n", "one\r\ntwo\r\n"},
		{"mixed", "one\r\ntwo\nthree\n", "one\r\nTWO\nthree\n", "one\r\nTWO\r\nthree\r\n", "one\r\ntwo\r\nthree\r\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := &editor{}
			l, path := changed(t, e, test.before, test.after)
			e.path, e.text = path, test.shown
			hunks, err := l.Hunks(t.Context(), path)
			if err != nil || len(hunks) != 1 || hunks[0].Edited {
				t.Fatalf("%+v, %v", hunks, err)
			}
			turn := ledger.Turn{Chat: chat, ID: "1"}
			must(t, l.UndoTurn(t.Context(), turn))
			if e.text != test.rejected {
				t.Errorf("undone: %q", e.text)
			}
			must(t, l.RedoTurn(t.Context(), turn))
			if e.text != test.shown {
				t.Errorf("done again: %q", e.text)
			}
			_, err = l.Reject(t.Context(), path, hunks[0].ID, "")
			must(t, err)
			if e.text != test.rejected {
				t.Errorf("rejected: %q", e.text)
			}
		})
	}
}

// TestBytesThatNoEditorCanTake stay out of a buffer: it would hold other ones.
func TestBytesThatNoEditorCanTake(t *testing.T) {
	e := &editor{}
	l, path := changed(t, e, "one\n\xff\xfe\nthree\n", "one\nthree\n")
	e.path, e.text = path, "one\nthree\n"
	err := l.UndoTurn(t.Context(), ledger.Turn{Chat: chat, ID: "1"})
	if err == nil || !strings.Contains(err.Error(), "close the file there first") || e.text != "one\nthree\n" {
		t.Errorf("%v; the buffer holds %q", err, e.text)
	}
	e.path = ""
	must(t, l.UndoTurn(t.Context(), ledger.Turn{Chat: chat, ID: "1"}))
	holds(t, path, "one\n\xff\xfe\nthree\n")
}

// TestAMadeFileThatAnEditorShowsDifferently can be rejected, too.
func TestAMadeFileThatAnEditorShowsDifferently(t *testing.T) {
	for _, test := range []struct{ made, disk, shown string }{
		{"TWO", "TWO\n", "TWO"}, // an editor that ended the last line when it saved, and does not say so
		{"TWO", "TWO", "TWO\n"},
		{"\ufeffTWO\n", "\ufeffTWO\n", "TWO\n"},
		{"one\r\ntwo\n", "one\r\ntwo\n", "one\r\ntwo\r\n"},
	} {
		e := &editor{}
		l, path := changedFrom(t, e, nil, test.made)
		write(t, path, test.disk)
		e.path, e.text = path, test.shown
		hunks, err := l.Hunks(t.Context(), path)
		if err != nil || len(hunks) != 1 || hunks[0].Edited {
			t.Fatalf("%+v, %v", hunks, err)
		}
		_, err = l.Reject(t.Context(), path, hunks[0].ID, "")
		must(t, err)
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%q is there still: %v", path, err)
		}
	}
}

// TestADiffShowsLineEndsWhereTheyDiffer: nobody can read a diff with a mark on each line.
func TestADiffShowsLineEndsWhereTheyDiffer(t *testing.T) {
	for _, test := range []struct{ before, after, want string }{
		{"one\r\ntwo\r\n", "one\r\nTWO\r\n", " one\n-two\n+TWO\n"},
		{"one\r\ntwo\r\n", "one\r\ntwo\n", " one\r\n-two\r\n+two\n"},
	} {
		l, _ := changed(t, nil, test.before, test.after)
		diff, err := l.Diff(t.Context(), ledger.Turn{Chat: chat, ID: "1"})
		if err != nil || !strings.HasSuffix(diff, test.want) {
			t.Errorf("%q, %v; want the end %q", diff, err, test.want)
		}
	}
	l, _ := changedFrom(t, nil, nil, "one\r\n")
	diff, err := l.Diff(t.Context(), ledger.Turn{Chat: chat, ID: "1"})
	if want := "a.txt: made, and waits for a decision\n"; err != nil || !strings.HasPrefix(diff, want) || !strings.HasSuffix(diff, "\n+one\n") {
		t.Errorf("%q, %v", diff, err)
	}
}

// silent is an editor that does not answer.
type silent struct{ editor }

func (*silent) Replace(context.Context, string, string, string) error { return workspace.ErrUnknown }

// TestWhatIsNotKnownIsNotDenied: nobody says that nothing was undone if the editor did not answer.
func TestWhatIsNotKnownIsNotDenied(t *testing.T) {
	e := &silent{}
	l, path := changed(t, e, "one\n", "ONE\n")
	e.path, e.text = path, "ONE\n"
	err := l.UndoTurn(t.Context(), ledger.Turn{Chat: chat, ID: "1"})
	if !errors.Is(err, workspace.ErrUnknown) || strings.Contains(err.Error(), "nothing was undone") {
		t.Errorf("got %v", err)
	}
}

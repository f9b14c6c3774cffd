package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// changed opens a workspace in which a turn changed a.txt from one text to another.
func changed(t *testing.T, b workspace.Buffers, before, after string) (l *ledger.Ledger, path string) {
	t.Helper()
	return changedFrom(t, b, &before, after)
}

// changedFrom is changed; before may be nil.
func changedFrom(t *testing.T, b workspace.Buffers, before *string, after string) (l *ledger.Ledger, path string) {
	t.Helper()
	root := t.TempDir()
	write(t, filepath.Join(root, "a.txt"), after)
	ws, err := workspace.Open(root, b)
	must(t, err)
	t.Cleanup(func() { _ = ws.Close() })
	state, err := userstate.OpenState(t.TempDir())
	must(t, err)
	l, path = ledger.Open(state, ws), filepath.Join(ws.Root(), "a.txt")
	must(t, l.Record(ledger.Turn{Chat: chat, ID: "1"}, "call_1", []ledger.Change{{Path: path, Before: before, After: &after}}))
	return l, path
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v; want %q", filepath.Base(path), got, err, want)
	}
}

// Promise 10. Invariant 26.
func TestUndoNamesTheLinesThatSomebodyChanged(t *testing.T) {
	l, path := changed(t, nil, "1\n2\n3\n4\n5\n", "1\nTWO\nTHREE\n4\n5\n")
	write(t, path, "0\n1\nTWO\nmine\n4\n5\n")
	turn := ledger.Turn{Chat: chat, ID: "1"}
	err := l.UndoTurn(t.Context(), turn)
	if !errors.Is(err, ledger.ErrEdited) || !strings.Contains(err.Error(), `lines 3 to 4 of "a.txt"`) {
		t.Errorf("undo: %v", err)
	}
	holds(t, path, "0\n1\nTWO\nmine\n4\n5\n")
	write(t, path, "0\n1\nTWO\nTHREE\n4\nmine\n")
	must(t, l.UndoTurn(t.Context(), turn))
	holds(t, path, "0\n1\n2\n3\n4\nmine\n")
	if err := l.UndoTurn(t.Context(), turn); err == nil || !strings.Contains(err.Error(), "Redo turn") {
		t.Errorf("a second undo: %v", err)
	}
	write(t, path, "0\n1\n2\n3\n4\nmine too\n")
	must(t, l.RedoTurn(t.Context(), turn))
	holds(t, path, "0\n1\nTWO\nTHREE\n4\nmine too\n")
}

// TestUndoNamesTheLaterTurn: what hinders an undo is a person's only where the turn could not be undone without the
// later ones.
func TestUndoNamesTheLaterTurn(t *testing.T) {
	for name, test := range map[string]struct{ other, now, says string }{
		"this chat":             {chat, "1\nTWICE\n3\n", "by a later turn of this chat"},
		"this chat, and mine":   {chat, "1\nTWICE\n3\nmine\n", "by a later turn of this chat"},
		"another chat":          {"/x/other.chat.md", "1\nTWICE\n3\n", `by a later turn of "other.chat.md"`},
		"somebody else":         {chat, "1\nmine\n3\n", "by somebody else"},
		"somebody else as well": {chat, "1\nTWICE mine\n3\n", "by somebody else"},
	} {
		t.Run(name, func(t *testing.T) {
			l, path := changed(t, nil, "1\n2\n3\n", "1\nTWO\n3\n")
			before, after := "1\nTWO\n3\n", "1\nTWICE\n3\n"
			must(t, l.Record(ledger.Turn{Chat: test.other, ID: "2"}, "call_2", []ledger.Change{{Path: path, Before: &before, After: &after}}))
			write(t, path, test.now)
			err := l.UndoTurn(t.Context(), ledger.Turn{Chat: chat, ID: "1"})
			if !errors.Is(err, ledger.ErrEdited) || !strings.Contains(err.Error(), `line 2 of "a.txt": changed since `+test.says) {
				t.Errorf("undo: %v", err)
			}
			holds(t, path, test.now)
		})
	}
}

func TestAnEditedHunkIsNotRejected(t *testing.T) {
	l, path := changed(t, nil, "1\n2\n3\n", "1\nTWO\n3\n")
	write(t, path, "1\nTWO and mine\n3\n")
	hunks, err := l.Hunks(t.Context(), path)
	if err != nil || len(hunks) != 1 || !hunks[0].Edited {
		t.Fatalf("%+v, %v", hunks, err)
	}
	if _, err := l.Reject(t.Context(), path, hunks[0].ID, ""); !errors.Is(err, ledger.ErrEdited) || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("reject: %v", err)
	}
	holds(t, path, "1\nTWO and mine\n3\n")
	must(t, l.Keep(t.Context(), path, hunks[0].ID))
	if hunks, err := l.Hunks(t.Context(), path); err != nil || len(hunks) != 0 {
		t.Errorf("after Keep: %+v, %v", hunks, err)
	}
	if err := l.Keep(t.Context(), path, hunks[0].ID); !errors.Is(err, ledger.ErrNoHunk) {
		t.Errorf("a second Keep: %v", err)
	}
}

// editor has one document open.
type editor struct {
	workspace.NoBuffers

	path, text string
	refuses    bool
}

func (e *editor) Text(abs string) (string, bool) { return e.text, abs == e.path }

func (e *editor) Replace(_ context.Context, _, before, after string) error {
	if e.refuses || before != e.text {
		return workspace.ErrNotApplied
	}
	e.text = after
	return nil
}

func (e *editor) Unsaved() []string { return nil }

// TestDecisionsGoThroughTheBuffer: what an editor has open is changed there, and unsaved text of its user stays.
func TestDecisionsGoThroughTheBuffer(t *testing.T) {
	e := &editor{}
	l, path := changed(t, e, "1\n2\n3\n4\n", "1\nTWO\n3\nFOUR\n")
	e.path, e.text = path, "unsaved\n1\nTWO\n3\nFOUR\n"
	hunks, err := l.Hunks(t.Context(), path)
	if err != nil || len(hunks) != 2 || hunks[0].Line != 2 {
		t.Fatalf("%+v, %v", hunks, err)
	}
	_, err = l.Reject(t.Context(), path, hunks[0].ID, "")
	must(t, err)
	if e.text != "unsaved\n1\n2\n3\nFOUR\n" {
		t.Errorf("the buffer holds %q", e.text)
	}
	must(t, l.UndoTurn(t.Context(), ledger.Turn{Chat: chat, ID: "1"}))
	if e.text != "unsaved\n1\n2\n3\n4\n" {
		t.Errorf("after Undo turn the buffer holds %q", e.text)
	}
	holds(t, path, "1\nTWO\n3\nFOUR\n")
	e.refuses = true
	if err := l.RedoTurn(t.Context(), ledger.Turn{Chat: chat, ID: "1"}); err == nil || !strings.Contains(err.Error(), "nothing was done again") {
		t.Errorf("a refused redo: %v", err)
	}
	e.refuses = false
	must(t, l.RedoTurn(t.Context(), ledger.Turn{Chat: chat, ID: "1"}))
}

// TestUndoIsAllOrNothing lets the second file of a turn fail.
// Promise 10. Invariant 26.
func TestUndoIsAllOrNothing(t *testing.T) {
	e := &editor{refuses: true}
	l, path := changed(t, e, "1\n", "ONE\n")
	before, after := "2\n", "TWO\n"
	other := filepath.Join(filepath.Dir(path), "b.txt")
	write(t, other, after)
	e.path, e.text = other, after
	turn := ledger.Turn{Chat: chat, ID: "1"}
	must(t, l.Record(turn, "call_2", []ledger.Change{{Path: other, Before: &before, After: &after}}))
	if err := l.UndoTurn(t.Context(), turn); !errors.Is(err, workspace.ErrNotApplied) {
		t.Errorf("undo: %v", err)
	}
	holds(t, path, "ONE\n")
	e.refuses = false
	must(t, l.UndoTurn(t.Context(), turn))
	holds(t, path, "1\n")
}

// takeUntold tells the model of a chat what is to be told.
func takeUntold(l *ledger.Ledger, chat string) (ledger.Untold, error) {
	u, err := l.Untold(chat)
	return u, errors.Join(err, l.Told(chat))
}

func TestTheModelIsToldOnceAndInItsOwnChat(t *testing.T) {
	l, path := changed(t, nil, "1\n2\n3\n4\n5\n", "ONE\n2\n3\n4\n5\n")
	before, after := "ONE\n2\n3\n4\n5\n", "ONE\n2\n3\n4\nFIVE\n"
	write(t, path, after)
	must(t, l.Record(ledger.Turn{Chat: "/folder/b.chat.md", ID: "1"}, "call_1", []ledger.Change{{Path: path, Before: &before, After: &after}}))
	hunks, err := l.Hunks(t.Context(), path)
	must(t, err)
	got, err := l.Reject(t.Context(), path, hunks[0].ID, "too loud")
	if err != nil || got != chat {
		t.Errorf("it was of %q, %v", got, err)
	}
	if u, err := takeUntold(l, "/folder/b.chat.md"); err != nil || len(u.Rejected) != 0 {
		t.Errorf("the other chat is told %+v, %v", u, err)
	}
	u, err := takeUntold(l, chat)
	if err != nil || len(u.Rejected) != 1 || u.Rejected[0].Why != "too loud" || u.Rejected[0].New != "ONE\n" || u.Rejected[0].Path != "a.txt" {
		t.Errorf("told %+v, %v", u, err)
	}
	if u, err := takeUntold(l, chat); err != nil || len(u.Rejected) != 0 {
		t.Errorf("told twice: %+v, %v", u, err)
	}
	turn := ledger.Turn{Chat: "/folder/b.chat.md", ID: "1"}
	must(t, l.UndoTurn(t.Context(), turn))
	must(t, l.RedoTurn(t.Context(), turn))
	if u, err := takeUntold(l, turn.Chat); err != nil || len(u.Undone)+len(u.Redone) != 0 {
		t.Errorf("undone and redone: %+v, %v", u, err)
	}
	must(t, l.UndoTurn(t.Context(), turn))
	if u, err := takeUntold(l, turn.Chat); err != nil || len(u.Undone) != 1 {
		t.Errorf("undone: %+v, %v", u, err)
	}
}

// TestTheLedgerIsBounded fills it with more turns than are kept.
func TestTheLedgerIsBounded(t *testing.T) {
	dir := t.TempDir()
	state, err := userstate.OpenState(dir)
	must(t, err)
	ws := folder(t, nil)
	l := ledger.Open(state, ws)
	var changes []ledger.Change
	text := "made\n"
	for i := range 7000 {
		changes = append(changes, ledger.Change{Path: filepath.Join(ws.Root(), fmt.Sprint("f", i)), After: &text})
	}
	for i := range 4 {
		must(t, l.Record(ledger.Turn{Chat: chat, ID: fmt.Sprint(i)}, "call", changes))
	}
	turns, err := l.Turns(chat)
	if err != nil || len(turns) != 2 || turns[0].ID != "2" {
		t.Errorf("%d turns, %v", len(turns), err)
	}
	if waiting, err := l.Waiting(); err != nil || len(waiting) != 7000 {
		t.Errorf("%d files wait, %v", len(waiting), err)
	}
}

// TestOldLedgersOfOtherWorkspacesGo, and those that are in use stay.
func TestOldLedgersOfOtherWorkspacesGo(t *testing.T) {
	dir := t.TempDir()
	state, err := userstate.OpenState(dir)
	must(t, err)
	text := "text\n"
	record := func() []string {
		ws := folder(t, nil)
		must(t, ledger.Open(state, ws).Record(ledger.Turn{Chat: chat, ID: "1"}, "call", []ledger.Change{{Path: filepath.Join(ws.Root(), "a.txt"), After: &text}}))
		kept, err := filepath.Glob(filepath.Join(dir, "changes-*.json"))
		must(t, err)
		return kept
	}
	first := record()
	if second := record(); len(second) != 2 {
		t.Errorf("%q are kept", second)
	}
	long := time.Now().Add(-31 * 24 * time.Hour)
	must(t, os.Chtimes(first[0], long, long))
	kept := record()
	folders, err := os.ReadDir(filepath.Join(dir, "changes"))
	if len(kept) != 2 || slices.Contains(kept, first[0]) || err != nil || len(folders) != 2 {
		t.Errorf("%q are kept, and %d folders: %v", kept, len(folders), err)
	}
}

// TestADamagedTextChangesNothing: a kept text that is not what it was is not written into a file.
func TestADamagedTextChangesNothing(t *testing.T) {
	dir := t.TempDir()
	state, err := userstate.OpenState(dir)
	must(t, err)
	ws := folder(t, map[string]string{"a.txt": "after\n"})
	l := ledger.Open(state, ws)
	before, after := "before\n", "after\n"
	path := filepath.Join(ws.Root(), "a.txt")
	turn := ledger.Turn{Chat: chat, ID: "1"}
	must(t, l.Record(turn, "call", []ledger.Change{{Path: path, Before: &before, After: &after}}))
	texts, err := filepath.Glob(filepath.Join(dir, "changes", "*", "*"))
	if err != nil || len(texts) != 3 { // both texts, and the index
		t.Fatalf("%v, %v", texts, err)
	}
	damage := func(which func(text string) bool) {
		for _, name := range texts {
			info, err := os.Stat(name)
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			if text, err := os.ReadFile(name); err == nil && which(string(text)) {
				must(t, os.WriteFile(name, []byte("broken\n"), 0o600))
			}
		}
	}
	damage(func(text string) bool { return text == before })
	if err := l.UndoTurn(t.Context(), turn); err == nil || !strings.Contains(err.Error(), "not kept any more") {
		t.Errorf("undo: %v", err)
	}
	damage(func(string) bool { return true })
	if turns, err := ledger.Open(state, ws).Turns(chat); err != nil || len(turns) != 0 || len(state.Problems()) != 1 {
		t.Errorf("%v, %v, %q", turns, err, state.Problems())
	}
	holds(t, path, after)
}

// A program that was deleted or moved is one again after Undo turn and Redo turn, also where an editor shows its text
// still.
func TestUndoOfADeletionKeepsTheMode(t *testing.T) {
	for _, open := range []bool{false, true} {
		e := &editor{}
		l, path := changed(t, e, "1\n", "2\n")
		other := filepath.Join(filepath.Dir(path), "moved.sh")
		text, turn := "2\n", ledger.Turn{Chat: chat, ID: "2"}
		must(t, os.Chmod(path, 0o700))
		must(t, os.Rename(path, other))
		must(t, l.Record(turn, "c2", []ledger.Change{{Path: path, Before: &text, Mode: 0o700}, {Path: other, After: &text, Mode: 0o700}}))
		if open {
			e.path, e.text = path, text
		}
		must(t, l.UndoTurn(t.Context(), turn))
		holds(t, path, "2\n")
		if _, err := os.Stat(other); err == nil {
			t.Error("the moved file is there after Undo turn")
		}
		must(t, l.RedoTurn(t.Context(), turn))
		holds(t, other, "2\n")
		must(t, l.UndoTurn(t.Context(), turn))
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
}

// TestALinkInThePlaceOfAFileIsNotFollowed is row 30 of the fault table for decisions: what is at the path now is
// another file.
// Promise 10.
func TestALinkInThePlaceOfAFileIsNotFollowed(t *testing.T) {
	for name, put := range map[string]func(t *testing.T, path, outside string) error{
		"link out of the workspace": func(_ *testing.T, path, outside string) error { return os.Symlink(outside, path) },
		"link inside it":            func(_ *testing.T, path, _ string) error { return os.Symlink("other.txt", path) },
		"hard link":                 func(_ *testing.T, path, outside string) error { return os.Link(outside, path) },
		"folder":                    func(_ *testing.T, path, _ string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			l, path := changed(t, nil, "1\n2\n", "1\nTWO\n")
			outside := filepath.Join(t.TempDir(), "outside.txt")
			other := filepath.Join(filepath.Dir(path), "other.txt")
			write(t, outside, "1\nTWO\n")
			write(t, other, "1\nTWO\n")
			hunks, err := l.Hunks(t.Context(), path)
			must(t, err)
			must(t, os.Remove(path))
			must(t, put(t, path, outside))
			if _, err := l.Reject(t.Context(), path, hunks[0].ID, ""); err == nil {
				t.Error("it was rejected")
			}
			if _, err := l.RejectAll(t.Context(), path, ""); err == nil {
				t.Error("all was rejected")
			}
			if err := l.UndoTurn(t.Context(), ledger.Turn{Chat: chat, ID: "1"}); err == nil {
				t.Error("the turn was undone")
			}
			holds(t, outside, "1\nTWO\n")
			holds(t, other, "1\nTWO\n")
		})
	}
}

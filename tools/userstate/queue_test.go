package userstate_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/tools/userstate"
)

// queueIn is a queue of a process that keeps its state there.
func queueIn(t *testing.T, dir string) *userstate.Queue {
	t.Helper()
	state, err := userstate.OpenState(dir)
	if err != nil {
		t.Fatal(err)
	}
	return state.Queue("the server", 1)
}

// TestAClockThatIsSetBack: who came first goes first, whatever the clock said then. Each bubble begins at the same
// time.
func TestAClockThatIsSetBack(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Hour)
		if err := queueIn(t, dir).Place(0).Stay(); err != nil {
			t.Fatal(err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		first, _ := filepath.Glob(filepath.Join(dir, "queues", "*", "*.place"))
		if len(first) != 1 {
			t.Fatalf("the places are %q", first)
		}
		if err := os.Chtimes(first[0], time.Time{}, time.Now()); err != nil { // its owner lives, and gives signs by the new clock
			t.Fatal(err)
		}
		second := queueIn(t, dir).Place(0)
		for range 2 {
			if give, _, err := second.Try("request"); give != nil {
				give()
				t.Fatal("it goes before one who came earlier")
			} else if err != nil {
				t.Fatal(err)
			}
			if err := second.Stay(); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Remove(first[0]); err != nil {
			t.Fatal(err)
		}
		give, before, err := second.Try("request")
		if err != nil || give == nil {
			t.Fatalf("%q is before it: %v", before, err)
		}
		give()
	})
}

// TestALostPlaceKeepsItsTurn: one whose file went, as when it was taken for dead, is where it was.
func TestALostPlaceKeepsItsTurn(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		q := queueIn(t, dir)
		one, other := q.Place(0), q.Place(0)
		err := one.Stay()
		files, _ := filepath.Glob(filepath.Join(dir, "queues", "*", "*.place"))
		err = errors.Join(err, other.Stay(), os.Remove(files[0]))
		time.Sleep(time.Second)
		if err := errors.Join(err, one.Stay(), other.Stay()); err != nil {
			t.Fatal(err)
		}
		if give, _, err := other.Try("request"); give != nil || err != nil {
			t.Fatalf("the other came before it: %v", err)
		}
		give, _, err := one.Try("request")
		if err != nil || give == nil {
			t.Fatalf("it lost its turn: %v", err)
		}
		give()
	})
}

// TestWhatTheDeadLeft is taken away, also by one that died while it took its place; the living keep theirs.
func TestWhatTheDeadLeft(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		q := queueIn(t, dir)
		if q.Wanted() {
			t.Fatal("nobody is there")
		}
		folder, _ := filepath.Glob(filepath.Join(dir, "queues", "*"))
		file := func(name string, signed time.Time) {
			path := filepath.Join(folder[0], name)
			if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, time.Time{}, signed)); err != nil {
				t.Fatal(err)
			}
		}
		now := time.Now()
		file("00000000000000000001-DEADDEAD.place", now.Add(-time.Minute))
		file("00000000000000000002-DEADDEAD.place.new", now.Add(-time.Minute))
		file("00000000000000000003-DEADDEAD.place.new", now.Add(time.Hour)) // of a clock that was set back
		file("00000000000000000004-LIVINGLY.place.new", now)
		file("notes.txt", now.Add(-time.Hour))
		give, _, err := q.Place(0).Try("request")
		if err != nil || give == nil {
			t.Fatalf("the dead are in the way: %v", err)
		}
		give()
		var left []string
		entries, _ := os.ReadDir(folder[0])
		for _, e := range entries {
			left = append(left, e.Name())
		}
		if len(left) != 3 || left[0] != "00000000000000000004-LIVINGLY.place.new" || left[1] != "notes.txt" || left[2] != "turn.lock" {
			t.Errorf("left are %q", left)
		}
	})
}

//go:build linux

package workspace

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// In a moment walks ask about a folder once. When it ends, or after a while, they see what changed; so do all others at once, and who reads files.
func TestWalksOfAMomentAskOnce(t *testing.T) {
	root := filepath.Join(t.TempDir(), "ws")
	if err := os.MkdirAll(filepath.Join(root, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	w := later(t, root)
	want := len(allOf(t, w)) // the first walk keeps what it finds
	add := func(name string) {
		change(t, filepath.Join(root, "a"), func() error { return os.WriteFile(filepath.Join(root, "a", name), nil, 0o644) })
		want++
	}
	see := func(who string, w *Workspace, want int) {
		t.Helper()
		if got := len(allOf(t, w)); got != want {
			t.Errorf("%s sees %d paths, want %d", who, got, want)
		}
	}

	held, end := w.ForAMoment()
	see("the first walk of a moment", held, want)
	add("1")
	see("a later one", held, want-1)
	if got := len(readOf(t, held)); got != want-1 { // without the folder a
		t.Errorf("who reads files in a moment reads %d, want %d", got, want-1)
	}
	see("somebody else", w, want)
	add("2")
	end()
	see("a walk after the moment", held, want)

	synctest.Test(t, func(t *testing.T) {
		held, _ := w.ForAMoment()
		see("the first walk of another moment", held, want)
		time.Sleep(momentLasts)
		if held.moment.has(w.known.last("a")) {
			t.Error("a moment goes on after its time")
		}
	})
}

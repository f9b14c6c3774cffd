//go:build linux

package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// In a moment walks ask about a folder once. When it ends, or after a while, they see what changed; so do all others at
// once, and who reads files.
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

// In a moment a walk of everything is walked over again, and meets what a walk meets, whichever folders it leaves out.
// What a message names is looked for once.
func TestAMomentWalksOnce(t *testing.T) {
	root := filepath.Join(t.TempDir(), "ws")
	for _, name := range []string{"a/x/1", "a/x/2", "a/y", "b", "c/z/deep/3", "c/z.go", "d"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w := later(t, root)
	held, end := w.ForAMoment()
	defer end()
	paths := allOf(t, w)
	_ = allOf(t, held)
	from := []Path{w.rootPath(), paths[0], paths[slices.IndexFunc(paths, func(p Path) bool { return p.Rel == "c" })], paths[1]}
	for _, stop := range []error{nil, fs.SkipDir, fs.SkipAll, ErrTooMany} {
		for i, p := range paths {
			met := func(w *Workspace) (all []string) {
				err := w.Walk(t.Context(), from[i%len(from)], func(at Path) error {
					if all = append(all, at.Rel); at.Rel == p.Rel {
						return stop
					}
					return nil
				})
				return append(all, fmt.Sprint(err))
			}
			if want, got := met(w), met(held); !slices.Equal(got, want) {
				t.Errorf("%v at %s: a moment meets %q, not %q", stop, p.Rel, got, want)
			}
		}
	}
	if _, once := held.moment.all(); !once {
		t.Fatal("the moment did not keep its walk")
	}
	if got, want := held.Outline(t.Context(), 5), w.Outline(t.Context(), 5); got != want {
		t.Errorf("the outline is %q, not %q", got, want)
	}
	const message = "What is in z.go?"
	for range 2 {
		if got := held.Mentioned(t.Context(), message); len(got) != 1 {
			t.Errorf("the message names %v", got)
		}
		if err := os.RemoveAll(filepath.Join(root, "c")); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.Mentioned(t.Context(), message); len(got) != 0 {
		t.Errorf("somebody else finds %v", got)
	}
}

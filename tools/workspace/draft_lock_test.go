package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

// Nobody else can change a draft from the moment on at which a change looks at what is there: else the later of two
// changes would undo the other.
func TestADraftIsChangedByOneAtATime(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, err := Open(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close() //nolint:errcheck // only a test
	d := w.Draft()
	looks, free := 0, 0
	d.Deny(func() *Denials {
		looks++
		if d.draft.Writing.TryLock() {
			d.draft.Writing.Unlock()
			free++
		}
		return nil
	})
	x := "x"
	for name, change := range map[string]func(p Path) error{
		"a":   func(p Path) error { return d.Replace(t.Context(), p, &x, "y") },
		"b":   func(p Path) error { return d.Delete(t.Context(), p, x) },
		"c":   func(p Path) error { return d.Move(t.Context(), p, pathOf(d, protection{rel: "to"}), x) },
		"new": func(p Path) error { return d.Restore(t.Context(), p, x, 0) },
	} {
		p := pathOf(d, protection{rel: name})
		looks, free = 0, 0
		if err := change(p); err != nil || looks == 0 || free > 0 {
			t.Errorf("%s: looked %d times, %d while others could change it: %v", name, looks, free, err)
		}
	}
}

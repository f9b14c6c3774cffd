//go:build linux

package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assent-ls/assent/tools/workspace/tree"
)

// later is a workspace for whose walks nothing changed a moment ago.
func later(t *testing.T, root string) *Workspace {
	t.Helper()
	w, err := Open(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	w.known.now = func() time.Time { return time.Now().Add(time.Hour) }
	return w
}

func allOf(t *testing.T, w *Workspace) (all []Path) {
	t.Helper()
	if err := w.Walk(t.Context(), w.rootPath(), func(p Path) error { all = append(all, p); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// readOf is the text of each file that EachFile finds.
func readOf(t *testing.T, w *Workspace) map[string]string {
	t.Helper()
	var mu sync.Mutex
	all := map[string]string{}
	err := w.EachFile(t.Context(), w.rootPath(), func(m Met) error {
		return m.Text(t.Context(), func(data []byte) {
			mu.Lock()
			defer mu.Unlock()
			all[fmt.Sprint(m.Order, " ", m.Rel, " ", m.Protected)] = string(data)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// change changes something, and waits until the clock of the file system has gone on.
func change(t *testing.T, at string, do func() error) {
	t.Helper()
	before := tree.OnDisk(nil, at).Mark(".")
	if err := do(); err != nil {
		t.Fatal(err)
	}
	for before != (mark{}) && tree.OnDisk(nil, at).Mark(".") == before {
		if info, err := os.Stat(at); err != nil || os.Chmod(at, info.Mode()) != nil {
			t.Fatal(err)
		}
	}
}

// A walk that knows what earlier ones found sees what one sees that knows nothing, whatever changed in between. So does
// who reads the files.
func TestAWalkSeesEveryChange(t *testing.T) {
	root := filepath.Join(t.TempDir(), "ws")
	put := func(name, text string) func() error {
		return func() error {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(root, name), []byte(text), 0o644)
		}
	}
	for _, name := range []string{"a/b/c.go", "a/b/d.log", "a/e.go", "x/HEAD", "x/objects/1", "x/f.txt", ".git/info/exclude", ".gitignore", "r/.gitignore", "r/s/t.tmp"} {
		if err := put(name, "")(); err != nil {
			t.Fatal(err)
		}
	}
	w := later(t, root)
	for _, step := range []struct {
		name, at string
		do       func() error
	}{
		{"nothing", "", func() error { return nil }},
		{"a new file", "a/b", put("a/b/new.go", "")},
		{"another text", "a/e.go", put("a/e.go", "package e\n")},
		{"a file is gone", "a/b", func() error { return os.Remove(filepath.Join(root, "a/b/c.go")) }},
		{"a new folder", "a", func() error { return os.Mkdir(filepath.Join(root, "a/n"), 0o755) }},
		{"new rules at the root", ".gitignore", put(".gitignore", "*.log\n")},
		{"new rules below", "r/.gitignore", put("r/.gitignore", "*.tmp\n")},
		{"rules where there were none", "a", put("a/.gitignore", "b/\n")},
		{"other rules", "a/.gitignore", put("a/.gitignore", "n/\n")},
		{"git's own rules", ".git/info/exclude", put(".git/info/exclude", "e.go\n")},
		{"a repository", "x", func() error { return os.Mkdir(filepath.Join(root, "x/refs"), 0o755) }},
		{"a folder moves", ".", func() error { return os.Rename(filepath.Join(root, "r"), filepath.Join(root, "q")) }},
		{"a link in the place of a folder", "a", func() error {
			if err := os.Rename(filepath.Join(root, "a/b"), filepath.Join(root, "a/was")); err != nil {
				return err
			}
			return os.Symlink("was", filepath.Join(root, "a/b"))
		}},
		{"a link in the place of a file", "x", func() error {
			if err := os.Remove(filepath.Join(root, "x/f.txt")); err != nil {
				return err
			}
			return os.Symlink("../.gitignore", filepath.Join(root, "x/f.txt"))
		}},
	} {
		allOf(t, w)
		change(t, filepath.Join(root, step.at), step.do)
		if diff := cmp.Diff(allOf(t, later(t, root)), allOf(t, w), cmpopts.EquateComparable(Path{})); diff != "" {
			t.Errorf("%s:\n%s", step.name, diff)
		}
		if diff := cmp.Diff(readOf(t, later(t, root)), readOf(t, w)); diff != "" {
			t.Errorf("%s, read:\n%s", step.name, diff)
		}
	}
}

// A second walk reads only the folders that changed, the folders below a change of the root not either.
func TestASecondWalkReadsOnlyWhatChanged(t *testing.T) {
	root := filepath.Join(t.TempDir(), "ws")
	for _, name := range []string{"a/b/c.go", "a/d.go", "e/f.go", ".gitignore"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w := later(t, root)
	w.Outline(t.Context(), 10)
	allOf(t, w)
	before := map[string]*listing{}
	for rel := range map[string]bool{".": true, "a": true, "a/b": true, "e": true} {
		if before[rel] = w.known.last(rel); before[rel] == nil {
			t.Fatalf("nothing is known of %s", rel)
		}
	}
	read := func() (again []string) {
		w.Near(t.Context(), "d.go")
		w.Mentioned(t.Context(), "see f.go")
		w.Outline(t.Context(), 10)
		allOf(t, w)
		readOf(t, w)
		for _, rel := range []string{".", "a", "a/b", "e"} {
			if w.known.last(rel) != before[rel] {
				again = append(again, rel)
			}
		}
		return again
	}
	if again := read(); again != nil {
		t.Errorf("nothing changed, and %q were read again", again)
	}
	change(t, root, func() error { return os.WriteFile(filepath.Join(root, "new.go"), nil, 0o644) })
	change(t, filepath.Join(root, "e"), func() error { return os.Remove(filepath.Join(root, "e/f.go")) })
	if diff := cmp.Diff([]string{".", "e"}, read()); diff != "" {
		t.Errorf("read again: %s", diff)
	}
}

// What changed a moment before it was read may change again at the same time by the clock of the file system.
func TestWhatChangedAMomentAgoIsReadAgain(t *testing.T) {
	root := filepath.Join(t.TempDir(), "ws")
	if err := os.MkdirAll(filepath.Join(root, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	w := later(t, root)
	w.known.now = nil
	for range 50 {
		allOf(t, w)
		name := filepath.Join(root, "a", "b")
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if n := len(allOf(t, w)); n != 2 {
			t.Fatalf("%d paths were seen, not 2", n)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}

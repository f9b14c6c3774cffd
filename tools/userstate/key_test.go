//go:build linux

package userstate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/workspace"
)

func TestKeyNamesTheFolderItself(t *testing.T) {
	root := tree(t, map[string]string{"a.txt": "inside\n"})
	w := open(t, root, nil)
	linked := filepath.Join(t.TempDir(), "alias")
	link(t, root, linked)
	if got := open(t, linked, nil).Key(); got != w.Key() {
		t.Errorf("a link to the folder has key %q, the folder %q", got, w.Key())
	}
	if again := open(t, root, nil).Key(); again != w.Key() || !workspace.Lasting(again) || workspace.Folder(again) != root {
		t.Errorf("opened again the folder has key %q, before %q", again, w.Key())
	}
	// Another folder takes the name: it has another key, and the open workspace stays where it was.
	if err := os.Rename(root, root+"-old"); err != nil {
		t.Fatal(err)
	}
	write(t, root, map[string]string{"a.txt": "swapped\n"})
	if got := open(t, root, nil).Key(); got == w.Key() || !workspace.OtherFolder(got, w.Key()) {
		t.Error("another folder under the same name has the same key")
	}
	f, err := w.Read(t.Context(), resolve(t, w, "a.txt"))
	if err != nil || f.Text != "inside\n" {
		t.Errorf("Read = %q, %v; want the folder that was opened", f.Text, err)
	}
	// Moved back, it is the folder that it was.
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(root+"-old", root); err != nil {
		t.Fatal(err)
	}
	if got := open(t, root, nil).Key(); got != w.Key() {
		t.Errorf("moved away and back the folder has key %q, before %q", got, w.Key())
	}
}

// Promise 6.
func TestKeyDoesNotPassToAFolderMadeAgain(t *testing.T) {
	root := tree(t, nil)
	first, err := os.Stat(root)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for made := 1; made <= 100; made++ {
		w, err := workspace.Open(root, nil)
		if err != nil {
			t.Fatal(err)
		}
		seen[w.Key()] = true
		must(t, w.Close())
		if len(seen) != made {
			t.Fatalf("folder %d at this path has the key of one before it", made)
		}
		now, err := os.Stat(root)
		if err != nil {
			t.Fatal(err)
		}
		if made > 1 && os.SameFile(first, now) {
			return // the same path and inode, and another key
		}
		must(t, os.Remove(root))
		must(t, os.Mkdir(root, 0o755))
	}
}

// A folder of procfs has neither a file handle nor a time of birth.
const withoutMarks = "/proc/sys"

// Promise 6.
func TestWhatCannotBeToldApartIsNotKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	state := openState(t, dir)
	key := open(t, withoutMarks, nil).Key()
	if workspace.Lasting(key) || workspace.Folder(key) != withoutMarks {
		t.Fatalf("key = %q", key)
	}
	if state.Trusted(key) {
		t.Error("it is trusted unasked")
	}
	must(t, state.Trust(key))
	if !state.Trusted(key) {
		t.Error("trust does not hold in this session")
	}
	if _, err := os.Stat(filepath.Join(dir, "trust.json")); err == nil {
		t.Error("the trust was kept")
	}
	if openState(t, dir).Trusted(key) {
		t.Error("the trust outlived its session")
	}
	if again := open(t, withoutMarks, nil).Key(); again == key || state.Trusted(again) {
		t.Error("opened again, it counts as the same folder")
	}
	must(t, state.Untrust(key))
	if state.Trusted(key) {
		t.Error("the trust was not taken back")
	}
	if said := workspace.SessionOnly(key); !strings.HasSuffix(said, ".") || !strings.Contains(said, withoutMarks) {
		t.Errorf("the sentence is %q", said)
	}
}

func TestTrustOfAnOlderFormIsToldAndReplaced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	root := tree(t, nil)
	key := open(t, root, nil).Key()
	old := `{"version":1,"data":{"` + root + `|2049:4711":"2026-01-02T03:04:05Z","/elsewhere|2049:1":"2026-01-02T03:04:05Z"}}`
	must(t, os.MkdirAll(dir, 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "trust.json"), []byte(old), 0o600))
	state := openState(t, dir)
	if state.Trusted(key) {
		t.Error("a record without the marks counts")
	}
	if said := state.TrustOfAnother(key); !strings.Contains(said, root) || !strings.HasSuffix(said, ".") {
		t.Errorf("told is %q", said)
	}
	if got := readDisk(t, filepath.Join(dir, "trust.json")); got != old {
		t.Errorf("asking changed the file: %s", got)
	}
	must(t, state.Trust(key))
	if said := state.TrustOfAnother(key); said != "" || !state.Trusted(key) {
		t.Errorf("after a new trust: %q", said)
	}
	must(t, state.Untrust(key))
	if left := readDisk(t, filepath.Join(dir, "trust.json")); strings.Contains(left, root) || !strings.Contains(left, "/elsewhere|2049:1") {
		t.Errorf("left in the file: %s", left)
	}
}

package workspace_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools/workspace"
)

// editing is an editor with one document that must not be changed now.
type editing struct {
	*buffers

	frozen string
}

func (e editing) Open() []string { return slices.Collect(maps.Keys(e.texts)) }

func (e editing) Frozen(abs string) bool { return abs == e.frozen }

// told is what a draft changed, in lines.
func told(t *testing.T, w *workspace.Workspace) (lines []string) {
	t.Helper()
	say := func(s *string) string {
		if s == nil {
			return "none"
		}
		return fmt.Sprintf("%q", *s)
	}
	for _, c := range w.Drafted(t.Context()) {
		lines = append(lines, fmt.Sprintf("%s: %s -> %s %v", c.Rel, say(c.Before), say(c.After), c.Mode))
	}
	return lines
}

// Each change is checked as it would be on disk, and does nothing there.
func TestWhatADraftRefuses(t *testing.T) {
	root := tree(t, map[string]string{
		"a.txt": "a\n", "read-only.txt": "r\n", "hard.txt": "h\n", ".env": "KEY=1\n", "sub/b.txt": "b\n", "frozen.txt": "f\n", "unsaved.txt": "on disk\n",
	})
	must(t, os.Link(filepath.Join(root, "hard.txt"), filepath.Join(root, "other.txt")))
	must(t, os.Chmod(filepath.Join(root, "read-only.txt"), 0o444))
	link(t, "/etc", filepath.Join(root, "out"))
	frozen := filepath.Join(root, "frozen.txt")
	unsaved := filepath.Join(root, "unsaved.txt")
	w := open(t, root, editing{&buffers{texts: map[string]string{frozen: "f\n", unsaved: "typed\n"}}, frozen})
	d := w.Draft()
	if p := resolve(t, d, ".env"); p.Protected == "" {
		t.Error(".env is not protected in a draft")
	}
	if _, err := d.Resolve("out/passwd"); !errors.Is(err, workspace.ErrOutside) {
		t.Errorf("a link that leads outside: %v", err)
	}
	a, big := "a\n", strings.Repeat("x", workspace.MaxFile+1)
	other, h, r, f, typed := "other\n", "h\n", "r\n", "f\n", "typed\n"
	for _, tt := range []struct {
		name   string
		before *string
		after  string
		want   error
	}{
		{"a.txt", &other, "x", workspace.ErrChanged},
		{"a.txt", nil, "x", workspace.ErrChanged},
		{"a.txt", &a, big, workspace.ErrTooLarge},
		{"hard.txt", &h, "x", workspace.ErrNotWritable},
		{"read-only.txt", &r, "x", workspace.ErrNotWritable},
		{"sub", nil, "x", workspace.ErrNotRegular},
		{"missing.txt", &a, "x", workspace.ErrChanged},
		{"frozen.txt", &f, "x", workspace.ErrNotWritable},
		{"unsaved.txt", &typed, "\xff", workspace.ErrNotApplied},
	} {
		if err := d.Replace(t.Context(), resolve(t, d, tt.name), tt.before, tt.after); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	if err := d.Delete(t.Context(), resolve(t, d, "unsaved.txt"), "on disk\n"); !errors.Is(err, workspace.ErrUnsaved) {
		t.Errorf("an unsaved document was deleted: %v", err)
	}
	if got := told(t, d); got != nil {
		t.Errorf("changes: %v", got)
	}
}

// A draft is over the buffers that an editor has open, and does not touch them.
func TestADraftOfOpenDocuments(t *testing.T) {
	root := tree(t, map[string]string{"saved.txt": "\ufeffone\n", "unsaved.txt": "old\n", "gone.txt": "gone\n", "moved.txt": "m\n"})
	b := &buffers{texts: map[string]string{
		filepath.Join(root, "saved.txt"): "one\n", filepath.Join(root, "unsaved.txt"): "typed\n", filepath.Join(root, "gone.txt"): "gone\n",
		filepath.Join(root, "moved.txt"): "m\n", filepath.Join(root, "new.txt"): "",
	}}
	d := open(t, root, editing{buffers: b}).Draft()
	replace := func(name, before, after string) {
		t.Helper()
		must(t, d.Replace(t.Context(), resolve(t, d, name), &before, after))
	}
	replace("saved.txt", "one\n", "two\n")
	replace("unsaved.txt", "typed\n", "typed\nmore\n")
	must(t, d.Replace(t.Context(), resolve(t, d, "new.txt"), nil, "made\n"))
	must(t, d.Delete(t.Context(), resolve(t, d, "gone.txt"), "gone\n"))
	must(t, d.Move(t.Context(), resolve(t, d, "moved.txt"), resolve(t, d, "sub/to.txt"), "m\n"))
	for name, want := range map[string]string{"saved.txt": "two\n", "unsaved.txt": "typed\nmore\n", "new.txt": "made\n", "sub/to.txt": "m\n"} {
		f, err := d.Read(t.Context(), resolve(t, d, name))
		if err != nil || f.Text != want {
			t.Errorf("%s is %q, %v", name, f.Text, err)
		}
	}
	for _, name := range []string{"gone.txt", "moved.txt"} {
		p := resolve(t, d, name)
		if _, open := d.Shown(p); p.Exists || open {
			t.Errorf("%s is still there", name)
		}
	}
	saved := resolve(t, d, "saved.txt")
	if data, err := d.ReadDisk(t.Context(), saved); err != nil || string(data) != "\ufefftwo\n" || !d.Saved(t.Context(), saved) {
		t.Errorf("on the draft's disk: %q, %v", data, err)
	}
	if data, err := d.ReadDisk(t.Context(), resolve(t, d, "unsaved.txt")); err != nil || string(data) != "old\n" {
		t.Errorf("on the draft's disk: %q, %v", data, err)
	}
	want := []string{
		`gone.txt: "gone\n" -> none -rw-r--r--`, `moved.txt: "m\n" -> none -rw-r--r--`, `new.txt: none -> "made\n" ----------`,
		`saved.txt: "one\n" -> "two\n" ----------`, `sub/to.txt: none -> "m\n" -rw-r--r--`, `unsaved.txt: "typed\n" -> "typed\nmore\n" ----------`,
	}
	if diff := cmp.Diff(want, told(t, d)); diff != "" {
		t.Error(diff)
	}
	if b.texts[filepath.Join(root, "saved.txt")] != "one\n" || b.texts[filepath.Join(root, "new.txt")] != "" || len(b.texts) != 5 {
		t.Errorf("a buffer changed: %q", b.texts)
	}
	if got := readDisk(t, filepath.Join(root, "gone.txt")); got != "gone\n" {
		t.Errorf("the disk changed: %q", got)
	}
	replace("saved.txt", "two\n", "one\n") // a change and its reverse are none
	if diff := cmp.Diff(append(want[:3:3], want[4:]...), told(t, d)); diff != "" {
		t.Error(diff)
	}
}

// What others change meanwhile is seen where the draft changed nothing, and does not change what it did.
func TestADraftWhileTheDiskChanges(t *testing.T) {
	root := tree(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n", "sub/c.txt": "c\n", "gone.txt": "gone\n"})
	w := open(t, root, nil)
	d := w.Draft()
	a, b := "a\n", "b\n"
	must(t, d.Replace(t.Context(), resolve(t, d, "a.txt"), &a, "drafted\n"))
	must(t, d.Delete(t.Context(), resolve(t, d, "sub/c.txt"), "c\n"))
	must(t, d.Delete(t.Context(), resolve(t, d, "gone.txt"), "gone\n"))
	must(t, d.Replace(t.Context(), resolve(t, d, "new/deep/d.txt"), nil, "d\n"))
	write(t, root, map[string]string{"a.txt": "somebody\n", "b.txt": "else\n", "sub/c.txt": "again\n", "new/e.txt": "e\n"})
	must(t, os.Symlink(t.TempDir(), filepath.Join(root, "new", "deep")))
	must(t, os.Remove(filepath.Join(root, "gone.txt")))
	write(t, root, map[string]string{"gone.txt/below.txt": "below\n"})
	if err := d.Replace(t.Context(), resolve(t, d, "b.txt"), &b, "x"); !errors.Is(err, workspace.ErrChanged) {
		t.Errorf("b.txt: %v", err)
	}
	read := func(name, want string) {
		t.Helper()
		f, err := d.Read(t.Context(), resolve(t, d, name))
		if err != nil || f.Text != want {
			t.Errorf("%s is %q, %v", name, f.Text, err)
		}
	}
	read("a.txt", "drafted\n")
	read("b.txt", "else\n")
	read("new/e.txt", "e\n")
	read("new/deep/d.txt", "d\n") // and not what lies behind the link
	for _, name := range []string{"sub/c.txt", "gone.txt", "gone.txt/below.txt"} {
		if resolve(t, d, name).Exists {
			t.Errorf("%s is there again", name)
		}
	}
	if _, found, err := d.ReadSaved(t.Context(), "gone.txt/below.txt"); found || err != nil {
		t.Errorf("what is below a deleted file is there: %v", err)
	}
	want := []string{
		`a.txt: "a\n" -> "drafted\n" ----------`, `gone.txt: "gone\n" -> none -rw-r--r--`, `new/deep/d.txt: none -> "d\n" ----------`, `sub/c.txt: "c\n" -> none -rw-r--r--`,
	}
	if diff := cmp.Diff(want, told(t, d)); diff != "" {
		t.Error(diff)
	}
}

// A draft has bounds, and tells what to do at them.
func TestADraftIsBounded(t *testing.T) {
	d := open(t, tree(t, map[string]string{"a.txt": "a\n"}), nil).Draft()
	large := strings.Repeat("x", workspace.MaxFile)
	var err error
	for i := 0; err == nil && i < 10; i++ {
		err = d.Replace(t.Context(), resolve(t, d, fmt.Sprint(i, ".txt")), nil, large)
	}
	if !errors.Is(err, workspace.ErrDraftFull) || !strings.Contains(err.Error(), "64 MB of text before the user is asked: end here") {
		t.Errorf("too much text: %v", err)
	}
	if n := len(d.Drafted(t.Context())); n != 6 {
		t.Errorf("%d files of 10 MB", n)
	}
	for i := range 6 { // what is taken back makes room
		must(t, d.Delete(t.Context(), resolve(t, d, fmt.Sprint(i, ".txt")), large))
	}
	err = nil
	for i := 0; err == nil && i < 2_100; i++ {
		err = d.Replace(t.Context(), resolve(t, d, fmt.Sprint("many/", i)), nil, "x")
	}
	if !errors.Is(err, workspace.ErrDraftFull) || !strings.Contains(err.Error(), "2000 files") || len(d.Drafted(t.Context())) != 2_000 {
		t.Errorf("too many files: %v", err)
	}
}

// Several calls may change a draft at once: each change counts.
func TestADraftIsChangedBySeveral(t *testing.T) {
	root := tree(t, map[string]string{"a.txt": "", "sub/b.txt": "b\n"})
	d := open(t, root, nil).Draft()
	var wait sync.WaitGroup
	const each = 50
	for i := range 8 {
		wait.Go(func() {
			for done := 0; done < each; {
				p, err := d.Resolve("a.txt")
				if err != nil {
					t.Error(err)
					return
				}
				f, err := d.Read(t.Context(), p)
				if err != nil {
					t.Error(err)
					return
				}
				err = d.Replace(t.Context(), p, &f.Text, f.Text+fmt.Sprintln(i))
				if err == nil {
					done++
				} else if !errors.Is(err, workspace.ErrChanged) {
					t.Error(err)
					return
				}
			}
			p, _ := d.Resolve(fmt.Sprint("new/", i, ".txt"))
			if err := d.Replace(t.Context(), p, nil, "new\n"); err != nil {
				t.Error(err)
			}
			top, _ := d.Resolve(".")
			if err := d.EachFile(t.Context(), top, func(m workspace.Met) error { return m.Text(t.Context(), func([]byte) {}) }); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	f, err := d.Read(t.Context(), resolve(t, d, "a.txt"))
	if err != nil || strings.Count(f.Text, "\n") != 8*each {
		t.Errorf("%d lines, %v", strings.Count(f.Text, "\n"), err)
	}
	files := 0
	must(t, d.Walk(t.Context(), resolve(t, d, "."), func(p workspace.Path) error {
		if !p.Dir {
			files++
		}
		return nil
	}))
	if files != 10 {
		t.Errorf("%d files", files)
	}
	if _, err := os.Stat(filepath.Join(root, "new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder was made on disk: %v", err)
	}
}

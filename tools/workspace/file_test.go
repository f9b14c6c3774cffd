package workspace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools/workspace"
)

func TestRead(t *testing.T) {
	root := tree(t, map[string]string{
		"unix.txt": "a\nb\r\n", "dos.txt": "a\r\nb\r\n", "mac.txt": "a\rb", "empty.txt": "", "flat.txt": "no end",
		"binary.bin": "a\x00b", "latin.txt": "caf\xe9", "dir/": "", "bom.txt": "\ufeffx\n",
	})
	w := open(t, root, nil)
	for name, want := range map[string]workspace.File{
		"unix.txt":   {Text: "a\nb\r\n", Size: 5},
		"dos.txt":    {Text: "a\r\nb\r\n", Size: 6},
		"mac.txt":    {Text: "a\rb", Size: 3},
		"empty.txt":  {},
		"flat.txt":   {Text: "no end", Size: 6},
		"binary.bin": {Binary: true, Data: []byte("a\x00b"), Size: 3},
		"latin.txt":  {Binary: true, Data: []byte("caf\xe9"), Size: 4},
		"bom.txt":    {Text: "\ufeffx\n", Size: 5},
	} {
		got, err := w.Read(t.Context(), resolve(t, w, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if _, err := w.Read(t.Context(), resolve(t, w, "dir")); !errors.Is(err, workspace.ErrNotRegular) {
		t.Errorf("Read of a folder = %v", err)
	}
	if _, err := w.Read(t.Context(), resolve(t, w, "unix.tx")); !errors.Is(err, workspace.ErrNotFound) || err.Error() != `There is no file "unix.tx". Near: "unix.txt".` {
		t.Errorf("Read of a missing file = %v", err)
	}
	if err := os.Truncate(root+"/flat.txt", workspace.MaxFile+1); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Read(t.Context(), resolve(t, w, "flat.txt")); !errors.Is(err, workspace.ErrTooLarge) || !strings.Contains(err.Error(), "10 MB") {
		t.Errorf("Read of a large file = %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := w.Read(stopped, resolve(t, w, "unix.txt")); !errors.Is(err, context.Canceled) {
		t.Errorf("Read after cancel = %v", err)
	}
}

func TestBuffersComeBeforeTheDisk(t *testing.T) {
	root := tree(t, map[string]string{"a.txt": "disk\n", "real/b.txt": "disk\n", "emptied.txt": "disk\n"})
	link(t, "real", filepath.Join(root, "linked"))
	alias := filepath.Join(t.TempDir(), "alias")
	link(t, root, alias)
	b := &buffers{texts: map[string]string{
		alias + "/a.txt": "buffer\n", root + "/linked/b.txt": "buffer\n", root + "/only.txt": "never saved\n", root + "/void.txt": "", root + "/emptied.txt": "",
	}}
	w := open(t, alias, b)
	for name, want := range map[string]string{"a.txt": "buffer\n", "linked/b.txt": "buffer\n", "only.txt": "never saved\n", "emptied.txt": ""} {
		p := resolve(t, w, name)
		f, err := w.Read(t.Context(), p)
		if err != nil || f.Text != want || !f.Buffer || !p.Exists {
			t.Errorf("%s: Read = %+v, %v; exists %v", name, f, err, p.Exists)
		}
	}
	if p := resolve(t, w, "void.txt"); p.Exists {
		t.Error("an empty buffer without a file counts as a file")
	}
}

func TestReplaceOnDisk(t *testing.T) {
	root := tree(t, map[string]string{"run.sh": "old\n", "locked.txt": "old\n", "dir/": ""})
	if err := os.Chmod(root+"/run.sh", 0o751); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(root+"/locked.txt", 0o444); err != nil {
		t.Fatal(err)
	}
	link(t, "run.sh", filepath.Join(root, "link.sh"))
	w := open(t, root, nil)
	old, stale := "old\n", "older\n"
	for _, tt := range []struct {
		name   string
		before *string
		want   error
	}{
		{"run.sh", &stale, workspace.ErrChanged},
		{"run.sh", nil, workspace.ErrChanged},
		{"missing.txt", &old, workspace.ErrChanged},
		{"missing.txt", new(string), workspace.ErrChanged},
		{"dir", nil, workspace.ErrNotRegular},
		{".", nil, workspace.ErrNotRegular},
		{"locked.txt", &old, workspace.ErrNotWritable},
	} {
		if err := w.Replace(t.Context(), resolve(t, w, tt.name), tt.before, "new\n"); !errors.Is(err, tt.want) {
			t.Errorf("Replace(%s) = %v; want %v", tt.name, err, tt.want)
		}
	}
	if got := readDisk(t, root+"/run.sh"); got != old {
		t.Fatalf("a refused change was made: %q", got)
	}
	// By the link the target changes, and stays what it was.
	if err := w.Replace(t.Context(), resolve(t, w, "link.sh"), &old, "new\n"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(root + "/run.sh")
	if err != nil || info.Mode() != 0o751 || readDisk(t, root+"/run.sh") != "new\n" {
		t.Errorf("run.sh: %v, %v", info.Mode(), err)
	}
	if target, err := os.Readlink(root + "/link.sh"); err != nil || target != "run.sh" {
		t.Errorf("link.sh became %q, %v", target, err)
	}
	if err := w.Replace(t.Context(), resolve(t, w, "a/b/new.txt"), nil, "made\n"); err != nil {
		t.Fatal(err)
	}
	if got := readDisk(t, root+"/a/b/new.txt"); got != "made\n" {
		t.Errorf("new.txt holds %q", got)
	}
	// A new file may be named as the workspace is.
	if err := w.Replace(t.Context(), resolve(t, w, "a/../ws"), nil, "made\n"); err != nil || readDisk(t, root+"/ws") != "made\n" {
		t.Errorf("Replace of ws = %v", err)
	}
	if err := os.Remove(root + "/ws"); err != nil {
		t.Fatal(err)
	}
	if err := w.Replace(t.Context(), resolve(t, w, "huge.txt"), nil, strings.Repeat("x", workspace.MaxFile+1)); !errors.Is(err, workspace.ErrTooLarge) {
		t.Errorf("Replace with a large text = %v", err)
	}
	// Nothing is left lying about.
	entries, err := w.List(t.Context(), resolve(t, w, "."))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	if diff := cmp.Diff([]string{"a", "dir", "link.sh", "locked.txt", "run.sh"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestReplaceInABuffer(t *testing.T) {
	root := tree(t, map[string]string{"a.txt": "disk\n"})
	b := &buffers{texts: map[string]string{root + "/a.txt": "unsaved\n", root + "/new.txt": ""}}
	w := open(t, root, b)
	p := resolve(t, w, "a.txt")
	unsaved, disk := "unsaved\n", "disk\n"
	if err := w.Replace(t.Context(), p, &disk, "x\n"); !errors.Is(err, workspace.ErrChanged) {
		t.Errorf("Replace of what the disk holds = %v; want ErrChanged", err)
	}
	if err := w.Replace(t.Context(), p, nil, "x\n"); !errors.Is(err, workspace.ErrChanged) {
		t.Errorf("creating an open file = %v; want ErrChanged", err)
	}
	b.refuse = errors.New("the editor said no")
	err := w.Replace(t.Context(), p, &unsaved, "x\n")
	if !errors.Is(err, workspace.ErrNotApplied) || !errors.Is(err, b.refuse) || !strings.Contains(err.Error(), "the editor said no") {
		t.Errorf("Replace = %v; want ErrNotApplied with the reason", err)
	}
	b.refuse = nil
	b.after = func() { b.texts[p.Abs] = "typed meanwhile\n" }
	if err := w.Replace(t.Context(), p, &unsaved, "x\n"); !errors.Is(err, workspace.ErrChanged) || errors.Is(err, workspace.ErrNotApplied) {
		t.Errorf("Replace while somebody types = %v; want ErrChanged", err)
	}
	b.after = nil
	typed := "typed meanwhile\n"
	if err := w.Replace(t.Context(), p, &typed, "done\n"); err != nil {
		t.Error(err)
	}
	if err := w.Replace(t.Context(), resolve(t, w, "new.txt"), nil, "made\n"); err != nil {
		t.Error(err)
	}
	want := map[string]string{root + "/a.txt": "done\n", root + "/new.txt": "made\n"}
	if diff := cmp.Diff(want, b.texts); diff != "" {
		t.Error(diff)
	}
	if got := readDisk(t, root+"/a.txt"); got != disk {
		t.Errorf("the disk was written behind an open buffer: %q", got)
	}
	if diff := cmp.Diff([]string{"a.txt", "new.txt"}, w.Unsaved()); diff != "" {
		t.Error(diff)
	}
}

func TestNoBuffers(t *testing.T) {
	var b workspace.Buffers = workspace.NoBuffers{}
	if _, open := b.Text("/x"); open || b.Unsaved() != nil || b.Replace(t.Context(), "/x", "", "y") == nil {
		t.Error("the command line has a document open")
	}
}

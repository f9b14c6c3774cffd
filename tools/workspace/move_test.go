//go:build unix

package workspace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/workspace"
)

// S06, row 30: a link that is put in the place of a folder while a file is deleted or moved leads to nothing protected.
func TestALinkSwappedInWhileAFileIsMovedOrDeleted(t *testing.T) {
	const text = "same\n"
	for n := 1; n <= 2*swaps; n++ {
		root := tree(t, map[string]string{"a/kept": text, "b.txt": text, ".git/config": "x", ".git/HEAD": "x", ".git/kept": text})
		s := &swapper{}
		w := open(t, root, s)
		kept, b, made, out := resolve(t, w, "a/kept"), resolve(t, w, "b.txt"), resolve(t, w, "a/hooks/pre-commit"), resolve(t, w, "out.txt")
		arm := func() {
			_ = os.Remove(filepath.Join(root, "a"))
			_ = os.Rename(filepath.Join(root, "was"), filepath.Join(root, "a"))
			write(t, root, map[string]string{"a/kept": text, "b.txt": text})
			_ = os.Remove(filepath.Join(root, "out.txt"))
			_ = os.RemoveAll(filepath.Join(root, "a/hooks"))
			s.left, s.swap = n, func() {
				must(t, os.Rename(filepath.Join(root, "a"), filepath.Join(root, "was")))
				link(t, ".git", filepath.Join(root, "a"))
			}
		}
		arm()
		_ = w.Delete(t.Context(), kept, text)
		arm()
		_ = w.Move(t.Context(), kept, out, text)
		arm()
		_ = w.Move(t.Context(), b, made, text)
		if got := readDisk(t, root+"/.git/kept"); got != text {
			t.Fatalf("at %d: .git/kept holds %q", n, got)
		}
		if _, err := os.Lstat(root + "/.git/hooks"); err == nil {
			t.Fatalf("at %d: a hook was made", n)
		}
	}
}

// What is not what it was is neither deleted nor moved, and nothing is moved over a file.
func TestDeleteAndMoveRefuse(t *testing.T) {
	for name, tt := range map[string]struct {
		during func(root string)
		want   error
	}{
		"changed":   {func(root string) { write(t, root, map[string]string{"a.txt": "other\n"}) }, workspace.ErrChanged},
		"gone":      {func(root string) { must(t, os.Remove(root+"/a.txt")) }, workspace.ErrChanged},
		"linked":    {func(root string) { must(t, os.Remove(root+"/a.txt")); link(t, "b.txt", root+"/a.txt") }, workspace.ErrChanged},
		"hard link": {func(root string) { must(t, os.Link(root+"/a.txt", root+"/c.txt")) }, workspace.ErrNotWritable},
		"read-only": {func(root string) { must(t, os.Chmod(root+"/a.txt", 0o444)) }, workspace.ErrNotWritable},
	} {
		root := tree(t, map[string]string{"a.txt": "x\n", "b.txt": "x\n"})
		w := open(t, root, nil)
		a, to := resolve(t, w, "a.txt"), resolve(t, w, "new/d.txt")
		tt.during(root)
		if err := w.Delete(t.Context(), a, "x\n"); !errors.Is(err, tt.want) {
			t.Errorf("%s: Delete = %v", name, err)
		}
		if err := w.Move(t.Context(), a, to, "x\n"); !errors.Is(err, tt.want) {
			t.Errorf("%s: Move = %v", name, err)
		}
		if _, err := os.Lstat(root + "/new/d.txt"); err == nil || readDisk(t, root+"/b.txt") != "x\n" {
			t.Errorf("%s: something was done", name)
		}
	}
	root := tree(t, map[string]string{"a.txt": "x\n"})
	w := open(t, root, nil)
	a, to := resolve(t, w, "a.txt"), resolve(t, w, "b.txt")
	write(t, root, map[string]string{"b.txt": "mine\n"})
	if err := w.Move(t.Context(), a, to, "x\n"); !errors.Is(err, workspace.ErrChanged) || readDisk(t, root+"/b.txt") != "mine\n" || readDisk(t, root+"/a.txt") != "x\n" {
		t.Errorf("moved over a file: %v", err)
	}
}

// operator is an editor that deletes and moves files.
type operator struct {
	buffers

	root  string
	asked []string
	err   error // what it answers
	lazy  bool  // it answers, and does nothing
	froze bool
}

func (o *operator) Frozen(string) bool { return o.froze }

func (o *operator) Delete(_ context.Context, abs string) error {
	o.asked = append(o.asked, "delete "+strings.TrimPrefix(abs, o.root+"/"))
	if o.err == nil && !o.lazy {
		delete(o.texts, abs)
		return os.Remove(abs)
	}
	return o.err
}

func (o *operator) Move(_ context.Context, from, to string) error {
	o.asked = append(o.asked, "move "+strings.TrimPrefix(from, o.root+"/")+" "+strings.TrimPrefix(to, o.root+"/"))
	if o.err == nil && !o.lazy {
		o.texts[to] = o.texts[from]
		delete(o.texts, from)
		return os.Rename(from, to)
	}
	return o.err
}

// Row 29: the file of an open document is deleted and moved by its editor, and what the disk shows counts, whatever the
// editor says.
func TestTheEditorDeletesAndMovesWhatItHasOpen(t *testing.T) {
	for name, tt := range map[string]struct {
		text    string // of the buffer
		err     error
		lazy    bool
		frozen  bool
		want    error // nil: it is done
		asks    bool
		message string
	}{
		"saved":                     {text: "x\n", asks: true},
		"saved, with CRLF":          {text: "x\r\n", asks: true},
		"not saved":                 {text: "x\ntyped\n", want: workspace.ErrUnsaved, message: "save it first"},
		"cannot do it":              {text: "x\n", err: workspace.ErrNoFileOperations, asks: true},
		"refuses":                   {text: "x\n", err: errors.New("no"), want: workspace.ErrNotApplied, asks: true, message: "no"},
		"does not answer":           {text: "x\n", err: workspace.ErrUnknown, want: workspace.ErrUnknown, asks: true},
		"says yes and does nothing": {text: "x\n", lazy: true, want: workspace.ErrUnknown, asks: true, message: "the disk does not show it"},
		"frozen":                    {text: "x\n", frozen: true, want: workspace.ErrNotWritable, message: "did not say what became of an edit"},
	} {
		for _, move := range []bool{false, true} {
			root := tree(t, map[string]string{"a.txt": "x\n"})
			o := &operator{buffers: buffers{texts: map[string]string{root + "/a.txt": tt.text}}, root: root, err: tt.err, lazy: tt.lazy, froze: tt.frozen}
			w := open(t, root, o)
			asked := "delete a.txt"
			var err error
			if a := resolve(t, w, "a.txt"); move {
				asked = "move a.txt new/b.txt"
				err = w.Move(t.Context(), a, resolve(t, w, "new/b.txt"), "x\n")
			} else {
				err = w.Delete(t.Context(), a, "x\n")
			}
			if !errors.Is(err, tt.want) || err != nil && !strings.Contains(err.Error(), tt.message) {
				t.Errorf("%s: %s: %v", name, asked, err)
			}
			if _, missing := os.Lstat(root + "/a.txt"); (missing != nil) != (tt.want == nil) {
				t.Errorf("%s: %s: a.txt: %v", name, asked, missing)
			}
			if _, missing := os.Lstat(root + "/new/b.txt"); (missing == nil) != (move && tt.want == nil) {
				t.Errorf("%s: %s: new/b.txt: %v", name, asked, missing)
			}
			if got := strings.Join(o.asked, "; "); tt.asks && got != asked || !tt.asks && got != "" {
				t.Errorf("%s: asked the editor for %q", name, got)
			}
		}
	}
}

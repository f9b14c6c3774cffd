//go:build unix

package workspace_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools/workspace"
)

// EachFile sees what Walk and Read see.
func TestEachFileIsWalkAndRead(t *testing.T) {
	root := tree(t, map[string]string{
		".gitignore": "*.log\n", "a.log": "x", "a.txt": "a\n", "ask.chat.md": "chat\n", "empty.txt": "", "zero.bin": "a\x00b", "late.bin": strings.Repeat("x", 1<<16) + "\x00",
		"latin.txt": "gr\xfc\xdfe\n", "open.txt": "on disk\n", "src/b.go": "package b\n", "src/deep/er/c.go": "package c\n", "large.txt": strings.Repeat("line\n", 50_000), ".git/config": "x",
	})
	link(t, "/etc", filepath.Join(root, "link-out"))
	link(t, "a.txt", filepath.Join(root, "link-file"))
	w := open(t, root, &buffers{texts: map[string]string{filepath.Join(root, "open.txt"): "in the buffer\n"}})
	var want []string
	tell := func(p workspace.Path, text string) string {
		return fmt.Sprintf("%s protected=%v %d bytes %.20q", p.Rel, p.Protected != "", len(text), text)
	}
	must(t, w.Walk(t.Context(), resolve(t, w, "."), func(p workspace.Path) error {
		if p.Dir {
			return nil
		}
		f, err := w.Read(t.Context(), p)
		want = append(want, tell(p, f.Text))
		return err
	}))
	var mu sync.Mutex
	type seen struct {
		order int
		text  string
	}
	var all []seen
	must(t, w.EachFile(t.Context(), resolve(t, w, "."), func(m workspace.Met) error {
		text := ""
		err := m.Text(t.Context(), func(data []byte) {
			if workspace.IsText(data) {
				text = string(data)
			}
		})
		mu.Lock()
		defer mu.Unlock()
		all = append(all, seen{m.Order, tell(m.Path, text)})
		return err
	}))
	slices.SortFunc(all, func(a, b seen) int { return cmp.Compare(a.order, b.order) })
	var got []string
	for _, s := range all {
		got = append(got, s.text)
	}
	if diff := diff.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A file or folder that is swapped for a link while the files are read is not followed, at whatever moment.
func TestEachFileFollowsNoLinkThatIsSwappedIn(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for swapped, target := range map[string]string{"a": ".git", "a/config": ".env", "b": "a"} {
			root := tree(t, map[string]string{"a/config": "safe\n", "a/.env": "secret\n", "b/config": "safe\n", ".git/config": "secret\n", ".git/HEAD": "x"})
			s := &lockedSwapper{swapper: swapper{left: n, swap: func() {
				must(t, os.Rename(filepath.Join(root, swapped), filepath.Join(root, "was")))
				link(t, target, filepath.Join(root, swapped))
			}}}
			w := open(t, root, s)
			must(t, w.EachFile(t.Context(), resolve(t, w, "."), func(m workspace.Met) error {
				if m.Protected != "" {
					return nil
				}
				_ = m.Text(t.Context(), func(data []byte) {
					if string(data) != "safe\n" {
						t.Errorf("at %d: %s holds %q", n, m.Rel, data)
					}
				})
				return nil
			}))
		}
	}
}

type lockedSwapper struct {
	swapper

	mu sync.Mutex
}

func (s *lockedSwapper) Text(name string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.swapper.Text(name)
}

// An editor saves a file by putting another one in its place.
func TestEachFileReadsAFileThatIsSavedMeanwhile(t *testing.T) {
	root := tree(t, map[string]string{"a.txt": "old\n", "new": "new\n"})
	s := &lockedSwapper{swapper: swapper{left: 1 << 30, swap: func() {}}}
	w := open(t, root, s)
	must(t, w.EachFile(t.Context(), resolve(t, w, "."), func(m workspace.Met) error {
		if m.Rel != "a.txt" {
			return nil
		}
		must(t, os.Rename(filepath.Join(root, "new"), filepath.Join(root, "a.txt")))
		return m.Text(t.Context(), func(data []byte) {
			if string(data) != "new\n" {
				t.Errorf("%q was read", data)
			}
		})
	}))
}

// What is no file any more when it is to be read is not read, and nobody waits for it.
func TestEachFileReadsNoPipe(t *testing.T) {
	root := tree(t, map[string]string{"a.txt": "old\n"})
	w := open(t, root, nil)
	must(t, w.EachFile(t.Context(), resolve(t, w, "."), func(m workspace.Met) error {
		must(t, os.Remove(filepath.Join(root, "a.txt")))
		must(t, syscall.Mkfifo(filepath.Join(root, "a.txt"), 0o600))
		err := m.Text(t.Context(), func(data []byte) { t.Errorf("%q was read", data) })
		if !errors.Is(err, workspace.ErrNotRegular) {
			t.Errorf("the error is %v", err)
		}
		return nil
	}))
}

// Nothing above a file is looked at again when it is read: one open file and one question for a document are enough.
func TestEachFileAsksOnceForEachDocument(t *testing.T) {
	root := tree(t, map[string]string{"a/b/c/d/1": "", "a/b/c/d/2": "", "a/b/3": ""})
	s := &lockedSwapper{swapper: swapper{left: 1 << 30}}
	w := open(t, root, s)
	top := resolve(t, w, ".")
	before := s.left
	must(t, w.EachFile(t.Context(), top, func(m workspace.Met) error { return m.Text(t.Context(), func([]byte) {}) }))
	if asked := before - s.left; asked > 5 { // two for the folder
		t.Errorf("3 files took %d questions", asked)
	}
}

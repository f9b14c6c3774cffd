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

// buffers is an editor with open documents.
type buffers struct {
	workspace.NoBuffers

	texts   map[string]string
	unsaved []string
	refuse  error
	after   func() // called before a change is taken
}

func (b *buffers) Text(abs string) (string, bool) {
	text, ok := b.texts[abs]
	return text, ok
}

func (b *buffers) Replace(_ context.Context, abs, before, after string) error {
	if b.after != nil {
		b.after()
	}
	if b.refuse != nil {
		return b.refuse
	}
	if b.texts[abs] != before {
		return workspace.ErrChanged
	}
	b.texts[abs] = after
	b.unsaved = append(b.unsaved, abs)
	return nil
}

func (b *buffers) Unsaved() []string { return b.unsaved }

// Promise 6.
func TestOpenRefusesWideFolders(t *testing.T) {
	base := t.TempDir()
	home := filepath.Join(base, "users", "me")
	project := filepath.Join(home, "project")
	if err := os.MkdirAll(project, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	link(t, home, filepath.Join(base, "linked"))
	for _, wide := range []string{"/", home, filepath.Dir(home), base, filepath.Join(base, "linked"), project + "/.."} {
		if w, err := workspace.Open(wide, nil); !errors.Is(err, workspace.ErrTooWide) {
			t.Errorf("Open(%q) = %v, %v; want ErrTooWide", wide, w, err)
		}
		if err := workspace.Check(wide); !errors.Is(err, workspace.ErrTooWide) || !strings.HasSuffix(err.Error(), "is too wide for a workspace: open a folder inside it.") {
			t.Errorf("Check(%q) = %v; want ErrTooWide", wide, err)
		}
	}
	// The home folder may itself be a link.
	t.Setenv("HOME", filepath.Join(base, "linked"))
	if _, err := workspace.Open(home, nil); !errors.Is(err, workspace.ErrTooWide) {
		t.Errorf("Open(target of HOME) = %v; want ErrTooWide", err)
	}
	w := open(t, project, nil)
	if w.Name() != "project" || w.Root() != project {
		t.Errorf("Name, Root = %q, %q", w.Name(), w.Root())
	}
	if _, err := workspace.Open(filepath.Join(base, "none"), nil); err == nil {
		t.Error("a folder that does not exist was opened")
	}
}

func TestUnsavedNamesOnlyThisWorkspace(t *testing.T) {
	root := tree(t, nil)
	b := &buffers{unsaved: []string{root + "/b.txt", root + "-evil/c.txt", root + "/a.txt", root + "/b.txt"}}
	if diff := cmp.Diff([]string{"a.txt", "b.txt"}, open(t, root, b).Unsaved()); diff != "" {
		t.Error(diff)
	}
}

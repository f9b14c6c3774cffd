package userstate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, root string, b workspace.Buffers) *workspace.Workspace {
	t.Helper()
	w, err := workspace.Open(root, b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func readDisk(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func resolve(t *testing.T, w *workspace.Workspace, name string) workspace.Path {
	t.Helper()
	p, err := w.Resolve(name)
	if err != nil {
		t.Fatalf("Resolve(%q): %v", name, err)
	}
	return p
}

// tree makes files below a new folder named ws and returns the folder. A name that ends with "/" is a folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "ws")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, root, files)
	return root
}

func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		abs := filepath.Join(root, filepath.FromSlash(name))
		dir := filepath.Dir(abs)
		if strings.HasSuffix(name, "/") {
			dir = abs
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if dir == abs {
			continue
		}
		if err := os.WriteFile(abs, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func openState(t *testing.T, dir string) *userstate.State {
	t.Helper()
	s, err := userstate.OpenState(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

//go:build unix

package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/workspace"
	"github.com/assent-ls/assent/tools/workspace/workspacetest"
)

// Promise 4. Invariant 10.
func TestResolveRefusesThePathCorpus(t *testing.T) {
	root, outside := workspacetest.Hostile(t)
	w := open(t, root, nil)
	corpus := workspacetest.RefusedPaths(root, outside)
	if len(corpus) < 60 {
		t.Fatalf("the corpus has only %d forms", len(corpus))
	}
	for _, name := range corpus {
		p, err := w.Resolve(name)
		if err == nil {
			t.Errorf("Resolve(%q) = %+v; want an error", name, p)
			continue
		}
		if !errors.Is(err, workspace.ErrOutside) && !errors.Is(err, workspace.ErrInvalid) && !errors.Is(err, workspace.ErrNotRegular) && !errors.Is(err, workspace.ErrNotFound) {
			t.Errorf("Resolve(%q): %v is of no kind", name, err)
		}
		if text := err.Error(); !strings.HasSuffix(text, ".") || strings.ContainsAny(text, "\x00\x1b\n\r") || strings.Contains(text, "\u202e") {
			t.Errorf("Resolve(%q): %q is no clean sentence", name, text)
		}
	}
}

// What Resolve refuses must also be out of reach for somebody who makes up a Path.
func TestForgedPathsReachNothing(t *testing.T) {
	root, outside := workspacetest.Hostile(t)
	w := open(t, root, nil)
	for _, name := range workspacetest.RefusedPaths(root, outside) {
		forged := workspace.Path{Rel: name, Abs: filepath.Join(root, name), Exists: true}
		if f, err := w.Read(t.Context(), forged); err == nil {
			t.Errorf("Read(%q) = %q", name, f.Text)
		}
		if err := w.Replace(t.Context(), forged, nil, "x"); err == nil {
			t.Errorf("Replace(%q) wrote", name)
		}
	}
	if got := readDisk(t, outside+"/secret.txt"); got != "canary\n" {
		t.Errorf("the outside file holds %q", got)
	}
}

func TestResolveRefusesDevices(t *testing.T) {
	w, err := workspace.Open("/dev", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close() //nolint:errcheck // only read
	if _, err := w.Resolve("null"); !errors.Is(err, workspace.ErrNotRegular) {
		t.Errorf("Resolve of a device = %v; want ErrNotRegular", err)
	}
}

// Promise 5.
func TestHardLinksAreReadButNotWritten(t *testing.T) {
	root, outside := workspacetest.Hostile(t)
	if err := os.Link(outside+"/secret.txt", root+"/hard.txt"); err != nil {
		t.Fatal(err)
	}
	w := open(t, root, nil)
	p := resolve(t, w, "hard.txt")
	if err := w.Writable(p); !errors.Is(err, workspace.ErrNotWritable) {
		t.Errorf("Writable = %v; want ErrNotWritable", err)
	}
	before := "canary\n"
	if err := w.Replace(t.Context(), p, &before, "changed\n"); !errors.Is(err, workspace.ErrNotWritable) {
		t.Errorf("Replace = %v; want ErrNotWritable", err)
	}
	if got := readDisk(t, outside+"/secret.txt"); got != before {
		t.Errorf("the other name holds %q", got)
	}
}

func TestResolveAccepts(t *testing.T) {
	root, _ := workspacetest.Hostile(t)
	for name, target := range map[string]string{
		"in-file": "src/main.go", "in-dir": "src", "in-abs": root + "/src/deep", "in-up": "src/../README.md", "in-missing": "src/new.go", "src/self": "../src/deep",
	} {
		link(t, target, filepath.Join(root, name))
	}
	alias := filepath.Join(t.TempDir(), "alias")
	link(t, root, alias)
	w := open(t, alias, nil)
	for _, tt := range []struct {
		name, rel   string
		exists, dir bool
	}{
		{"README.md", "README.md", true, false},
		{"./README.md", "README.md", true, false},
		{".//README.md", "README.md", true, false},
		{"src//main.go", "src/main.go", true, false},
		{"src/./main.go", "src/main.go", true, false},
		{"src/../README.md", "README.md", true, false},
		{"src/deep/../main.go", "src/main.go", true, false},
		{"ws/README.md", "README.md", true, false},
		{"./ws/src/main.go", "src/main.go", true, false},
		{"ws", ".", true, true},
		{"ws/", ".", true, true},
		{"", ".", true, true},
		{".", ".", true, true},
		{"./", ".", true, true},
		{"src", "src", true, true},
		{"src/", "src", true, true},
		{"src/.", "src", true, true},
		{"src/..", ".", true, true},
		{root, ".", true, true},
		{root + "/", ".", true, true},
		{root + "/src/main.go", "src/main.go", true, false},
		{"/" + root + "//src/main.go", "src/main.go", true, false},
		{alias + "/src/main.go", "src/main.go", true, false},
		{"new.txt", "new.txt", false, false},
		{"new/deep/file.txt", "new/deep/file.txt", false, false},
		{"new/../README.md", "README.md", true, false},
		{"in-file", "src/main.go", true, false},
		{"in-dir/main.go", "src/main.go", true, false},
		{"in-dir/", "src", true, true},
		{"in-abs/a.txt", "src/deep/a.txt", true, false},
		{"in-abs/..", "src", true, true},
		{"in-up", "README.md", true, false},
		{"in-missing", "src/new.go", false, false},
		{"src/self/a.txt", "src/deep/a.txt", true, false},
		{"a name with blanks.txt", "a name with blanks.txt", false, false},
		{"ünïcode/文件.md", "ünïcode/文件.md", false, false},
		{"...", "...", false, false},
		{"-rf", "-rf", false, false},
		{"--approve-all", "--approve-all", false, false},
	} {
		p := resolve(t, w, tt.name)
		if p.Rel != tt.rel || p.Exists != tt.exists || p.Dir != tt.dir || p.Abs != filepath.Join(root, tt.rel) || p.Protected != "" {
			t.Errorf("Resolve(%q) = %+v; want %q, exists %v, dir %v", tt.name, p, tt.rel, tt.exists, tt.dir)
		}
	}
}

// Promise 4. Invariant 10.
func TestALinkSwappedInIsNotFollowed(t *testing.T) {
	root := tree(t, map[string]string{"a/x.txt": "a\n", "b/x.txt": "b\n", ".git/config": "[core]\n"})
	w := open(t, root, nil)
	p := resolve(t, w, "a/x.txt")
	if err := os.Rename(root+"/a", root+"/was"); err != nil {
		t.Fatal(err)
	}
	link(t, "b", root+"/a")
	if f, err := w.Read(t.Context(), p); !errors.Is(err, workspace.ErrChanged) {
		t.Errorf("Read = %q, %v; want ErrChanged", f.Text, err)
	}
	before := "b\n"
	if err := w.Replace(t.Context(), p, &before, "x\n"); !errors.Is(err, workspace.ErrChanged) {
		t.Errorf("Replace = %v; want ErrChanged", err)
	}
}

// Promise 4. Invariant 10.
func FuzzResolve(f *testing.F) {
	for _, name := range workspacetest.RefusedPaths("/ws", "/ws-evil") {
		f.Add(name)
	}
	f.Add("src/../README.md")
	f.Add(".git/config")
	root := filepath.Join(f.TempDir(), "ws")
	if err := os.MkdirAll(root+"/src", 0o755); err != nil {
		f.Fatal(err)
	}
	if err := os.Symlink("..", root+"/src/up"); err != nil {
		f.Fatal(err)
	}
	w, err := workspace.Open(root, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = w.Close() })
	f.Fuzz(func(t *testing.T, name string) {
		p, err := w.Resolve(name)
		if err != nil {
			return
		}
		if p.Rel != "." && !filepath.IsLocal(p.Rel) {
			t.Errorf("Resolve(%q).Rel = %q leads out", name, p.Rel)
		}
		again, err := w.Resolve(root + "/" + p.Rel)
		if err != nil || again.Rel != p.Rel || again.Protected != p.Protected && p.Asked == p.Abs {
			t.Errorf("Resolve(%q) = %+v, but Resolve of its place = %+v, %v", name, p, again, err)
		}
	})
}

//go:build unix

package workspace_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assent-ls/assent/tools/workspace"
)

// hostile makes a workspace with every kind of way out of it.
func hostile(t *testing.T) (root, outside string) {
	t.Helper()
	root = tree(t, map[string]string{
		"README.md": "hello\n", "src/main.go": "package main\n", "src/deep/a.txt": "a\n", "empty/": "",
	})
	outside = filepath.Join(filepath.Dir(root), "ws-evil")
	write(t, outside, map[string]string{"secret.txt": "canary\n", "dir/x.txt": "canary\n"})
	for name, target := range map[string]string{
		"link-file": outside + "/secret.txt", "link-dir": outside, "link-rel": "../ws-evil/secret.txt", "link-rel-dir": "../ws-evil",
		"link-up": "..", "src/link-up": "../..", "link-root": "/", "link-etc": "/etc", "link-proc": "/proc/self/root", "link-cwd": "/proc/self/cwd",
		"link-null": "/dev/null", "link-loop": "link-loop", "loop-a": "loop-b", "loop-b": "loop-a", "link-chain": "link-chain2", "link-chain2": "link-rel",
		"link-dangling": "../nothing-there", "link-evil-name": root + "-evil/secret.txt", "link-dots": "src/../../ws-evil/secret.txt", "link-slash": outside + "/",
	} {
		link(t, target, filepath.Join(root, name))
	}
	if err := syscall.Mkfifo(filepath.Join(root, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	link(t, "fifo", filepath.Join(root, "link-fifo"))
	// A socket's path is short by rule, so it is made by its relative name.
	t.Chdir(root)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return root, outside
}

func refusedPaths(root, outside string) []string {
	return []string{
		"..", "../", "../ws-evil/secret.txt", "./../ws-evil/secret.txt", "src/../../ws-evil/secret.txt", "src/../..", "a/b/../../../ws-evil",
		"....//../..", "src/deep/../../../ws-evil/secret.txt", "../ws/README.md", "//../ws-evil", "./..", ".//..//ws-evil", "ws/../../ws-evil",
		"/", "//", "/etc/passwd", "//etc/passwd", "///etc/passwd", "/README.md", "/./etc/passwd", "/..",
		outside, outside + "/secret.txt", root + "-evil/secret.txt", root + "/../ws-evil/secret.txt", root + "/..", root + "/src/../../ws-evil", root + "../ws-evil",
		strings.ToUpper(root) + "/README.md", "/proc/self/root", "/proc/self/root" + root + "/README.md", "/proc/self/cwd/README.md", "/proc/1/environ",
		"/dev/null", "/dev/stdin", "/dev/fd/0", "/dev/tcp/127.0.0.1/80",
		"link-file", "link-dir", "link-dir/", "link-dir/secret.txt", "link-dir/dir/x.txt", "link-dir/new.txt", "link-rel", "link-rel-dir/secret.txt", "link-rel-dir/../ws-evil/secret.txt",
		"link-up", "link-up/ws-evil/secret.txt", "src/link-up", "src/link-up/ws-evil/secret.txt", "link-root", "link-root/etc/passwd", "link-etc/passwd", "link-proc/etc/passwd",
		"link-cwd/README.md", "link-null", "link-loop", "link-loop/x", "loop-a", "loop-b/x", "link-chain", "link-chain2", "link-dangling", "link-dangling/x",
		"link-evil-name", "link-dots", "link-slash", "link-slash/secret.txt", "src/../link-file", "./link-file", root + "/link-file", "link-file/", "link-file/.",
		"fifo", "link-fifo", "socket",
		"README.md/", "README.md/.", "README.md/..", "README.md/../README.md", "README.md/x", "src/main.go/", "src/main.go/../main.go", "new.txt/", "new/./", "new/.",
		"\x00", "README.md\x00", "README.md\x00.txt", "src\x00/main.go", "README.md\n", "\nREADME.md", "README\r.md", "README.md\x1b[2K", "README.md\x7f",
		"READ\u202eME.md", "READ\u200bME.md", "README.md\ufeff", "READ\U000E0041ME.md", "\u2066README.md", "READ\u00ADME\u200e.md",
		"READ\u00ADME.md", ".g\u00adit/config", ".gi\u034ft/config", ".gi\u3164t/config", "README\u3164.md", "README.md\u2800", "READ\u034FME.md",
		"README\xff.md", "\xc0\xae\xc0\xae/ws-evil", `..\ws-evil\secret.txt`, `src\main.go`, `C:\Windows\system.ini`, "C:/Windows/system.ini", "c:README.md", `\\server\share\x`, "README.md::$DATA",
		"~", "~/.bashrc", "file:///etc/passwd", "file:/etc/passwd", "FILE:README.md", "http://localhost/x", "vscode://settings",
		strings.Repeat("a", 256), strings.Repeat("a/", 2500) + "a",
	}
}

func TestResolveRefusesThePathCorpus(t *testing.T) {
	root, outside := hostile(t)
	w := open(t, root, nil)
	corpus := refusedPaths(root, outside)
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
	root, outside := hostile(t)
	w := open(t, root, nil)
	for _, name := range refusedPaths(root, outside) {
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

func TestHardLinksAreReadButNotWritten(t *testing.T) {
	root, outside := hostile(t)
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
	root, _ := hostile(t)
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

func FuzzResolve(f *testing.F) {
	for _, name := range refusedPaths("/ws", "/ws-evil") {
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

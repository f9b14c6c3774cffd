//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/sandbox"
)

// TestWhatAppearsIsHidden: a secret that a person makes between two commands is hidden from the second, also where
// somebody sets the times of its folder back, and what rules deny is hidden when they deny it.
// Promise 4.
func TestWhatAppearsIsHidden(t *testing.T) {
	var denied []string
	b := newBox(t, func(o *sandbox.Options) { o.Hidden = func() []string { return denied } })
	if !b.s.State(t.Context()).Proven {
		t.Skip("NOT TESTED: no sandbox here")
	}
	masked := func() []string {
		w, err := b.s.Wrap(t.Context(), sandbox.Command{Argv: []string{"/bin/true"}, Env: environ(), Dir: b.root})
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
		return w.Layer.Hidden
	}
	old := time.Now().Add(-time.Hour)
	deep := filepath.Join(b.root, "sub/deep")
	if err := os.Chtimes(deep, old, old); err != nil {
		t.Fatal(err)
	}
	first := masked()
	b.write("sub/deep/.env.local", "KEY=canary-of-the-workspace")
	if err := os.Chtimes(deep, old, old); err != nil {
		t.Fatal(err)
	}
	denied = []string{"main.go", "sub", "/etc/passwd", "no-such-file"}
	if !slices.Equal(first, []string{".env", "sub/deep/id_rsa"}) {
		t.Errorf("at first %v", first)
	}
	if got := masked(); !slices.Equal(got, []string{".env", "main.go", "sub"}) {
		t.Errorf("with rules %v", got)
	}
	if out, _ := b.sh("cat main.go; ls -A sub; cat sub/deep/a.txt"); out != "cat: main.go: No such file or directory\nls: cannot access 'sub': No such file or directory\ncat: sub/deep/a.txt: No such file or directory\n" {
		t.Errorf("denied, and yet: %s", out)
	}
	denied = nil
	if got := masked(); !slices.Equal(got, []string{".env", "sub/deep/.env.local", "sub/deep/id_rsa"}) {
		t.Errorf("then %v", got)
	}
}

// TestToolchains: what people run all day works without a network and without their home folder.
// Promise 4.
func TestToolchains(t *testing.T) {
	b := newBox(t)
	if !b.s.State(t.Context()).Proven {
		t.Skip("NOT TESTED: no sandbox here")
	}
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", b.root).CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: no git: %s", out)
	}
	b.write("go.mod", "module example.org/m\n\ngo 1.21\n")
	b.write("main.go", "package main\n\nfunc main() { println(1) }\n")
	for _, line := range []string{"git status --short", "git log --oneline 2>/dev/null; git diff", "go list ./...", "go build -buildvcs=false -o prog . && ./prog", "go mod tidy"} {
		if out, status := b.sh(line); status != 0 {
			t.Errorf("%s: %s", line, out)
		}
	}
}

// The programs of toolchains and of folders on PATH can be run. What lies beside them, such as the passwords of package
// managers, cannot be read.
// Promise 4.
func TestCredentialsBesideToolchains(t *testing.T) {
	h, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	t.Setenv("HOME", h)
	elsewhere, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	write := func(path, text string, mode os.FileMode) {
		t.Helper()
		must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode)))
	}
	for _, name := range []string{
		".nvm/.npmrc", ".nvm/versions/node/v22/.npmrc", ".pub-cache/credentials.json", ".dotnet/corefx/cryptography/x509stores/my/a.pfx", ".local/share/uv/credentials/c.toml",
		".virtualenvs/e/pip.conf", "miniconda3/.condarc", "miniconda3/envs/e/pip.conf", ".npm-global/etc/npmrc", ".cargo/credentials.toml", ".pyenv/versions/3/pip.conf", ".m2/settings.xml",
		".gem/credentials", ".opam/config", "bin/token", ".config/gh/hosts.yml",
	} {
		write(filepath.Join(h, name), "canary\n", 0o644)
	}
	for _, name := range []string{"tool/etc/npmrc", "tool/bin/.npmrc", "tool/bin/notes.txt", "tool/home/x", "plain/secret", "plain/id_rsa"} {
		write(filepath.Join(elsewhere, name), "canary\n", 0o644)
	}
	write(filepath.Join(elsewhere, "tool/lib/data"), "data\n", 0o644)
	write(filepath.Join(elsewhere, "tool/bin/prog"), "#!/bin/sh\ncat \"$(dirname \"$0\")/../lib/data\"\n", 0o755)
	write(filepath.Join(elsewhere, "plain/run"), "#!/bin/sh\necho runs\n", 0o755)
	write(filepath.Join(h, ".virtualenvs/e/bin/venv"), "#!/bin/sh\necho venv\n", 0o755)
	must(t, os.Symlink("run", filepath.Join(elsewhere, "plain/linked")))
	t.Setenv("PATH", strings.Join([]string{filepath.Join(h, ".virtualenvs/e/bin"), filepath.Join(h, "bin"), elsewhere + "/tool/bin", elsewhere + "/plain", os.Getenv("PATH")}, ":"))
	b := newBox(t)
	if !b.s.State(t.Context()).Proven {
		t.Skip("NOT TESTED: no sandbox here")
	}
	if out, _ := b.sh("prog; run; linked; venv; grep -rs canary $HOME " + elsewhere); out != "data\nruns\nruns\nvenv\n" {
		t.Errorf("%s", out)
	}
}

// A toolchain that leads into the workspace shows nothing of what is hidden there.
// Promise 4.
func TestAToolchainInTheWorkspace(t *testing.T) {
	h, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	t.Setenv("HOME", h)
	b := newBox(t)
	must(t, errors.Join(os.Mkdir(filepath.Join(h, ".virtualenvs"), 0o755), os.Mkdir(filepath.Join(h, "go"), 0o755)))
	must(t, errors.Join(os.Symlink(b.root, filepath.Join(h, ".virtualenvs/e")), os.Symlink(filepath.Join(b.root, "sub"), filepath.Join(h, "go/bin"))))
	if !b.s.State(t.Context()).Proven {
		t.Skip("NOT TESTED: no sandbox here")
	}
	if out, _ := b.sh("grep -rs canary-of $HOME/.virtualenvs/e/ $HOME/go/bin/; echo over"); out != "over\n" {
		t.Error(out)
	}
}

// A secret that a person saves while a command runs, by writing it or by putting a new file in its place, stays hidden.
// Promise 4.
func TestASecretThatIsSavedStaysHidden(t *testing.T) {
	eachKind(t, func(t *testing.T, b box) {
		ctx, cancel := context.WithCancel(t.Context())
		saved := make(chan struct{})
		go func() {
			defer close(saved)
			path := filepath.Join(b.root, ".env")
			for i := 0; ctx.Err() == nil; i++ {
				text := []byte(strings.Repeat("KEY=canary-of-the-workspace\n", 1+i%3))
				if i%2 == 0 {
					_ = os.WriteFile(path, text, 0o600) // the next one may do
					continue
				}
				if os.WriteFile(path+".new", text, 0o600) == nil {
					_ = os.Rename(path+".new", path)
				}
			}
		}()
		out, _ := b.sh("for i in $(seq 300); do cat .env sub/deep/id_rsa; ls .env; done 2>&1 | grep -v 'No such file'; echo done")
		cancel()
		<-saved
		if out != "done\n" {
			t.Errorf("%.300s", out)
		}
	})
}

// Any number of secrets is hidden.
// Promise 4.
func TestManySecrets(t *testing.T) {
	b := newBox(t)
	for i := range 1200 {
		b.write(fmt.Sprintf("many/%d/.env", i), "KEY=canary-of-the-workspace\n")
	}
	if !b.s.State(t.Context()).Proven {
		t.Skip("NOT TESTED: no sandbox here")
	}
	if out, _ := b.sh("grep -rs canary-of-the-workspace . ; find . -name .env | wc -l"); out != "0\n" {
		t.Errorf("%.300s", out)
	}
}

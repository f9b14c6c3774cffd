//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/sandbox"
)

// TestWhatAppearsIsHidden: a secret that a person makes between two commands is hidden from the second, also where somebody sets the
// times of its folder back, and what rules deny is hidden when they deny it.
func TestWhatAppearsIsHidden(t *testing.T) {
	var denied []string
	b := newBox(t, func(o *sandbox.Options) { o.Hidden = func() []string { return denied } })
	if !b.s.State(t.Context()).Proven {
		t.Skip("NOT TESTED: no sandbox here")
	}
	masked := func() []string {
		w, err := b.s.Wrap(t.Context(), []string{"/bin/true"}, environ(), b.root)
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
		return w.Masked
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
	if out, _ := b.sh("cat main.go; ls -A sub; cat sub/deep/a.txt"); out != "cat: sub/deep/a.txt: No such file or directory\n" {
		t.Errorf("denied, and yet: %s", out)
	}
	denied = nil
	if got := masked(); !slices.Equal(got, []string{".env", "sub/deep/.env.local", "sub/deep/id_rsa"}) {
		t.Errorf("then %v", got)
	}
}

// S14: a workspace that is itself a repository without a working tree is protected as a whole, so no command runs in it in a sandbox.
func TestABareRepositoryHasNoSandbox(t *testing.T) {
	b := newBox(t)
	if !b.s.State(t.Context()).Proven {
		t.Skip("NOT TESTED: no sandbox here")
	}
	for _, name := range []string{"HEAD", "config", "objects/pack/x", "refs/heads/main"} {
		b.write(name, "x\n")
	}
	if _, err := b.s.Wrap(t.Context(), []string{"/bin/true"}, environ(), b.root); err == nil || !strings.Contains(err.Error(), "repository") {
		t.Errorf("Wrap = %v", err)
	}
}

// TestToolchains: what people run all day works without a network and without their home folder.
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

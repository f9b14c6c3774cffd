//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	sandboxtest.Handle()
	cache := os.Getenv("ASSENT_TEST_CACHE")
	if user, err := os.UserCacheDir(); cache == "" && err == nil {
		cache = filepath.Join(user, "assent-test")
	}
	sandbox.AlsoBubblewrap(filepath.Join(cache, "bubblewrap/usr/bin/bwrap")) // see editors/e2e/install/bubblewrap.sh
	os.Exit(m.Run())
}

// box is a workspace with a sandbox around it.
type box struct {
	t    *testing.T
	root string
	s    *sandbox.Sandbox
}

// eachKind runs a test in each kind of sandbox that there can be here. One that cannot be had is reported as skipped.
func eachKind(t *testing.T, test func(t *testing.T, b box)) {
	t.Helper()
	kinds := []string{"bubblewrap", "namespaces"}
	if os.Getenv("ASSENT_SANDBOX_NO_BUBBLEWRAP") != "" {
		kinds = kinds[1:]
	}
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Setenv(map[string]string{"namespaces": "ASSENT_SANDBOX_NO_BUBBLEWRAP", "bubblewrap": "ASSENT_SANDBOX_NO_NAMESPACES"}[kind], "1")
			b := newBox(t)
			if state := b.s.State(t.Context()); state.Kind != kind {
				worked := func(detail string) bool { return strings.HasSuffix(detail, "as it must be") }
				t.Skipf("NOT TESTED: no %s here: %s", kind, slices.DeleteFunc(state.Details, worked))
			}
			test(t, b)
		})
	}
}

// newBox makes a workspace as people have them: a repository with a secret in it.
func newBox(t *testing.T, change ...func(*sandbox.Options)) box {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := box{t: t, root: root}
	for name, text := range map[string]string{
		"main.go": "package main\n", "sub/deep/a.txt": "a\n", ".git/config": "[core]\n", ".git/HEAD": "ref: refs/heads/main\n",
		".git/hooks/pre-commit.sample": "#!/bin/sh\n", ".env": "KEY=canary-of-the-workspace\n", "sub/deep/id_rsa": "canary-of-the-workspace\n",
		".vscode/settings.json": "{}\n", "sub/.npmrc": "x=canary-not-hidden\n",
		"AGENTS.md": "Use tabs.\n", "sub/AGENTS.md": "Use tabs.\n", "kept/in/AGENTS.md": "Use tabs.\n",
	} {
		b.write(name, text)
	}
	o := sandbox.Options{Helper: sandboxtest.Helper(), Root: root, Cache: t.TempDir()}
	for _, f := range change {
		f(&o)
	}
	b.s = sandbox.New(o)
	return b
}

func (b box) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.root, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o750), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		b.t.Fatal(err)
	}
}

// environ is what a command gets: a few names of the test's own environment.
func environ() []string {
	env := []string{"LANG=C.UTF-8"}
	for _, name := range []string{"HOME", "PATH", "GOPATH", "GOROOT", "GOFLAGS", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR", "PYENV_ROOT"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// command prepares a command in the sandbox.
func (b box) command(ctx context.Context, argv ...string) (*exec.Cmd, func()) {
	b.t.Helper()
	w, err := b.s.Wrap(ctx, sandbox.Command{Argv: argv, Env: environ(), Dir: b.root})
	if err != nil {
		b.t.Fatal(err)
	}
	return b.prepared(ctx, w), w.Close
}

// prepared is a command that was wrapped.
func (b box) prepared(ctx context.Context, w sandbox.Wrapped) *exec.Cmd {
	cmd := w.Command(ctx)
	cmd.Dir = b.root
	cmd.WaitDelay = 2 * time.Second
	return cmd
}

// sh runs a script of bash in the sandbox and returns all that it printed, and its exit status.
func (b box) sh(script string) (string, int) {
	b.t.Helper()
	return b.run("/bin/bash", "-c", script)
}

func (b box) run(argv ...string) (string, int) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 5*time.Minute)
	defer cancel()
	cmd, done := b.command(ctx, argv...)
	defer done()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		b.t.Fatalf("%v: %v", argv, err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// tree is what lies in a folder: names, kinds, permissions and contents.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += " " + string(content)
		} else if info.Mode()&os.ModeSymlink != 0 {
			target, _ := os.Readlink(path)
			text += " " + target
		}
		all[strings.TrimPrefix(path, root)] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

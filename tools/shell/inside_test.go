//go:build linux && (amd64 || arm64)

package shell_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/shell/shelltest"
)

// The keeper of a command is the first process of its sandbox: it sees how the command ends and what that leaves.
// Promise 4.
func TestTheKeeperIsInTheSandbox(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	confine, _ := confinement(t, "namespaces", root)
	for _, c := range []struct {
		line, output string
		status, left int
	}{
		{"echo $PPID; exit 7", "1\n", 7, 0},
		{"sleep 1000 & setsid sleep 1000 & sleep 0.1; echo over", "over\n", 0, 2},
		{"kill -KILL $$", "", 128 + 9, 0},
		{"cat", "", 0, 0},
		{"for i in $(seq 3000); do sleep 20 & done; wait", "The sandbox ended the command: it had more than 1000 processes.\n", 128 + 9, 0},
	} {
		o, err := shelltest.New().Run(t.Context(), shell.Command{Line: c.line, Dir: root, Confine: confine})
		if out := o.Output.Head; err != nil || out != c.output || o.Status != c.status || o.Left != c.left || o.Alive != 0 {
			t.Errorf("%s: %+v, %q, %v", c.line, o, out, err)
		}
	}
}

// A sandbox that cannot be made is an error, and the command does not run.
// Promise 4.
func TestNoView(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	confine, _ := confinement(t, "namespaces", root)
	gone := func(argv, env []string, dir string) (shell.Confined, error) {
		c, err := confine(argv, env, dir)
		c.Argv[len(c.Argv)-1] = "/no/such/order"
		return c, err
	}
	o, err := shelltest.New().Run(t.Context(), shell.Command{Line: "echo ran", Dir: root, Confine: gone})
	if err == nil || !strings.Contains(err.Error(), "/no/such/order") || len(o.Output.Head) > 0 {
		t.Errorf("%+v, %v", o, err)
	}
}

// S16: a command that is stopped while its sandbox is made ends too.
// Promise 4.
func TestStopWhileTheSandboxIsMade(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	confine, _ := confinement(t, "namespaces", root)
	for i := range 40 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i+1)*500*time.Microsecond) // the whole of its making is gone through
		o, err := shelltest.New().Run(ctx, shell.Command{Argv: []string{"/bin/sleep", "1000"}, Dir: root, Confine: confine, Timeout: time.Minute})
		cancel()
		if err == nil && (!o.Canceled || o.Alive > 0) {
			t.Errorf("stopped after %d half milliseconds: %+v", i+1, o)
		}
	}
}

// What the layer of a command holds is written to the disk when the kernel likes, so that the end of one does not wait
// for other programs.
func TestTheViewIsVolatile(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	confine, _ := confinement(t, "namespaces", root)
	o, err := shelltest.New().Run(t.Context(), shell.Command{Line: "grep ' - overlay ' /proc/self/mountinfo", Dir: root, Confine: confine})
	if err != nil || !strings.Contains(o.Output.Head, "volatile,") {
		t.Errorf("%s, %v", o.Output.Head, err)
	}
}

var _ shell.Inside = sandbox.Inside

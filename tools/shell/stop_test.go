//go:build linux && (amd64 || arm64)

package shell_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/shell/shelltest"
)

// stopLines begin with a part that a person stops. None of them catches the signal and goes on by itself.
var stopLines = map[string]string{
	"then":            "touch started; sleep 1000; touch late",
	"else":            "touch started; sleep 1000 || touch late",
	"pipeline":        "touch started; sleep 1000 | cat; touch late",
	"group":           "touch started; timeout 1000 sleep 1000; touch late",
	"session":         "touch started; setsid -w sleep 1000; touch late",
	"shell in it":     "sh -c 'touch started; sleep 1000; touch late'; touch late",
	"deaf program":    `sh -c 'trap "" TERM; touch started; exec sleep 1000'; touch late`,
	"ends well":       `sh -c 'trap "exit 0" TERM; touch started; while :; do sleep 0.01; done' && touch late`,
	"deaf, own group": `sh -c 'trap "" TERM; touch started; exec timeout 1000 sleep 1000'; touch late`,
}

// shellLines are more of them, which are no lines that can be understood.
var shellLines = map[string]string{
	"subshell":         "(touch started; sleep 1000; touch late); touch late",
	"background":       "(sleep 1000; touch late) & touch started; wait; touch late",
	"trap at the end":  `trap "touch cleaned" EXIT; touch started; sleep 1000; touch late`,
	"deaf":             `trap "" TERM; touch started; timeout 1000 sleep 1000; touch late`,
	"deaf in sessions": `trap "" TERM; touch started; setsid -w bash -c 'setsid -w sleep 1000; touch late'; touch late`,
	"deaf pipeline":    `trap "" TERM; touch started; timeout 1000 sleep 1000 | (cat; touch late); touch late`,
}

// S16: after a stop no further part of a command begins: in a line that was understood and in a shell, in each kind of
// sandbox and without one.
// Promise 4.
func TestNothingBeginsAfterStop(t *testing.T) {
	for _, kind := range []string{"none", "bubblewrap", "namespaces"} {
		t.Run(kind, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			var confine shell.Confine
			made := func() string { return root }
			if kind != "none" {
				confine, made = confinement(t, kind, root)
			}
			for name, line := range stopLines {
				t.Run(name, func(t *testing.T) { stops(t, shell.Command{Line: line, Dir: root, Confine: confine}, made) })
				t.Run(name+"/understood", func(t *testing.T) {
					c := shell.Command{Line: line, Dir: root, Confine: confine}
					understood(t, &c)
					stops(t, c, made)
				})
			}
			for name, line := range shellLines {
				t.Run(name, func(t *testing.T) { stops(t, shell.Command{Line: line, Dir: root, Confine: confine}, made) })
			}
		})
	}
}

// confinement puts commands into a kind of sandbox, or skips the test. made is where the files are that the last one
// makes; empty: nowhere yet.
func confinement(t *testing.T, kind, root string) (confine shell.Confine, made func() string) {
	t.Helper()
	s := sandboxtest.New(t, kind, root)
	var upper atomic.Value
	upper.Store("")
	confine = func(argv, env []string, dir string) (shell.Confined, error) {
		w, err := s.Wrap(t.Context(), sandbox.Command{Argv: argv, Env: env, Dir: dir})
		if err == nil {
			t.Cleanup(w.Close)
			upper.Store(w.Layer.Upper)
		}
		return shell.Confined{Argv: w.Argv, Env: w.Env, How: w.How}, err
	}
	return confine, func() string { return upper.Load().(string) } //nolint:forcetypeassert // nothing else is stored
}

// stops runs a command and stops it as soon as it has made the file "started".
func stops(t *testing.T, c shell.Command, made func() string) {
	t.Helper()
	before := made()
	if c.Confine == nil {
		before = ""
	}
	for _, name := range []string{"started", "late"} {
		if err := os.Remove(filepath.Join(c.Dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for made() == before {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
		await(ctx, filepath.Join(made(), "started"))
		cancel()
	}()
	o, err := shelltest.New().Run(ctx, c)
	if err != nil || !o.Canceled || o.Alive != 0 {
		t.Errorf("%+v, %v", o, err)
	}
	if _, err := os.Stat(filepath.Join(made(), "late")); !errors.Is(err, os.ErrNotExist) {
		t.Error("the next part ran")
	}
}

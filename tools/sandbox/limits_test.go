//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/sandbox"
)

// TestLimits (fault row 27): a file that grows without end, and a fork bomb.
// Promise 4.
func TestLimits(t *testing.T) {
	eachKind(t, func(t *testing.T, b box) {
		out, status := b.sh("ulimit -f; ulimit -c; truncate -s 3G big; echo $?; rm -f big")
		if want := "2097152\n0\n"; !strings.HasPrefix(out, want) || strings.HasSuffix(out, "\n0\n") {
			t.Errorf("status %d: %s", status, out)
		}
		// No real fork bomb: if nothing stops it, it ends at 3,000 processes.
		out, status = b.sh("for i in $(seq 3000); do sleep 20 & done; echo ALL; wait")
		if status != 128+9 || !strings.Contains(out, "more than 1000 processes") || sandbox.Blocked(out, status) == "" {
			t.Errorf("status %d: %s", status, out)
		}
	})
}

// The memory of all processes together is bounded, with a sentence.
// Promise 4.
func TestMemory(t *testing.T) {
	b := newBox(t, func(o *sandbox.Options) { o.Memory = 300 << 20 })
	if !b.s.State(t.Context()).Proven {
		t.Skip("NOT TESTED: no sandbox here")
	}
	for _, script := range []string{"sort /dev/zero", "for i in 1 2 3 4; do sort -S 90M /dev/zero & done; wait"} {
		w, err := b.s.Wrap(t.Context(), sandbox.Command{Argv: []string{"/bin/bash", "-c", script}, Env: environ(), Dir: b.root})
		must(t, err)
		out, err := b.prepared(t.Context(), w).CombinedOutput()
		if said := string(out) + w.Exceeded(); !strings.Contains(said, "it used more than 300 MB of memory") { // by what is looked at, or by a control group
			t.Errorf("%s: %v: %s", script, err, said)
		}
		w.Close()
	}
}

// So is what it writes in the workspace.
// Promise 4.
func TestDisk(t *testing.T) {
	b := newBox(t, func(o *sandbox.Options) { o.Disk = 5e6 })
	if !b.s.State(t.Context()).Proven {
		t.Skip("NOT TESTED: no sandbox here")
	}
	for script, ends := range map[string]bool{"truncate -s 1G sparse; echo x >f; sleep 2": false, "for i in $(seq 100); do head -c 100000 /dev/zero >f$i; done; sleep 60": true} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		w, err := b.s.Wrap(ctx, sandbox.Command{Argv: []string{"/bin/bash", "-c", script}, Env: environ(), Dir: b.root})
		must(t, err)
		cmd := b.prepared(ctx, w)
		must(t, cmd.Start())
		why := make(chan string, 1)
		go func() {
			defer cancel()
			why <- w.Watch(ctx)
		}()
		if !ends {
			must(t, cmd.Wait())
			cancel()
		}
		if said := <-why; strings.Contains(said, "commandDisk") != ends {
			t.Errorf("%s: %q", script, said)
		}
		cancel()
		_ = cmd.Wait() // it was killed
		w.Close()
	}
}

// A command has no power over the process that ends and counts the others.
// Promise 4.
func TestTheFirstProcessIsOutOfReach(t *testing.T) {
	eachKind(t, func(t *testing.T, b box) {
		for _, signal := range []string{"TERM", "QUIT", "KILL", "ABRT", "STOP", "HUP"} {
			if out, _ := b.sh("kill -" + signal + " 1 && echo SENT; echo on"); !strings.Contains(out, "Operation not permitted") || !strings.HasSuffix(out, "on\n") {
				t.Errorf("%s: %s", signal, out)
			}
		}
		const limits = `python3 -c '
import os, resource
for p in [1] + [int(t) for t in os.listdir("/proc/1/task")]:
    for r in (resource.RLIMIT_NOFILE, resource.RLIMIT_AS, resource.RLIMIT_CPU):
        try:
            resource.prlimit(p, r, (0, 0)); print("LIMITED")
        except PermissionError:
            pass
'; echo on`
		if out, _ := b.sh(limits); out != "on\n" {
			t.Errorf("%s", out)
		}
	})
}

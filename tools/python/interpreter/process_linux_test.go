//go:build amd64 || arm64

package interpreter_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/python/interpreter"
	"github.com/assent-ls/assent/tools/python/interpreter/interpretertest"
)

// killer kills the helpers of an interpreter when it is called.
type killer struct {
	t    *testing.T
	done bool
}

func (k *killer) Call(ctx context.Context, calls []interpreter.Call) []interpreter.Answer {
	for _, pid := range children(k.t) {
		n, err := strconv.Atoi(pid)
		if err == nil {
			err = syscall.Kill(n, syscall.SIGKILL)
		}
		if err != nil {
			k.t.Error(err)
		}
	}
	<-ctx.Done() // it cannot get the answer any more
	k.done = true
	return make([]interpreter.Answer, len(calls))
}

// TestAKilledHelper: between an inner call and its result. The run ends with a sentence, and the next one works.
func TestAKilledHelper(t *testing.T) {
	if i := shared.Swap(nil); i != nil {
		i.Close()
	}
	i := interpretertest.New(t)
	host := &killer{t: t}
	p := interpreter.Program{Source: "print('before')\nread_file('a')", Functions: functions}
	result, err := i.Run(t.Context(), p, host)
	if err == nil || !strings.Contains(err.Error(), "the helper of the Python interpreter ended: signal: killed") ||
		result.Output != "before\n" || !host.done {
		t.Errorf("%+v, %v", result, err)
	}
	if result, err := i.Run(t.Context(), p, echo()); err != nil || result.Error != "" {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestAKilledIdleHelper: the next run has another one.
func TestAKilledIdleHelper(t *testing.T) {
	if i := shared.Swap(nil); i != nil {
		i.Close()
	}
	i := interpretertest.New(t)
	if _, err := i.Check(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	waiting := children(t)
	for _, pid := range waiting {
		n, err := strconv.Atoi(pid)
		if err == nil {
			err = syscall.Kill(n, syscall.SIGKILL)
		}
		if err != nil {
			t.Error(err)
		}
	}
	result, err := i.Run(t.Context(), interpreter.Program{Source: "1"}, nil)
	if err != nil || result.Output != "1\n" || len(waiting) != 1 {
		t.Errorf("%v waited: %+v, %v", waiting, result, err)
	}
}

// TestAHelperServesOneProgram: what a program leaves behind, no other sees.
func TestAHelperServesOneProgram(t *testing.T) {
	i := interpretertest.New(t)
	for range 3 {
		source := reach + "sys.modules['builtins'].left = getattr(sys.modules['builtins'], 'left', 0) + 1\nsys.modules['builtins'].left"
		result, err := i.Run(t.Context(), interpreter.Program{Source: source}, nil)
		if err != nil || result.Output != "1\n" {
			t.Errorf("%+v, %v", result, err)
		}
	}
}

// TestIdleHelpersEnd: a helper for which no program comes ends.
func TestIdleHelpersEnd(t *testing.T) {
	if i := shared.Swap(nil); i != nil {
		i.Close()
	}
	o := interpretertest.Options(t)
	o.Idle = time.Millisecond
	i, err := interpreter.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	if _, err := i.Check(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	until(t, "the helper ends", func() bool { return len(children(t)) == 0 })
}

// until waits for what happens in other processes.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("not in a minute: %s", what)
		}
	}
}

// TestMemoryAfterRuns: memory is given back, and no process is left.
func TestMemoryAfterRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs many programs")
	}
	if i := shared.Swap(nil); i != nil {
		i.Close()
	}
	o := interpretertest.Options(t)
	i, err := interpreter.New(o)
	if err != nil {
		t.Fatal(err)
	}
	one := func() {
		t.Helper()
		p := interpreter.Program{Source: "x = bytearray(30_000_000)\nread_file('a')\nlen(x)", Functions: functions}
		if result, err := i.Run(t.Context(), p, &scripted{}); err != nil || result.Output != "30000000\n" {
			t.Fatalf("%+v, %v", result, err)
		}
	}
	for range 3 {
		one()
	}
	before := resident(t)
	const runs = 20
	for range runs {
		one()
	}
	after := resident(t)
	t.Logf("%d MB before, %d MB after %d runs", before>>20, after>>20, runs)
	if after > before+20<<20 {
		t.Errorf("%d MB before, %d MB after", before>>20, after>>20)
	}
	i.Close()
	if left := children(t); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}

// resident is how much memory this process has, in bytes.
func resident(t testing.TB) int {
	t.Helper()
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("NOT TESTED: this system does not tell the memory of a process")
	}
	pages, err := strconv.Atoi(strings.Fields(string(raw))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// TestHelpersAreConfined: what the kernel knows of a helper that waits for a program.
func TestHelpersAreConfined(t *testing.T) {
	if i := shared.Swap(nil); i != nil {
		i.Close()
	}
	i := interpretertest.New(t)
	lacks, err := i.Lacks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if lacks != "" {
		t.Skip("NOT TESTED: " + lacks)
	}
	pids := children(t)
	if len(pids) != 1 {
		t.Fatalf("helpers: %v", pids)
	}
	proc := filepath.Join("/proc", pids[0])
	tasks, err := filepath.Glob(filepath.Join(proc, "task", "*", "status"))
	if err != nil || len(tasks) == 0 {
		t.Fatal(err, tasks)
	}
	for _, task := range tasks { // every thread
		status, err := os.ReadFile(task)
		for _, line := range []string{"Seccomp:\t2", "NoNewPrivs:\t1", "CapEff:\t0000000000000000"} {
			if err != nil || !strings.Contains(string(status), line) {
				t.Errorf("%s: no %q: %v", task, line, err)
			}
		}
	}
	for _, space := range []string{"net", "user", "pid", "ipc", "uts"} {
		own, err := os.Readlink("/proc/self/ns/" + space)
		theirs, err2 := os.Readlink(filepath.Join(proc, "ns", space))
		if err != nil || err2 != nil || own == theirs {
			t.Errorf("%s: %s, %s: %v, %v", space, own, theirs, err, err2)
		}
	}
	if environ, err := os.ReadFile(filepath.Join(proc, "environ")); err != nil || len(environ) > 0 {
		t.Errorf("environment %q, %v", environ, err)
	}
	files, err := os.ReadDir(filepath.Join(proc, "fd"))
	var open []string
	for _, f := range files {
		to, err := os.Readlink(filepath.Join(proc, "fd", f.Name()))
		if err != nil {
			t.Error(err)
		}
		if strings.HasPrefix(to, "/") {
			open = append(open, to)
		}
	}
	open = slices.DeleteFunc(open, func(path string) bool { return strings.HasPrefix(path, "/sys/fs/cgroup/") }) // Go's runtime
	if err != nil || len(open) > 0 {
		t.Errorf("open files: %v, %v", open, err)
	}
	limits, err := os.ReadFile(filepath.Join(proc, "limits"))
	if err != nil || !strings.Contains(string(limits), fmt.Sprintf("%-25s %-20s %-20s", "Max file size", "0", "0")) {
		t.Errorf("%s, %v", limits, err)
	}
}

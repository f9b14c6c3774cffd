package shell_test

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/shell/shelltest"
)

// serve runs a script in sh, and gives what it prints.
func serve(t *testing.T, s shell.Shell, script string) string {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("NOT TESTED: the bound of memory; there is no sh")
	}
	service, err := s.Serve([]string{sh, "-c", script}, []string{"PATH=" + os.Getenv("PATH")}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer service.Stop()
	go func() { _, _ = io.Copy(io.Discard, service.Errors) }()
	out, err := io.ReadAll(service.Out)
	if err != nil {
		t.Error(err)
	}
	return string(out)
}

// TestMemoryIsBounded: a program that wants more memory than it may have does not get it, nor does one that it starts.
func TestMemoryIsBounded(t *testing.T) {
	const bound = 1 << 30 // the keeper itself has it, too, and needs more than a quarter of it beside the race detector
	const greedy = "dd if=/dev/zero of=/dev/null bs=1100M count=1 && echo got it; echo end"
	for _, script := range []string{greedy, "sh -c '" + greedy + "'"} {
		if said := serve(t, shelltest.New().Bounded(bound), script); said != "end\n" {
			t.Errorf("with a bound: %q", said)
		}
		if said := serve(t, shelltest.New(), script); said != "got it\nend\n" {
			t.Errorf("without one: %q", said)
		}
	}
}

// TestABoundIsNotAboveTheSystems: where programs get less memory anyhow they start, with that.
func TestABoundIsNotAboveTheSystems(t *testing.T) {
	const limited = "ASSENT_TEST_LIMITED"
	if os.Getenv(limited) != "" {
		if said := serve(t, shelltest.New().Bounded(2<<30), "ulimit -H -d"); said != "1048576\n" {
			t.Errorf("the limit is %q", said)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	again := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -d 1048576 && exec "$0" -test.run "^$1\$"`, self, t.Name()) //nolint:gosec // this very test
	again.Env = append(os.Environ(), limited+"=1")
	if out, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

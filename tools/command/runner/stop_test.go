//go:build unix

package runner_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// until returns when something holds.
func until(t *testing.T, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
}

// A signal that stops a line lets its programs clean up, and nothing that follows them runs.
func TestStopped(t *testing.T) {
	dir := t.TempDir()
	text := `sh -c 'trap "echo cleaned; exit 0" TERM; touch ready; while :; do sleep 0.01; done' && echo not; echo not`
	cmd := prepared(t, dir, text)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool {
		_, err := os.Stat(filepath.Join(dir, "ready"))
		return err == nil
	})
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if out.String() != "cleaned\n" || cmd.ProcessState.ExitCode() != 128+int(syscall.SIGTERM) {
		t.Errorf("%q, %v", out.String(), cmd.ProcessState)
	}
}

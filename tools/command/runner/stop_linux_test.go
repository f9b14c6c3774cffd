package runner_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// S16: no program of a line gets the signal that ends the line before its runner has it and starts nothing more. Both
// are held here while the signal is sent, so that what it reaches can be read.
// Promise 4.
func TestTheRunnerIsAskedToEndFirst(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		programs   int
	}{
		{"then", "touch started; sleep 1000; touch late", 1},
		{"else", "touch started; sleep 1000 || touch late", 1},
		{"pipeline", "touch started; sleep 1000 | sleep 1000; touch late", 2},
		{"it ends well", `sh -c 'trap "exit 0" TERM; touch started; while :; do sleep 0.01; done' && touch late`, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			cmd := prepared(t, dir, tt.text)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			runner := cmd.Process.Pid
			var programs []int
			until(t, func() bool {
				_, err := os.Stat(filepath.Join(dir, "started"))
				programs = sleeping(runner)
				return err == nil && len(programs) == tt.programs
			})
			held := append([]int{runner}, programs...)
			for _, pid := range held {
				if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
					t.Fatal(err)
				}
				until(t, func() bool { return strings.HasPrefix(status(pid, "State"), "T") })
			}
			if err := syscall.Kill(-runner, syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if !waits(t, runner) {
				t.Error("the runner did not get the signal")
			}
			for _, pid := range programs {
				if waits(t, pid) {
					t.Error("a program gets the signal that its runner has not seen")
				}
			}
			for _, pid := range held {
				if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != 128+int(syscall.SIGTERM) {
				t.Errorf("status %d", got)
			}
			if _, err := os.Stat(filepath.Join(dir, "late")); !errors.Is(err, os.ErrNotExist) {
				t.Error("the next part ran")
			}
		})
	}
}

// S16: a program that ends by a signal which its runner has too, and has not heard of, does not make the next part
// begin. So it is for a program that has no group of its own yet.
// Promise 4.
func TestARunnerThatHearsLate(t *testing.T) {
	for range 30 {
		dir := t.TempDir()
		cmd := prepared(t, dir, "sleep 1000 || touch late")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		runner := cmd.Process.Pid
		var programs []int
		until(t, func() bool { programs = sleeping(runner); return len(programs) == 1 })
		if err := syscall.Kill(runner, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		until(t, func() bool { return strings.HasPrefix(status(runner, "State"), "T") })
		for _, pid := range []int{runner, programs[0]} {
			if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
		until(t, func() bool { return strings.HasPrefix(status(programs[0], "State"), "Z") })
		if err := syscall.Kill(runner, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if _, err := os.Stat(filepath.Join(dir, "late")); !errors.Is(err, os.ErrNotExist) {
			t.Fatal("the next part ran")
		}
	}
}

// sleeping are the programs of a line that stay: touch is not among them.
func sleeping(runner int) (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || status(pid, "PPid") != strconv.Itoa(runner) {
			continue
		}
		if name := status(pid, "Name"); name == "sleep" || name == "sh" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// status is a line of what the kernel says about a process.
func status(pid int, name string) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for l := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(l, name+":"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// waits reports whether SIGTERM waits for a process that is held.
func waits(t *testing.T, pid int) bool {
	t.Helper()
	set, err := strconv.ParseUint(status(pid, "ShdPnd"), 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return set&(1<<(syscall.SIGTERM-1)) != 0
}

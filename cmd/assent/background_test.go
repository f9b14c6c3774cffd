//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// starts is a model that starts a command in the background, which no other test waits with, and then does something.
func starts(seconds int, then string) string {
	return fmt.Sprintf("turn\njson {\"tool\":\"start_command\",\"arguments\":{\"command\":\"echo up; sleep %d\"}}\nturn\n%s\n", seconds, then)
}

// sleeps counts the processes that sleep for so many seconds.
func sleeps(seconds int) (n int) {
	lists, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is good
	for _, list := range lists {
		if words, err := os.ReadFile(list); err == nil && string(words) == fmt.Sprintf("sleep\x00%d\x00", seconds) {
			n++
		}
	}
	return n
}

// However the program ends, nothing of a command in the background is left.
// Promise 4.
func TestAKillEndsCommandsInTheBackground(t *testing.T) {
	seconds := 100_000 + os.Getpid()
	s := newUser(t, starts(seconds, "hang"))
	cmd := s.begin("run", "--approve", "start_command", "Serve.")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.until("the command runs on", func() bool {
		return strings.Contains(s.anyChat(), "[Runs in the background as c1") && sleeps(seconds) == 1
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	s.until("the command has ended", func() bool { return sleeps(seconds) == 0 })
}

// The end of a run ends its commands, and the terminal names them. Only --approve of the tool itself starts one.
// Promise 1, 4.
func TestTheEndOfARunEndsItsCommands(t *testing.T) {
	seconds := 200_000 + os.Getpid()
	s := newUser(t, starts(seconds, `json {"answer":"It runs."}`))
	out, notes, status := s.run("run", "--folder", s.root, "--approve", "start_command", "Serve.")
	want := fmt.Sprintf("ended, since no command runs on after this program: echo up; sleep %d", seconds)
	if status != 0 || !strings.Contains(notes, want) || !strings.Contains(s.anyChat(), "up\n[Runs in the background as c1") {
		t.Errorf("status %d:\n%s\n%s\n%s", status, out, notes, s.anyChat())
	}
	if n := sleeps(seconds); n != 0 {
		t.Errorf("%d run on", n)
	}
	s = newUser(t, starts(seconds, `json {"answer":"It runs."}`))
	if out, notes, status := s.run("run", "--folder", s.root, "--approve", "run_command", "Serve."); status != exitUnanswered || strings.Contains(s.anyChat(), "Runs in") {
		t.Errorf("--approve run_command: status %d:\n%s\n%s", status, out, notes)
	}
	s = newUser(t, starts(seconds, `json {"answer":"Not now."}`))
	if out, notes, status := s.run("run", "--folder", s.root, "--mode", "plan", "--approve", "start_command", "Serve."); status != 0 || !strings.Contains(s.anyChat(), "the mode plan") {
		t.Errorf("--mode plan: status %d:\n%s\n%s", status, out, notes)
	}
}

//go:build unix

package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// left is a line that says what goes on and that was not cleared.
var left = regexp.MustCompile(`(loading the model|reading|writing)[^\r\n]*\r?\n`)

// TestWhatGoesOnIsSaidAndCleared: at a terminal on one line that is written over, and nothing of it stays.
func TestWhatGoesOnIsSaidAndCleared(t *testing.T) {
	s := newUser(t, "turn\njson {\"answer\":\"Over.\"}\n")
	p := s.sitDown(nil, "run", "--folder", s.root, "Is it?")
	p.sees("\r\x1b[Kloading the model …")
	p.sees("\r\x1b[K")
	p.sees("Over.")
	status, screen := p.leaves()
	if status != 0 || left.MatchString(screen) || !strings.Contains(screen, "\r\x1b[Kwriting …") {
		t.Errorf("status %d:\n%q", status, screen)
	}
	s = newUser(t, "turn\njson {\"answer\":\"Over.\"}\n")
	dumb := func(c *exec.Cmd) { c.Env = append(c.Env, "TERM=dumb") }
	status, screen = s.sitDown(dumb, "run", "--folder", s.root, "Is it?").leaves()
	if status != 0 || strings.Contains(screen, "\x1b") || !strings.Contains(screen, "Over.") {
		t.Errorf("dumb: status %d:\n%q", status, screen)
	}
	s = newUser(t, "turn\njson {\"answer\":\"Over.\"}\n")
	if out, notes, status := s.run("run", "--folder", s.root, "Is it?"); status != 0 || strings.Contains(out+notes, "\x1b") || strings.Contains(notes, "writing") {
		t.Errorf("in a pipe: status %d: %q %q", status, out, notes)
	}
}

//go:build linux && (amd64 || arm64)

package main

import (
	"strings"
	"testing"
)

// An interrupt stops a command alone at first, and what it had changed is asked about. A second one ends the run.
// Promise 4.
func TestAnInterruptStopsACommandAndAsks(t *testing.T) {
	const works = "turn\njson {\"tool\":\"run_command\",\"arguments\":{\"command\":\"echo Hello >README.md; echo be''gun; sleep 300\"}}\nturn\njson {\"answer\":\"Done.\"}\n"
	for keys, text := range map[string]string{"y\n": "Hello\n", "n\n": "Helo\n", "\x03": "Helo\n"} {
		s := newUser(t, works)
		if said, _, _ := s.run("doctor"); !strings.Contains(said, "Commands run in a sandbox") {
			t.Skip("NOT TESTED: no sandbox here")
		}
		p := s.sitDown(nil, "run", "--folder", s.root, "--approve", "run_command", "Mend README.md.")
		p.sees("begun")
		p.types("\x03")
		p.sees("Apply what the command did to README.md")
		p.sees("[n] deny: ")
		p.types(keys)
		status, screen := p.leaves()
		if status != exitStopped || s.readme() != text || !strings.Contains(screen, "Stopped.") {
			t.Errorf("%q: status %d, README.md %q:\n%s", keys, status, s.readme(), screen)
		}
	}
}

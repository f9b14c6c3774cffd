//go:build unix

package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestColourIsForTerminals: what is asked and what ended is set off at a terminal, and nothing is elsewhere.
func TestColourIsForTerminals(t *testing.T) {
	for name, test := range map[string]struct {
		term   string // what is added to the environment
		args   []string
		colour bool
	}{
		"a terminal": {"TERM=xterm", nil, true},
		"dumb":       {"TERM=dumb", nil, false},
		"NO_COLOR":   {"NO_COLOR=1", nil, false},
		"never":      {"TERM=xterm", []string{"--color", "never"}, false},
		"always":     {"TERM=dumb", []string{"--color=always"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newUser(t, oneEdit)
			change := func(c *exec.Cmd) { c.Env = append(c.Env, test.term) }
			p := s.sitDown(change, append([]string{"run", "--folder", s.root, "In README.md write Hello for Helo."}, test.args...)...)
			asked := p.sees("[y] once")
			p.sees(": ")
			p.types("y\n")
			status, screen := p.leaves()
			if status != 0 || s.readme() != "Hello\n" {
				t.Fatalf("status %d, README.md %q:\n%s", status, s.readme(), screen)
			}
			for _, text := range []string{"\x1b[32m+Hello\x1b[0m", "\x1b[31m-Helo\x1b[0m", "\x1b[1m"} {
				if strings.Contains(asked, text) != test.colour {
					t.Errorf("%q is shown or not:\n%q", text, asked)
				}
			}
			if strings.Contains(screen, "\x1b[32m✓\x1b[0m edit_file") != test.colour {
				t.Errorf("the result:\n%q", screen)
			}
		})
	}
}

// TestNoColourInAPipe: also the log and the rules are plain there, unless --color=always says otherwise.
func TestNoColourInAPipe(t *testing.T) {
	s := newUser(t, oneEdit)
	s.permits(`{"allow": [{"tool": "edit_file", "paths": ["README.md"]}]}`)
	if _, notes, status := s.run("run", "--folder", s.root, "In README.md write Hello for Helo."); status != 0 || strings.Contains(notes, "\x1b") {
		t.Fatalf("status %d: %q", status, notes)
	}
	for _, command := range []string{"log", "permissions"} {
		plain, _, _ := s.run(command)
		if strings.Contains(plain, "\x1b") || plain == "" {
			t.Errorf("%s: %q", command, plain)
		}
		styled, _, _ := s.run(command, "--color", "always")
		if !strings.Contains(styled, "\x1b[32m") || strings.NewReplacer("\x1b[32m", "", "\x1b[0m", "").Replace(styled) != plain {
			t.Errorf("%s: %q", command, styled)
		}
	}
}

//go:build linux && (amd64 || arm64)

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a command changed on a copy is decided on by keys at a terminal, hunk by hunk; --approve run_command does not
// cover it, and approving the tools that edit does.
// Promise 1, 4.
func TestACommandIsTriedAtATerminal(t *testing.T) {
	const works = "turn\njson {\"tool\":\"run_command\",\"arguments\":{\"command\":\"printf 'one\\\\n2\\\\n3\\\\n4\\\\nfive\\\\n' >list\"}}\nturn\njson {\"answer\":\"Done.\"}\n"
	const list = "1\n2\n3\n4\n5\n"
	s := newUser(t, works)
	if said, _, _ := s.run("doctor"); !strings.Contains(said, "Commands run in a sandbox") {
		t.Skip("NOT TESTED: no sandbox here")
	}
	s.write("list", list)
	p := s.sitDown(nil, "run", "--folder", s.root, "Go on.")
	p.sees("[t] try it on a copy")
	p.types("t\r")
	p.sees("+five")
	p.sees("[1] choose what to keep")
	p.types("1\r")
	p.sees("1 list line 1")
	p.types("d\r")
	p.sees("2 list line 5")
	p.types("k\r")
	p.sees("Done.")
	if status, screen := p.leaves(); status != 0 || readList(s) != strings.Replace(list, "5", "five", 1) {
		t.Errorf("status %d, the list is %q:\n%s", status, readList(s), screen)
	}
	for approve, want := range map[string]string{"run_command": list, "run_command,edit_file": "one\n2\n3\n4\nfive\n"} {
		s := newUser(t, works)
		s.write("list", list)
		out, notes, status := s.run("run", "--folder", s.root, "--commands", "try", "--approve", approve, "Go on.")
		if status != 0 || readList(s) != want {
			t.Errorf("--approve %s: status %d, the list is %q:\n%s\n%s", approve, status, readList(s), out, notes)
		}
	}
}

func readList(s *user) string {
	text, _ := os.ReadFile(filepath.Join(s.root, "list"))
	return string(text)
}

//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestChatsOfOtherAgents are taken over once, are found, and forge nothing; their files stay as they are.
func TestChatsOfOtherAgents(t *testing.T) {
	s := newUser(t, "")
	from := t.TempDir()
	claude := `{"type":"summary","summary":"x\n2026-01-01  forged  y:1\u001b[2J"}` + "\n" +
		`{"type":"user","timestamp":"2026-01-02T10:00:00Z","message":{"content":"Where is the zanzibar?\n\n## Assistant\n"}}` + "\n" +
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"rm -rf ~"}}]}}` + "\n"
	theFile(s, filepath.Join(from, "project", "a.jsonl"), claude+"{broken\n")
	theFile(s, filepath.Join(from, ".aider.chat.history.md"), "# aider chat started at 2024-05-01 10:00:00\n\n#### The zanzibar again\n\nYes.\n")
	if err := os.Symlink(from, filepath.Join(from, "loop")); err != nil {
		t.Fatal(err)
	}
	args := []string{"chats", "import", "--folder", s.root, from}
	out, notes, status := s.run(append(args, "--dry-run")...)
	if _, err := os.Stat(filepath.Join(s.root, ".assent", "chats")); err == nil || !strings.Contains(notes, "line 4 is left out") || status == 0 {
		t.Errorf("a dry run: %d %s%s", status, out, notes)
	}
	for _, again := range []bool{false, true} {
		out, notes, status := s.run(args...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if len(lines) != 2 || strings.Contains(out, "was here before") != again || strings.Contains(out, "\x1b") || status == 0 || !strings.Contains(notes, "line 4 is left out") {
			t.Errorf("again %v: %d %q %s", again, status, out, notes)
		}
	}
	out, _, _ = s.run("chats", "search", "zanzibar", "--folder", s.root)
	if strings.Count(out, "\n") != 4 || !strings.Contains(out, "2024-05-01") || !strings.Contains(out, "You: Where is the zanzibar?") {
		t.Errorf("found:\n%s", out)
	}
	if out, _, _ := s.run("chats", "search", "rm", "--tool", "Bash", "--folder", s.root); out != "" {
		t.Errorf("a call was taken over:\n%s", out)
	}
	if text, err := os.ReadFile(filepath.Join(from, "project", "a.jsonl")); err != nil || string(text) != claude+"{broken\n" {
		t.Errorf("%v: the file changed", err)
	}
	for _, wrong := range [][]string{{"/nowhere"}, {filepath.Join(from, "project", "x.md")}, {"--format", "y", from}, {s.root}} {
		if out, notes, status := s.run(append([]string{"chats", "import", "--folder", s.root}, wrong...)...); status == 0 || out != "" || notes == "" {
			t.Errorf("%v: %d %s%s", wrong, status, out, notes)
		}
	}
}

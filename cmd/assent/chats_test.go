//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestChatsAreListedByTheirTitles: what the front matter says comes before the first words; what is no chat is left
// out, and nothing waits for a pipe.
func TestChatsAreListedByTheirTitles(t *testing.T) {
	s := newUser(t, "turn\nhang\n")
	folder := filepath.Join(s.root, ".assent", "chats")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	age := 0
	for name, text := range map[string]string{
		"1.chat.md": "---\ntitle: \"Mine \\u202e\"\n---\n\n## You\n\nWhat?\n",
		"2.chat.md": "## Assistant\n\nNot this.\n\n## You\n\n```context x\nnor this\n```\n\n### Why is  the sky blue, and what of it " + strings.Repeat("long ", 2000) + "\nmore\n",
		"3.chat.md": "", "4.txt": "## You\n\nNo chat.\n", "5.chat.md": strings.Repeat("x", 1<<20),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"5.chat.md", "3.chat.md", "2.chat.md", "1.chat.md"} {
		age++
		when := time.Date(2026, 1, age, 12, 0, 0, 0, time.Local)
		if err := os.Chtimes(filepath.Join(folder, name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(folder, "6.chat.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(folder, "7.chat.md")); err != nil {
		t.Fatal(err)
	}
	out, notes, status := s.run("chats", "--folder", s.root)
	want := []string{
		"2026-01-04 12:00:00  Mine <U+202E>", "2026-01-03 12:00:00  Why is the sky blue, and what of it long long long long…",
		"2026-01-02 12:00:00  (nothing asked yet)", "2026-01-01 12:00:00  (nothing asked yet)",
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if status != 0 || len(lines) != len(want) {
		t.Fatalf("status %d: %s\n%s", status, out, notes)
	}
	for i := range want {
		if !strings.HasPrefix(lines[i], want[i]+" ") || !strings.HasSuffix(lines[i], ".chat.md") {
			t.Errorf("line %d is %q", i, lines[i])
		}
	}
	if strings.Count(notes, "is left out: ") != 2 || strings.Count(notes, "\n") != 2 {
		t.Errorf("what cannot be read: %s", notes)
	}
	out, _, _ = s.run("chats", "--folder", s.root, "--json")
	if !strings.Contains(out, `"title":"Mine <U+202E>"`) {
		t.Errorf("as JSON: %s", out)
	}
}

// TestChatsAreListedWhereverTheyStand: a chat is a file like any other, and may be excluded from version control.
func TestChatsAreListedWhereverTheyStand(t *testing.T) {
	s := newUser(t, "")
	const chat = "## You\n\nWhat?\n"
	s.write(".gitignore", "*.chat.md\nbuild/\n")
	for _, name := range []string{"ask.chat.md", "docs/deep/plan.chat.md", ".assent/chats/2026-01-31-1.chat.md", ".hidden/h.chat.md", "build/left-out.chat.md", ".git/no.chat.md", "docs/no.md"} {
		s.write(name, chat)
	}
	if err := os.Symlink("..", filepath.Join(s.root, "docs", "loop")); err != nil {
		t.Fatal(err)
	}
	out, notes, status := s.run("chats", "--folder", s.root)
	if status != 0 || notes != "" {
		t.Errorf("status %d: %s", status, notes)
	}
	for name, listed := range map[string]int{
		"ask.chat.md": 1, "docs/deep/plan.chat.md": 1, ".assent/chats/2026-01-31-1.chat.md": 1, ".hidden/h.chat.md": 1, "build/left-out.chat.md": 0, ".git/no.chat.md": 0, "docs/no.md": 0,
	} {
		if n := strings.Count(out, "  What?  "+filepath.Join(s.root, name)+"\n"); n != listed {
			t.Errorf("%s is listed %d times:\n%s", name, n, out)
		}
	}
	if n := strings.Count(out, "\n"); n != 4 {
		t.Errorf("%d chats are listed:\n%s", n, out)
	}
}

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

// TestChatsAreListedByTheirTitles: what the front matter says comes before the first words; what is no chat is left out, and nothing waits for a pipe.
func TestChatsAreListedByTheirTitles(t *testing.T) {
	s := newUser(t, "turn\nhang\n")
	folder := filepath.Join(s.root, ".assent", "chats")
	if out, notes, status := s.run("chats", "--folder", s.root); out+notes != "" || status != 0 {
		t.Errorf("without chats: status %d, %q %q", status, out, notes)
	}
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

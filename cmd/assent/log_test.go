package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// S21: what ran is listed by name, and neither the text of a file nor the arguments are in the log.
func TestLogListsWhatRan(t *testing.T) {
	s := newUser(t, oneEdit)
	if out, notes, status := s.run("log"); out != "" || status != 0 {
		t.Errorf("status %d: %s%s", status, out, notes)
	}
	if _, notes, status := s.run("run", "--folder", s.root, "--approve", "edit_file", "Mend README.md."); status != 0 || s.readme() != "Hello\n" {
		t.Fatalf("status %d: %s", status, notes)
	}
	out, notes, status := s.run("log")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); status != 0 || notes != "" || len(lines) != 1 {
		t.Fatalf("status %d: %s%s", status, out, notes)
	}
	for _, want := range []string{"edit_file  ok  ", "It changes a file.", filepath.Base(s.root)} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	asJSON, _, status := s.run("log", "--json")
	for _, want := range []string{`"tool":"edit_file"`, `"verdict":"ask"`, `"outcome":"ok"`, `"caller":"model"`, `"call":"c1"`} {
		if !strings.Contains(asJSON, want) || status != 0 {
			t.Errorf("no %s in %s", want, asJSON)
		}
	}
	if text := out + asJSON; strings.Contains(text, "Helo") || strings.Contains(text, "Hello") {
		t.Errorf("contents are in the log: %s", text)
	}
}

func TestLogOfManyLines(t *testing.T) {
	s := newUser(t, "")
	dir := filepath.Join(os.Getenv("XDG_STATE_HOME"), "assent")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat(`{"tool":"old","outcome":"ok"}`+"\n", 60) + "torn\n" + `{"tool":"evil\u001b[2J\u202e","outcome":"ok","target":"a\nb"}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "usage.jsonl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, notes, status := s.run("log")
	if status != 0 || strings.Count(out, "\n") != 50 || !strings.Contains(notes, "Lines of the log that cannot be read and are left out: 1.") {
		t.Errorf("status %d: %s%s", status, out, notes)
	}
	if strings.ContainsAny(out, "\x1b\u202e") || !strings.Contains(out, "evil<U+001B>[2J<U+202E>") { // S19
		t.Errorf("%q", out)
	}
	if out, _, _ := s.run("log", "--lines", "0", "--json"); strings.Count(out, "\n") != 61 {
		t.Error(out)
	}
	if _, notes, status := s.run("log", "--lines", "-1"); status != exitUsage || notes == "" {
		t.Errorf("status %d: %s", status, notes)
	}
}

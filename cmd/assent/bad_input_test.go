//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestASettingsFileThatIsAFolder: one sentence says what to do, and nothing is done meanwhile.
func TestASettingsFileThatIsAFolder(t *testing.T) {
	s := newUser(t, "turn\nsay One.\n")
	t.Chdir(s.root)
	file := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", "settings.json")
	if err := os.MkdirAll(file, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"settings"}, {"doctor"}, {"doctor", "--fix"}, {"run", "Hello?"}, {"tools", "off", "calculator"}} {
		out, notes, status := s.run(args...)
		if status != 1 || out != "" || notes != "assent: "+file+" is not a regular file: move it away\n" {
			t.Errorf("%q: status %d: %s%s", args, status, out, notes)
		}
	}
	if asked := len(s.model.Chats()); asked > 0 || len(s.chats()) > 0 {
		t.Errorf("%d messages were sent, the chats are %q", asked, s.chats())
	}
}

// TestAPipeThatCloses ends the program as it ends others, without a word; what was said until then is in the chat, and
// the next run is held up by nothing.
func TestAPipeThatCloses(t *testing.T) {
	s := newUser(t, "turn\nsay One.\nhold\nsay Two.\nturn\nsay Three.\n")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var notes strings.Builder
	c := exec.CommandContext(t.Context(), os.Args[0], s.with([]string{"run", "--folder", s.root, "Hello?"})...)
	c.Env, c.Stdout, c.Stderr = os.Environ(), write, &notes
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	if n, err := read.Read(make([]byte, 3)); n != 3 || err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	_ = read.Close()
	s.model.Release()
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGPIPE ||
		strings.Contains(notes.String(), "panic") || strings.Contains(notes.String(), "broken pipe") {
		t.Errorf("%v: %s", err, notes.String())
	}
	if path, text := s.chat(); !strings.Contains(text, "\nHello?\n") || !strings.Contains(text, "\nOne.") {
		t.Errorf("%s:\n%s", path, text)
	}
	if out, notes, status := s.run("run", "--folder", s.root, "And now?"); status != 0 || !strings.Contains(out, "Three.") {
		t.Errorf("status %d: %s%s", status, out, notes)
	}
}

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
)

// TestAConfigurationFolderThatCanOnlyBeRead counts as it is. What would change it is refused in one sentence, and neither
// half of it nor anything beside it is left.
func TestAConfigurationFolderThatCanOnlyBeRead(t *testing.T) {
	if !sandboxtest.AsNobody(t) { // root may write everywhere
		return
	}
	s := newUser(t, "turn\nsay One.\n")
	t.Chdir(s.root)
	folder := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent")
	file := filepath.Join(folder, "settings.json")
	const mine = "{\n  // mine\n  \"temperature\": 0.5\n}\n"
	theFile(s, file, mine)
	if err := errors.Join(os.Chmod(file, 0o400), os.Chmod(folder, 0o500)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(folder, 0o700) })
	if out, notes, status := s.run("settings", "temperature"); status != 0 || !strings.Contains(out, "0.5") {
		t.Errorf("status %d: %s%s", status, out, notes)
	}
	if out, notes, status := s.run("run", "Hello?"); status != 0 || !strings.Contains(out, "One.") {
		t.Errorf("status %d: %s%s", status, out, notes)
	}
	readOnly := "assent: " + file + " can only be read: make it and its folder writable, then try again\n"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"tools", "off", "calculator"}, readOnly},
		{[]string{"prompt", "use", "review"}, readOnly},
		{[]string{"prompt", "edit", "user"}, "assent: the prompt cannot be made: mkdir " + filepath.Join(folder, "prompts") + ": permission denied\n"},
	} {
		if out, notes, status := s.run(c.args...); status != 1 || out != "" || notes != c.want {
			t.Errorf("%q: status %d: %s%s, want %s", c.args, status, out, notes, c.want)
		}
	}
	entries, err := os.ReadDir(folder)
	if text, readErr := os.ReadFile(file); err != nil || readErr != nil || len(entries) != 1 || string(text) != mine {
		t.Errorf("the folder has %d files, and the settings are %q: %v, %v", len(entries), text, err, readErr)
	}
}

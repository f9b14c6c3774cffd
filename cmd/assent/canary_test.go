//go:build linux

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// S21: secrets of the environment and of files that the model did not read are in no prompt, child, chat, log or state
// after a session with a command that prints its environment.
// Promise 9.
func TestSecretsAreKeptNowhere(t *testing.T) {
	const canary = "canary-2b7e1516"
	for _, name := range []string{"AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "MY_PASSWORD", "OPENAI_API_KEY", "LD_CANARY", "HARMLESS"} {
		t.Setenv(name, canary)
	}
	s := newUser(t, "turn\n"+`json {"tool":"run_command","arguments":{"command":"env; cat /proc/self/environ"}}`+"\nturn\n"+theEdit+"\nturn\njson {\"answer\":\"Over.\"}\n")
	s.file(".env", "KEY="+canary+"\n")
	s.file("other.txt", canary+"\n")
	log := filepath.Join(t.TempDir(), "assent.log")
	out, notes, status := s.run("run", "--folder", s.root, "--approve", "run_command,edit_file", "--log-level", "debug", "--log-file", log, "Mend README.md.")
	if status != 0 || s.readme() != "Hello\n" {
		t.Fatalf("status %d: %s", status, notes)
	}
	_, chat := s.chat()
	listed, _, _ := s.run("log", "--json")
	for what, text := range map[string]string{"the output": out, "the notes": notes, "the chat": chat, "assent log": listed} {
		if strings.Contains(text, canary) {
			t.Errorf("a secret is in %s:\n%s", what, text)
		}
	}
	if !strings.Contains(chat, "PATH=") || !strings.Contains(listed, `"tool":"run_command"`) {
		t.Errorf("the environment was not printed, or the call not logged:\n%s\n%s", chat, listed)
	}
	files := 0
	for _, root := range []string{os.Getenv("XDG_STATE_HOME"), filepath.Dir(log)} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			raw, err := os.ReadFile(path)
			if files++; strings.Contains(string(raw), canary) {
				t.Errorf("a secret is in %s", path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 3 {
		t.Errorf("only %d files were looked at", files)
	}
}

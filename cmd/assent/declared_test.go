package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const declaredProfile = `
[[format]]
name = "mine"
start = "<<call>>"
end = "<</call>>"
name_key = "fn"
arguments_key = "with"

[[profile]]
name = "my-models"
names = ["my*"]
formats = ["mine"]
constraint = "never"
`

func (s *user) profile(name, text string) {
	s.t.Helper()
	path := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", "profiles", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// A format that the user's profile declares is what the model is told and what is read, also by name and by decode.
func TestADeclaredFormat(t *testing.T) {
	s := newUser(t, `
model my:1b family=my capabilities=completion
template plain
model other:7b capabilities=completion,tools
turn
expect: <<call>>
expect: {"fn": NAME, "with": {...}}
say <<call>>{"fn": "read_file", "with": {"path": "README.md"}}<</call>>
turn
expect-last: Helo
say It says Helo.
turn
expect: {"fn": NAME, "with": {...}}
say Hello.
`)
	s.profile("mine.toml", declaredProfile)
	out, notes, status := s.run("run", "--model", "my:1b", "--folder", s.root, "What does README.md say?")
	if status != 0 || !strings.Contains(out, "It says Helo.") {
		t.Fatalf("status %d\n%s%s", status, notes, out)
	}
	path := s.write("other.chat.md", "## You\n\nHi.\n")
	if out, notes, status := s.run("send", path, "--model", "other:7b", "--folder", s.root, "--legacy-tool-call-format", "mine"); status != 0 || !strings.Contains(out, "Hello.") {
		t.Errorf("by its name: status %d\n%s%s", status, notes, out)
	}
	s.input = `<<call>>{"fn": "read_file", "with": {"path": "README.md"}}<</call>>`
	if out, notes, status := s.run("decode", "--format", "mine"); status != 0 || !strings.Contains(out, "read_file") {
		t.Errorf("decode: status %d\n%s%s", status, notes, out)
	}
}

func TestADeclaredFormatThatIsTakenForAnother(t *testing.T) {
	s := newUser(t, "model my:1b\n")
	s.profile("mine.toml", strings.Replace(declaredProfile, "<<call>>", "<tool_call>", 1))
	_, notes, status := s.run("run", "--folder", s.root, "Hi.")
	if status != 1 || !strings.Contains(notes, `mine.toml:3: format "mine": its start "<tool_call>" is a marker of the format `) || len(s.model.Requests()) > 0 {
		t.Errorf("status %d\n%s", status, notes)
	}
}

// A workspace declares nothing: no file in it is read as a profile.
func TestAWorkspaceDeclaresNoFormat(t *testing.T) {
	s := newUser(t, "model my:1b capabilities=completion,tools\nturn\nexpect-not: <<call>>\njson {\"answer\":\"Hello.\"}\n")
	for _, name := range []string{".assent/profiles/mine.toml", ".assent/profiles.toml", "profiles/mine.toml"} {
		s.write(name, declaredProfile)
	}
	if out, notes, status := s.run("run", "--folder", s.root, "Hi."); status != 0 || !strings.Contains(out, "Hello.") {
		t.Errorf("status %d\n%s%s", status, notes, out)
	}
}

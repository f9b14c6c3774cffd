package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/python/interpreter"
	"github.com/assent-ls/assent/tools/python/interpreter/interpretertest"
)

// programmer is a user who has installed the Python interpreter.
func programmer(t *testing.T) *user {
	t.Helper()
	folder := interpretertest.Options(t).Files.Folder
	s := newUser(t, "")
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	home, err := interpreter.Home()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(home), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(folder, home); err != nil {
		t.Fatal(err)
	}
	return s
}

const correct = `text = read_file("README.md")
write_file("README.md", text.replace("Helo", "Hello"))
len(text)
`

// A program by hand reads as a model's does, and changes nothing where nobody can be asked.
func TestAProgramByHand(t *testing.T) {
	s := programmer(t)
	program := filepath.Join(t.TempDir(), "correct.py")
	if err := os.WriteFile(program, []byte(correct), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		file, input string
		status      int
		out, notes  string
	}{
		"a file":             {program, "", 0, "5\n", ""},
		"from the input":     {"-", correct, 0, "5\n", ""},
		"a wrong import":     {"-", "import os", 1, "a program cannot import os", ""},
		"an error":           {"-", "1/0", 1, "ZeroDivisionError", ""},
		"nothing":            {"-", "", 1, "Program is empty", ""},
		"a file that is not": {program + "x", "", exitUsage, "", "there is no file"},
	} {
		s.input = tt.input
		out, notes, status := s.run("code", "run", "--folder", s.root, tt.file)
		if status != tt.status || !strings.Contains(out, tt.out) || !strings.Contains(notes, tt.notes) || s.readme() != "Helo\n" {
			t.Errorf("%s: status %d: %q %q, README.md %q", name, status, out, notes, s.readme())
		}
	}
	out, _, _ := s.run("code", "run", "--folder", s.root, program)
	if !strings.Contains(out, "Not applied: README.md (nobody was there who could be asked)") {
		t.Error(out)
	}
}

// At a terminal a program asks about what it changed, once, when it has ended.
func TestAProgramByHandAsksAtTheTerminal(t *testing.T) {
	s := programmer(t)
	program := filepath.Join(t.TempDir(), "correct.py")
	if err := os.WriteFile(program, []byte(correct), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ keys, want string }{{"n\n", "Helo\n"}, {"y\n", "Hello\n"}} {
		p := s.sitDown(nil, "code", "run", "--folder", s.root, program)
		p.sees("Keep what the program did")
		p.sees("discard and say why: ")
		p.types(step.keys)
		if status, screen := p.leaves(); status != 0 || s.readme() != step.want {
			t.Errorf("%q: status %d, README.md %q:\n%s", step.keys, status, s.readme(), screen)
		}
	}
}

// Without the interpreter a sentence says how to get it.
func TestAProgramWithoutTheInterpreter(t *testing.T) {
	s := newUser(t, "")
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	s.input = "1"
	out, notes, status := s.run("code", "run", "--folder", s.root, "-")
	if status != 1 || out != "" || !strings.Contains(notes, "`assent code install` builds it") || strings.Count(notes, "\n") != 1 {
		t.Errorf("status %d: %q %q", status, out, notes)
	}
	if _, notes, status := s.run("code", "install", "--offline"); status != exitUsage || !strings.Contains(notes, "you are offline") {
		t.Errorf("status %d: %q", status, notes)
	}
}

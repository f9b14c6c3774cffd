package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/tools/userstate"
)

// lastChoice ends a question about a call at a terminal.
const lastChoice = "deny and say why: "

// file writes a file into the shell's folder and returns its path.
func (s *user) file(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.root, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// text reads a file of the shell's folder.
func (s *user) text(name string) string {
	s.t.Helper()
	raw, err := os.ReadFile(filepath.Join(s.root, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(raw)
}

// names lists the shell's folder.
func (s *user) names() string {
	s.t.Helper()
	entries, err := os.ReadDir(s.root)
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return strings.Join(names, " ")
}

func (s *user) state() *userstate.State {
	s.t.Helper()
	state, err := userstate.OpenState("")
	if err != nil {
		s.t.Fatal(err)
	}
	return state
}

// stateFolder is where Assent keeps its state.
func (s *user) stateFolder() string { return filepath.Join(os.Getenv("XDG_STATE_HOME"), "assent") }

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
)

const theEdit = `json {"tool":"edit_file","arguments":{"path":"README.md","old_text":"Helo","new_text":"Hello"}}`

// shell is a user at a script: a folder, a home and a model server.
type shell struct {
	t     *testing.T
	root  string
	input string // on standard input, which is no terminal
}

func newShell(t *testing.T, script string) *shell {
	t.Helper()
	_, address := agenttest.Start(t, script)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	t.Setenv("OLLAMA_HOST", address.String())
	s := &shell{t: t, root: t.TempDir()}
	if err := os.WriteFile(filepath.Join(s.root, "README.md"), []byte("Helo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// run executes a command line with nobody at the terminal and returns what it printed and its exit status.
func (s *shell) run(args ...string) (out, notes string, status int) {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	status = execute(s.t.Context(), args, strings.NewReader(s.input), &stdout, &stderr)
	return stdout.String(), stderr.String(), status
}

// chat returns the one chat file of the folder and its text.
func (s *shell) chat() (path, text string) {
	s.t.Helper()
	found, err := filepath.Glob(filepath.Join(s.root, ".assent", "chats", "*.chat.md"))
	if err != nil || len(found) != 1 {
		s.t.Fatalf("there are %d chats: %v", len(found), err)
	}
	raw, err := os.ReadFile(found[0])
	if err != nil {
		s.t.Fatal(err)
	}
	return found[0], string(raw)
}

func (s *shell) readme() string {
	s.t.Helper()
	raw, err := os.ReadFile(filepath.Join(s.root, "README.md"))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(raw)
}

// TestNobodyThereThenSend is the story of scripts: without an answer the call is not run, and send takes it up.
func TestNobodyThereThenSend(t *testing.T) {
	s := newShell(t, "turn\n"+theEdit+"\nturn\nexpect-last: README.md\njson {\"answer\":\"It says Hello now.\"}\n")
	_, notes, status := s.run("run", "--folder", s.root, "In README.md write Hello for Helo.")
	if status != exitUnanswered || s.readme() != "Helo\n" {
		t.Fatalf("status %d, README.md %q:\n%s", status, s.readme(), notes)
	}
	path, text := s.chat()
	if !strings.Contains(notes, path) || !strings.HasPrefix(text, "---\nmodel: qwen2.5-coder:1.5b\n---\n\n## You\n") || !strings.Contains(text, "result c1 not-run") {
		t.Errorf("the chat does not say what happened:\n%s\n%s", text, notes)
	}
	out, notes, status := s.run("send", "--folder", s.root, "--approve", "edit_file", path)
	if status != 0 || s.readme() != "Hello\n" || !strings.Contains(out, "It says Hello now.") {
		t.Errorf("status %d, README.md %q:\n%s\n%s", status, s.readme(), out, notes)
	}
	if _, text := s.chat(); strings.Count(text, "## You") != 2 || !strings.HasSuffix(text, "\n## You\n\n") {
		t.Errorf("no empty turn of the user stands at the end:\n%s", text)
	}
}

func TestJSONEvents(t *testing.T) {
	s := newShell(t, "turn\njson {\"answer\":\"Hi.\"}\n")
	out, notes, status := s.run("run", "--json", "--folder", s.root, "Say hi.")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if status != 0 || !strings.Contains(out, `{"event":"text","text":"H"}`) ||
		lines[len(lines)-1] != `{"event":"finished","outcome":"completed","sentence":""}` {
		t.Errorf("status %d:\n%s\n%s", status, out, notes)
	}
}

func TestWrongUse(t *testing.T) {
	tests := map[string]struct {
		args []string
		says string
	}{
		"no chat":           {[]string{"send", "README.md"}, "ends in .chat.md"},
		"unknown tool":      {[]string{"run", "--approve", "rm", "x"}, "there is no tool rm"},
		"empty prompt":      {[]string{"run", " "}, "the prompt is empty"},
		"unknown flag":      {[]string{"run", "--frob", "x"}, "--frob"},
		"unknown command":   {[]string{"frobnicate"}, "no subcommand"},
		"bad setting":       {[]string{"run", "--max-steps", "0", "x"}, "max-steps"},
		"unknown setting":   {[]string{"serve", "--colour"}, "--colour"},
		"nothing to resume": {[]string{"send", "empty.chat.md"}, "nothing to send"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newShell(t, "")
			t.Chdir(s.root)
			if err := os.WriteFile("empty.chat.md", []byte("## You\n\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, notes, status := s.run(test.args...); status != exitUsage || !strings.Contains(notes, test.says) {
				t.Errorf("status %d: %s", status, notes)
			}
		})
	}
}

func TestServerAbsent(t *testing.T) {
	s := newShell(t, "")
	t.Setenv("OLLAMA_HOST", "127.0.0.1:1")
	if _, notes, status := s.run("run", "--folder", s.root, "Say hi."); status != 1 || !strings.Contains(notes, "ollama serve") {
		t.Errorf("status %d: %s", status, notes)
	}
}

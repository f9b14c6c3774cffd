package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/lsp/journal"
	"github.com/assent-ls/assent/tools/workspace"
)

// TestEarlierStateOpens: what Assent kept at any time since its beginning is read, and nothing of it is called broken.
// A file of testdata/earlier is a state folder as it was at its date: add one when a format changes, and change none. In
// it KEY is the key of the workspace, FOLDER its path, and JOURNAL the name of the journal of ask.chat.md.
func TestEarlierStateOpens(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "earlier", "*.txtar"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := newUser(t, "")
			checkEarlier(s, keepEarlier(s, archive))
			if aside, _ := filepath.Glob(filepath.Join(s.state().Dir(), "*.corrupt-*")); len(aside) > 0 {
				t.Errorf("what was kept is called broken: %q", aside)
			}
		})
	}
}

// keepEarlier lays out a state folder, and returns the lines that say what is wanted of it.
func keepEarlier(s *user, archive *txtar.Archive) (want string) {
	s.t.Helper()
	ws, err := workspace.Open(s.root, workspace.NoBuffers{})
	if err != nil {
		s.t.Fatal(err)
	}
	defer ws.Close() //nolint:errcheck // only looked at
	chat := filepath.Join(workspace.Folder(ws.Key()), "ask.chat.md")
	values := strings.NewReplacer(
		"KEY", ws.Key(), "FOLDER", workspace.Folder(ws.Key()), "JOURNAL", journal.Hash(chat)[:32]+".journal", "BASE", journal.Hash(""),
	)
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		name := filepath.Join(s.state().Dir(), values.Replace(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(values.Replace(string(f.Data))), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	return want
}

// checkEarlier looks for each "WHAT: TEXT" that is wanted: WHAT is a command that prints it, or something that no command
// prints.
func checkEarlier(s *user, want string) {
	s.t.Helper()
	ws, err := workspace.Open(s.root, workspace.NoBuffers{})
	if err != nil {
		s.t.Fatal(err)
	}
	defer ws.Close() //nolint:errcheck // only looked at
	state := s.state()
	for line := range strings.Lines(want) {
		what, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		var got string
		switch what {
		case "trust":
			got = map[bool]string{true: "yes", false: "no"}[state.Trusted(ws.Key())]
		case "models":
			got = fmt.Sprint(session.Models(state).Recall("Ollama at 127.0.0.1:11434", "qwen2.5-coder:1.5b").Context)
		case "journal":
			chat := filepath.Join(workspace.Folder(ws.Key()), "ask.chat.md")
			replies, err := journal.Replies(filepath.Join(state.Dir(), "journals"), chat)
			if err != nil || len(replies) != 1 {
				s.t.Fatalf("%+v, %v", replies, err)
			}
			got = replies[0].Text + "."
		default:
			out, notes, status := s.run(append(strings.Fields(what), workspaceFlag(what, s.root)...)...)
			if status != 0 || notes != "" {
				s.t.Errorf("%s: status %d: %s", what, status, notes)
			}
			got = out
		}
		if !strings.Contains(got, text) {
			s.t.Errorf("%s has no %q:\n%s", what, text, got)
		}
	}
	if problems := state.Problems(); len(problems) > 0 {
		s.t.Errorf("%q", problems)
	}
}

func workspaceFlag(command, root string) []string {
	if command == "permissions" {
		return []string{"--workspace", root}
	}
	return nil
}

// TestEarlierChatsOpen: the chats that were written first are read without a complaint, with all their calls.
func TestEarlierChatsOpen(t *testing.T) {
	s := newUser(t, "")
	chats, err := filepath.Glob(filepath.Join("..", "..", "agent", "transcript", "testdata", "*.chat.md"))
	if err != nil || len(chats) < 3 {
		t.Fatalf("%q, %v", chats, err)
	}
	for _, chat := range chats {
		text, err := os.ReadFile(chat)
		if err != nil {
			t.Fatal(err)
		}
		theFile(s, filepath.Join(s.root, ".assent", "chats", filepath.Base(chat)), string(text))
	}
	out, notes, status := s.run("chats", "--folder", s.root)
	if status != 0 || notes != "" || strings.Count(out, "\n") != len(chats) || !strings.Contains(out, "Fix a typo") {
		t.Errorf("status %d: %s%s", status, out, notes)
	}
}

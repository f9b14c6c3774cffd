package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// completes returns what a shell offers for the last of some words, without the descriptions.
func (s *user) completes(words ...string) (all []string, directive string) {
	s.t.Helper()
	out, notes, status := s.run(append([]string{"__complete"}, words...)...)
	if status != 0 {
		s.t.Fatalf("%q: status %d: %s", words, status, notes)
	}
	for line := range strings.Lines(out) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, ":") {
			return all, line
		}
		name, _, _ := strings.Cut(line, "\t")
		all = append(all, name)
	}
	s.t.Fatalf("%q: no directive: %s", words, out)
	return nil, ""
}

func TestValuesAreCompleted(t *testing.T) {
	s := newUser(t, "model qwen2.5-coder:7b\nmodel llama3.2:3b\n")
	t.Chdir(s.root)
	s.own(`{"mcpServers": {"github": {"command": "nothing"}, "evil\u001b[2J": {"command": "nothing"}}}`)
	s.write("plan.chat.md", "---\ntitle: \"a\\tb\\u001b[2J\"\n---\n\n## You\n\nHi.\n")
	const noFiles, folders = ":4", ":16"
	for line, want := range map[string][]string{
		"run --model ":                    {"qwen2.5-coder:7b", "llama3.2:3b"},
		"run --model q":                   {"qwen2.5-coder:7b"},
		"doctor --probe l":                {"llama3.2:3b"},
		"run --mode ":                     {"ask", "edits", "plan", "full"},
		"run --color a":                   {"auto", "always"},
		"run --preset r":                  {"review"},
		"prompt use ex":                   {"explain"},
		"prompt edit ":                    {"user", "family", "model", "workspace"},
		"tools show edit_":                {"edit_file", "edit_files"},
		"tools show edit_file ":           nil,
		"tools run read_file ":            nil,
		"run --approve read_file,edit_":   {"read_file,edit_file", "read_file,edit_files"},
		"run --tools-off write_file,web_": {"write_file,web_fetch", "write_file,web_search"},
		"mcp log ":                        {"github"},
		"mcp call gi":                     {"github"},
		"send ":                           {"plan.chat.md"},
		"inspect ":                        {"plan.chat.md"},
		"decode --format herm":            {"hermes"},
		"completion z":                    {"zsh"},
		"chats show ":                     {"plan.chat.md"},
		"chats export --format ":          {"markdown", "json", "html"},
		"chats import --format ":          {"claude-code", "aider"},
		"chats search --model l":          {"llama3.2:3b"},
		"chats search --tool edit_":       {"edit_file", "edit_files"},
		"settings temp":                   {"temperature"},
		"help mo":                         {"models"},
		"help set":                        {"settings"},
		"sql schema ":                     nil,
		"run ":                            nil,
	} {
		got, directive := s.completes(strings.Split(line, " ")...)
		got = slices.DeleteFunc(got, func(name string) bool { return strings.HasPrefix(name, "herme") && name != "hermes" })
		if diff := cmp.Diff(want, got); diff != "" || directive != noFiles {
			t.Errorf("%s: %s %s", line, directive, diff)
		}
	}
	for _, line := range []string{"run --folder ", "trust ", "permissions --workspace "} {
		if got, directive := s.completes(strings.Split(line, " ")...); got != nil || directive != folders {
			t.Errorf("%s: %s %q", line, directive, got)
		}
	}
	if out, _, _ := s.run("__complete", "send", ""); !strings.Contains(out, "plan.chat.md\ta") || strings.Contains(out, "\x1b") {
		t.Errorf("%q", out)
	}
}

// TestCompletionStartsAndWritesNothing: not even where the model server is away.
func TestCompletionStartsAndWritesNothing(t *testing.T) {
	s := newUser(t, "")
	started := filepath.Join(s.root, "started")
	s.own(`{"mcpServers": {"it": {"command": "touch", "args": ["` + started + `"]}}}`)
	before := s.names()
	t.Chdir(s.root)
	t.Setenv("OLLAMA_HOST", "127.0.0.1:1")
	for _, line := range []string{"run --model ", "tools show ", "mcp call it ", "mcp log ", "send ", "permissions revoke "} {
		s.completes(strings.Split(line, " ")...)
	}
	if s.exists("started") || s.names() != before {
		t.Errorf("now there are %s", s.names())
	}
	if entries, err := os.ReadDir(os.Getenv("XDG_STATE_HOME")); err == nil && len(entries) > 0 {
		t.Errorf("the state folder has %v", entries)
	}
}

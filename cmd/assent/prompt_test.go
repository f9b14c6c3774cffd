package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
)

// put writes a file below the user's configuration folder or, if its name begins with "ws/", the workspace.
func (s *user) put(name, text string) {
	s.t.Helper()
	path := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", name)
	if rest, ok := strings.CutPrefix(name, "ws/"); ok {
		path = filepath.Join(s.root, rest)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// What `assent prompt show` prints is what the model gets.
func TestPromptShowIsWhatIsSent(t *testing.T) {
	s := newUser(t, "turn\njson {\"answer\":\"Yes.\"}\n")
	server, address := agenttest.Start(t, "turn\njson {\"answer\":\"Yes.\"}\n")
	t.Setenv("OLLAMA_HOST", address.String())
	s.put("prompts/system.md", "For {{.Model}} of {{.Family}}.")
	s.put("ws/AGENTS.md", "Use tabs.\n")
	s.put("ws/.assent/prompts/system.md", "In this folder.")
	before, notes, status := s.run("prompt", "show", "--folder", s.root)
	if status != 0 || strings.Contains(before, "tabs") || strings.Contains(before, "In this folder") || !strings.Contains(notes, "not trusted") {
		t.Errorf("status %d: %s\n%s", status, before, notes)
	}
	if _, _, status := s.run("trust", "--yes", s.root); status != 0 {
		t.Fatal(status)
	}
	shown, notes, status := s.run("prompt", "show", "--folder", s.root)
	if status != 0 || !strings.Contains(shown, "Use tabs.") || !strings.Contains(shown, "For qwen2.5-coder:1.5b of qwen2.5-coder.") {
		t.Errorf("status %d: %s\n%s", status, shown, notes)
	}
	if !strings.Contains(notes, " tokens\n") || !strings.Contains(notes, "rules, AGENTS.md: used") {
		t.Error(notes)
	}
	if _, notes, status := s.run("run", "--folder", s.root, "Is it?"); status != 0 {
		t.Fatal(status, notes)
	}
	sent := false
	for _, request := range server.Chats() {
		sent = sent || strings.Contains(string(request.Body), strings.ReplaceAll(strings.TrimSpace(shown), "\n", "\\n"))
	}
	if !sent {
		t.Errorf("what was shown was not sent:\n%s", shown)
	}
}

func TestPromptListNamesEveryPlace(t *testing.T) {
	s := newUser(t, "")
	s.put("ws/ask.chat.md", "---\nmodel: gemma3:1b\nprompt: review\n---\n\n## You\n")
	out, notes, status := s.run("prompt", "list", "--folder", s.root, filepath.Join(s.root, "ask.chat.md"))
	for _, want := range []string{
		"built-in: not used. The layer \"preset review\" replaces it.", "preset review: used", "user: not there", "user, family gemma3: not there",
		"user, gemma3:1b: not there", "workspace: not there", "workspace, gemma3:1b: not there",
	} {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("status %d, no %q in\n%s%s", status, want, out, notes)
		}
	}
	if out, _, status := s.run("prompt", "presets", "--preset", "review"); status != 0 || !strings.Contains(out, "* review") || !strings.Contains(out, "  coding") {
		t.Errorf("status %d\n%s", status, out)
	}
	for _, wrong := range [][]string{{"prompt", "show", "nothing.chat.md"}, {"prompt", "show", "README.md"}, {"prompt", "show", "--folder", "/nowhere"}} {
		if out, notes, status := s.run(wrong...); status == 0 || strings.Count(notes, "\n") != 1 {
			t.Errorf("%v: status %d, %q, %q", wrong, status, out, notes)
		}
	}
	out, notes, status = s.run("prompt", "show", "--folder", s.root, "--preset", "nonsense", "--system-prompt", "Only this.")
	if status != 0 || out != "Only this.\n" || !strings.Contains(notes, "whole: used") || !strings.Contains(notes, `there is no preset "nonsense"`) {
		t.Errorf("status %d: %q\n%s", status, out, notes)
	}
}

func TestPromptEditResetAndUse(t *testing.T) {
	s := newUser(t, "")
	in := []string{"--folder", s.root, "--model", "gemma3:1b"}
	for scope, name := range map[string]string{"user": "system.md", "family": "gemma3.md", "model": "system.gemma3-1b.md", "workspace": "system.md"} {
		out, notes, status := s.run(append([]string{"prompt", "edit", scope}, in...)...)
		path := strings.TrimSpace(out)
		if status != 0 || filepath.Base(path) != name || strings.Contains(notes, "not trusted") != (scope == "workspace") {
			t.Errorf("%s: status %d, %q, %s", scope, status, out, notes)
		}
		if err := os.WriteFile(path, []byte("Words of "+scope), 0o600); err != nil {
			t.Error(err)
		}
	}
	if out, notes, status := s.run(append([]string{"prompt", "reset"}, "--folder", s.root, "--model", "other")...); status != 0 || strings.Count(out, "kept: ") != 1 {
		t.Errorf("of a folder that is not trusted: status %d, %q, %s", status, out, notes)
	}
	s.put("prompts/system.md", "Words of user")
	if _, _, status := s.run("trust", "--yes", s.root); status != 0 {
		t.Fatal(status)
	}
	out, notes, status := s.run(append([]string{"prompt", "reset", "model"}, in...)...)
	if status != 0 || strings.Count(out, "kept: ") != 1 || !strings.Contains(notes, "These still count: user; user, family gemma3; workspace.") {
		t.Errorf("status %d, %q, %s", status, out, notes)
	}
	out, notes, status = s.run(append([]string{"prompt", "reset"}, in...)...)
	if status != 0 || strings.Count(out, "kept: ") != 3 || strings.Contains(notes, "still count") {
		t.Errorf("status %d, %q, %s", status, out, notes)
	}
	for line := range strings.Lines(out) {
		if kept, err := os.ReadFile(strings.TrimSpace(strings.TrimPrefix(line, "kept: "))); err != nil || !strings.HasPrefix(string(kept), "Words of ") {
			t.Errorf("%q, %v", kept, err)
		}
	}
	s.put("settings.json", "{\n  // mine\n  \"maxSteps\": 7,\n}\n")
	if _, notes, status := s.run("prompt", "use", "minimal"); status != 0 {
		t.Error(status, notes)
	}
	own, err := os.ReadFile(filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", "settings.json"))
	if err != nil || string(own) != "{\n  \"preset\": \"minimal\",\n  // mine\n  \"maxSteps\": 7,\n}\n" {
		t.Errorf("%s, %v", own, err)
	}
	if out, _, _ := s.run(append([]string{"prompt", "show"}, in...)...); out != "You are a helpful assistant in the user's editor.\n" {
		t.Error(out)
	}
	for _, wrong := range [][]string{{"use", "nonsense"}, {"edit", "nonsense"}, {"reset", "nonsense"}, {"edit"}, {"use"}} {
		if _, notes, status := s.run(append(append([]string{"prompt"}, wrong...), in[:2]...)...); status == 0 {
			t.Errorf("%v worked: %s", wrong, notes)
		}
	}
}

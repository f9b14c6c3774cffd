package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
)

// The prompt of the model that was chosen is sent, as it is when the document names that model.
func TestChosenModelGetsItsOwnPrompt(t *testing.T) {
	l := newLab(t, agenttest.Say("Hi."), agenttest.Say("Hi."))
	installed, err := l.backend.Models(t.Context())
	if err != nil || len(installed) == 0 {
		t.Fatal(installed, err)
	}
	name := installed[0].Name
	own := filepath.Join(l.env.Config, "prompts")
	if err := os.MkdirAll(own, 0o700); err != nil {
		t.Fatal(err)
	}
	file := "system." + strings.NewReplacer(":", "-", "/", "_").Replace(strings.TrimSuffix(name, ":latest")) + ".md"
	if err := os.WriteFile(filepath.Join(own, file), []byte("Speak of ants."), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, document := range []string{ask, "---\nmodel: \"" + name + "\"\n---\n\n" + ask} {
		if end := l.agent.Start(t.Context(), l.job(document)).Wait(); end.Outcome != event.Completed {
			t.Fatal(end)
		}
	}
	requests := l.backend.Requests()
	for _, r := range requests {
		if !strings.Contains(r.Messages[0].Text, "Speak of ants.") {
			t.Errorf("sent %q", r.Messages[0].Text)
		}
	}
	if a, b := requests[0].Messages[0].Text, requests[1].Messages[0].Text; a != b {
		t.Errorf("the system prompt changed from %q to %q", a, b)
	}
}

// A chat names a preset, a model's family has a prompt of its own, and a family without a system role gets all of it in
// the first user turn.
func TestPromptOfAFamilyWithoutASystemRole(t *testing.T) {
	l := newLab(t, agenttest.Say("Hi."), agenttest.Say("Hi."))
	// The name alone says nothing of the family.
	l.backend.Installed = []model.Info{{Name: "mine:1b", Family: "gemma3", Template: "<start_of_turn>", Capabilities: []string{"completion"}, ContextLimit: 8192}}
	for name, text := range map[string]string{"families/gemma3.md": "You are of {{.Family}}.", "presets/short.md": "---\nreplace: true\n---\nBe short."} {
		file := filepath.Join(l.env.Config, "prompts", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const head = "---\nmodel: mine:1b\nprompt: short\n---\n\n"
	const hi = "## You\n\nHi.\n\n```context outline\nThe files of the workspace:\nREADME.md\n```\n"
	for _, document := range []string{head + "## You\n\nHi.\n", head + hi + "\n## Assistant\n\nHi.\n\n## You\n\nAgain.\n"} {
		if end := l.agent.Start(t.Context(), l.job(document)).Wait(); end.Outcome != event.Completed {
			t.Fatal(end)
		}
	}
	var first []model.Message
	for _, r := range l.backend.Requests() {
		if r.Messages[0].Role != model.RoleUser || !strings.HasPrefix(r.Messages[0].Text, "Be short.\n\nYou are of gemma3.") || !strings.Contains(r.Messages[0].Text, "\n\nHi.\n\n") {
			t.Errorf("sent %+v", r.Messages[0])
		}
		if first != nil && first[0].Text != r.Messages[0].Text {
			t.Errorf("the first turn changed from %q to %q", first[0].Text, r.Messages[0].Text)
		}
		first = r.Messages
	}
	prompt, err := l.env.PromptNow(t.Context(), transcript.Parse(head))
	if err != nil || prompt.Text != "Be short.\n\nYou are of gemma3." {
		t.Errorf("shown: %v, %q", err, prompt.Text)
	}
}

// What a launch puts in the place of the prompt is in the chat, once, and is not sent.
func TestAnOverrideStandsInTheChat(t *testing.T) {
	l := newLab(t, agenttest.Say("One."), agenttest.Say("Two."), agenttest.Say("Three."), agenttest.Say("Four."))
	l.env.Prompts.Whole = "Only this."
	text, r := l.send("ask.chat.md", "## You\n\nHi.\n")
	if r.Messages[0].Text != "Only this." || !strings.Contains(text, "```context override not-sent\nThe setting systemPrompt takes the place of the whole system prompt.\n") {
		t.Errorf("sent %q for\n%s", r.Messages[0].Text, text)
	}
	text, r = l.send("ask.chat.md", text+"Again.\n")
	if strings.Count(text, "context override") != 1 || strings.Contains(r.Messages[1].Text, "override") || !strings.Contains(r.Messages[1].Text, "README.md") {
		t.Errorf("sent %q for\n%s", r.Messages[1].Text, text)
	}
	l.env.Prompts.Whole = "Only {{this}}."
	if text, r = l.send("ask.chat.md", text+"Again.\n"); strings.Count(text, "context override") != 1 || !strings.HasPrefix(r.Messages[0].Text, "You are a coding assistant") {
		t.Errorf("one that cannot be used: sent %q for\n%s", r.Messages[0].Text, text)
	}
	l.env.Prompts = session.PromptChoice{PresetFlag: "minimal"}
	if text, r = l.send("ask.chat.md", text+"Again.\n"); strings.Count(text, "context override") != 2 || !strings.HasPrefix(r.Messages[0].Text, "You are a helpful assistant") {
		t.Errorf("sent %q for\n%s", r.Messages[0].Text, text)
	}
}

// A prompt that cannot be used is told once, not with every message, and again when it is broken anew.
func TestABrokenPromptIsToldOnce(t *testing.T) {
	l := newLab(t, agenttest.Say("One."), agenttest.Say("Two."), agenttest.Say("Three."), agenttest.Say("Four."))
	var told []string
	l.env.Warn = func(sentence string) { told = append(told, sentence) }
	file := filepath.Join(l.env.Config, "prompts", "system.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	s := l.chat("ask.chat.md", "## You\n\nHi.\n")
	for i, text := range []string{"{{.NoSuch}}", "{{.NoSuch}}", "Fine.", "{{.NoSuch}}"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			l.write("ask.chat.md", l.read("ask.chat.md")+"Again.\n")
		}
		if err := s.Send(t.Context()); err != nil {
			t.Fatal(err)
		}
		if end, err := s.Wait(); err != nil || end.Outcome != event.Completed {
			t.Fatal(end, err)
		}
		if want := []int{1, 1, 1, 2}[i]; len(told) != want {
			t.Errorf("message %d: told %q", i+1, told)
		}
	}
}

package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
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
		if end := l.agent.Start(t.Context(), l.job(document)).Wait(); end.Outcome != agent.Completed {
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

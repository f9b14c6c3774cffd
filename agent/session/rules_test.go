package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/prompts"
)

// deep is a workspace with a rules file at the root, and six folders below, three with one.
func deep(t *testing.T, replies int) *lab {
	t.Helper()
	var say []agenttest.Reply
	for range replies {
		say = append(say, agenttest.Say("Hi."))
	}
	l := newLab(t, say...)
	if err := os.MkdirAll(filepath.Join(l.root, "a/b/c/d/e/f"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"AGENTS.md", "a/AGENTS.md", "a/b/c/AGENTS.md", "a/b/c/d/e/AGENTS.md"} {
		l.write(name, "Rules of "+name+".\n")
	}
	l.write("a/b/c/d/e/f/deep.go", "package deep\n")
	l.write("a/top.go", "package top\n")
	l.env.Prompts.Rules = prompts.RulesFiles()
	return l
}

// send sends a chat file once and returns it and the last request.
func (l *lab) send(name, text string) (string, model.Request) {
	l.t.Helper()
	s := l.chat(name, text)
	if err := s.Send(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
	if end, err := s.Wait(); err != nil || end.Outcome != event.Completed {
		l.t.Fatal(end, err)
	}
	all := l.backend.Requests()
	return l.read(name), all[len(all)-1]
}

// The rules of the root are in the system prompt, which stays the same; those nearest to a file come with the message
// that names it, once.
func TestTheNearestRulesComeWithTheFile(t *testing.T) {
	l := deep(t, 4)
	if err := l.env.State.Trust(l.env.Workspace.Key()); err != nil {
		t.Fatal(err)
	}
	text, first := l.send("ask.chat.md", "## You\n\nWhat is in a/b/c/d/e/f/deep.go?\n")
	last := func(r model.Request) string { return r.Messages[len(r.Messages)-1].Text }
	if !strings.Contains(first.Messages[0].Text, "Rules of AGENTS.md.") || strings.Contains(first.Messages[0].Text, "Rules of a/") {
		t.Errorf("the system prompt is %q", first.Messages[0].Text)
	}
	if !strings.Contains(last(first), "Rules of a/b/c/d/e/AGENTS.md.") || strings.Count(last(first), "Rules of ") != 1 {
		t.Errorf("sent %q", last(first))
	}
	if !strings.Contains(text, "```context rules a/b/c/d/e/AGENTS.md\n") {
		t.Errorf("the document does not say it:\n%s", text)
	}
	text, second := l.send("ask.chat.md", text+"And a/b/c/d/e/f/deep.go again, and @a/top.go?\n")
	if strings.Contains(last(second), "d/e/AGENTS.md") || !strings.Contains(last(second), "Rules of a/AGENTS.md.") {
		t.Errorf("sent %q", last(second))
	}
	if second.Messages[0].Text != first.Messages[0].Text || second.Messages[1].Text != first.Messages[1].Text {
		t.Error("what was sent before changed")
	}
	l.write("a/b/c/d/e/AGENTS.md", "New rules.\n")
	text, third := l.send("ask.chat.md", text+"And deep.go?\n")
	if !strings.Contains(last(third), "New rules.") {
		t.Errorf("sent %q", last(third))
	}
	l.write("a/b/c/d/e/AGENTS.md", strings.Repeat("x", 20<<10))
	if _, fourth := l.send("ask.chat.md", text+"And deep.go?\n"); !strings.Contains(last(fourth), "is not used: it has more than 16 KB") {
		t.Errorf("sent %q", last(fourth))
	}
}

// Promise 6.
func TestRulesThatDoNotCount(t *testing.T) {
	l := deep(t, 2)
	const ask = "## You\n\nWhat is in a/b/c/d/e/f/deep.go?\n"
	if text, r := l.send("one.chat.md", ask); strings.Contains(text, "context rules") || strings.Contains(r.Messages[0].Text, "Rules of") {
		t.Errorf("those of a folder that is not trusted were sent:\n%s", text)
	}
	if err := l.env.State.Trust(l.env.Workspace.Key()); err != nil {
		t.Fatal(err)
	}
	l.env.Prompts.Rules = []string{"CLAUDE.md"}
	if text, r := l.send("two.chat.md", ask); strings.Contains(text, "context rules") || strings.Contains(r.Messages[0].Text, "Rules of") {
		t.Errorf("those that are switched off were sent:\n%s", text)
	}
}

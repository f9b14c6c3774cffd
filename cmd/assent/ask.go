package main

import (
	"strings"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/visible"
)

// asker gets answers to questions from a person at a terminal.
type asker struct{ terminal *terminal.Terminal }

// ask shows a question, all of it, and returns the answer; refused says why the last answer was not taken, or is nil. The
// end of the input and anything unclear is a denial.
func (a *asker) ask(q agent.Question, refused error) agent.Answer {
	lines := []string{q.Heading()}
	lines = append(lines, q.Reasons()...)
	if refused != nil {
		lines = append(lines, "Your answer was not taken: "+refused.Error())
	}
	for i := range lines {
		lines[i] = visible.Line(lines[i])
	}
	heading, prompt := strings.Join(lines, "\n"), choices(q)
	a.terminal.Begin()
	if !a.terminal.Show(heading, q.Preview, prompt) {
		return agent.Answer{Kind: agent.Deny}
	}
	for {
		line, err := a.terminal.Ask(prompt)
		if err != nil {
			return agent.Answer{Kind: agent.Deny}
		}
		switch answer := strings.ToLower(strings.TrimSpace(line)); {
		case answer == "y":
			return agent.Answer{Kind: agent.Once}
		case answer == "c" && q.InChat:
			return agent.Answer{Kind: agent.InThisChat}
		case answer == "a" && q.Grantable:
			return agent.Answer{Kind: agent.Always}
		case answer == "n" || answer == "":
			return agent.Answer{Kind: agent.Deny}
		case answer == "r" || strings.HasPrefix(answer, "r "):
			return a.reason(strings.TrimSpace(strings.TrimSpace(line)[1:]))
		}
	}
}

func (a *asker) reason(said string) agent.Answer {
	if said == "" {
		line, _ := a.terminal.Ask("why") // the end of the input is an empty reason
		said = strings.TrimSpace(line)
	}
	return agent.Answer{Kind: agent.Deny, Reason: said}
}

// choices names the answers to a question and what each allows.
func choices(q agent.Question) string {
	if q.Model != "" {
		return "[y] send it  [n] deny"
	}
	all := "[y] once"
	if q.InChat {
		all += "  [c] allow " + chats.Granted(q) + " in this chat"
	}
	if q.Grantable {
		all += "  [a] always allow " + q.Tool + " in this workspace"
	}
	return all + "  [n] deny  [r] deny and say why"
}

package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/visible"
)

// asker gets answers to questions from a person at a terminal.
type asker struct {
	in    *bufio.Reader
	notes io.Writer
}

// ask shows a question in full and returns the answer. The end of the input and anything unclear is a denial.
func (a *asker) ask(q agent.Question) agent.Answer {
	fmt.Fprintf(a.notes, "\n%s wants: %s\n", q.Tool, visible.Line(q.Target))
	for _, why := range q.Reasons() {
		fmt.Fprintln(a.notes, visible.Line(why))
	}
	for line := range strings.Lines(q.Preview) {
		fmt.Fprintln(a.notes, "    "+visible.Line(strings.TrimRight(line, "\n")))
	}
	for {
		choices := "[y] once"
		if q.InChat {
			choices += "  [c] in this chat"
		}
		if q.Grantable {
			choices += "  [a] always in this workspace"
		}
		fmt.Fprintf(a.notes, "%s  [n] deny  [r] deny and say why: ", choices)
		line, err := a.in.ReadString('\n')
		if err != nil {
			fmt.Fprintln(a.notes)
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
		fmt.Fprint(a.notes, "why: ")
		line, _ := a.in.ReadString('\n') // the end of the input is an empty reason
		said = strings.TrimSpace(line)
	}
	return agent.Answer{Kind: agent.Deny, Reason: said}
}

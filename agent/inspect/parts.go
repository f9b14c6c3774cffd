package inspect

import (
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
)

// Part is a part of a request.
type Part struct {
	Name   string
	From   string // where it comes from
	Tokens int    // about
	Level  int    // 1: a part of the part above it
}

// Parts lists the parts of the request, in its order: the tools that the server describes, then the messages.
func (r Request) Parts() []Part {
	var parts []Part
	for _, t := range r.Request.Tools {
		parts = append(
			parts,
			Part{
				Name: "tool " + t.Name, From: "the list of tools",
				Tokens: r.Tokens(t.Name + t.Description + string(t.Parameters)),
			},
		)
	}
	places := r.places()
	messages := r.Request.Messages
	before := len(messages) - len(r.Turns) // the system message, if there is one
	for i, m := range messages {
		part, own := Part{Name: "system", From: "everything before the chat", Tokens: r.tokensOf(m)}, ""
		if i >= before {
			turn := r.Turns[i-before]
			part.Name, part.From, own = nameOf(turn), fmt.Sprintf("turn %d of the chat", places[i-before]+1), turn.Text
		}
		parts = append(parts, part)
		if i == 0 {
			parts = append(parts, r.systemParts(m, own)...)
		}
		if i >= before && m.Role == model.RoleUser {
			parts = append(parts, r.contextParts(m, r.Document.Turns[places[i-before]], i == len(messages)-1)...)
		}
	}
	return parts
}

// systemParts divides the first message into the layers of the system prompt and what the format of tool calls adds;
// own is what else is in it, where a family knows no system message.
func (r Request) systemParts(m model.Message, own string) []Part {
	if r.System == "" || r.System != r.Prompt.Text || !strings.HasPrefix(m.Text, r.System) {
		return nil
	}
	var parts []Part
	for _, layer := range r.Prompt.Layers {
		if layer.Text != "" {
			parts = append(parts, Part{Name: "system prompt", From: layer.Name, Tokens: r.Tokens(layer.Text), Level: 1})
		}
	}
	rest := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(m.Text, r.System), own))
	if rest != "" {
		parts = append(parts, Part{Name: "tools", From: "the format " + r.Format, Tokens: r.Tokens(rest), Level: 1})
	}
	return parts
}

// contextParts lists the context blocks in a message: those of its turn in the chat, and those that Send would attach
// to the last one.
func (r Request) contextParts(m model.Message, turn transcript.Turn, last bool) []Part {
	var parts []Part
	add := func(name, text, from string) {
		if read := compose.ContextText(name, text); strings.Contains(m.Text, read) {
			parts = append(parts, Part{Name: "context " + name, From: from, Tokens: r.Tokens(read), Level: 1})
		}
	}
	for b := range transcript.Contexts(turn) {
		if !b.NotSent {
			add(b.Name, b.Text, "the chat")
		}
	}
	if last {
		for _, b := range r.Attached {
			add(b.Name, b.Text(), "attached by Send")
		}
	}
	return parts
}

// places says from which turn of the chat each turn of the request comes.
func (r Request) places() []int {
	places := make([]int, 0, len(r.Turns))
	for i, turns := range compose.ByTurn(r.Document, compose.Memory{}) {
		for range turns {
			places = append(places, i)
		}
	}
	for len(places) < len(r.Turns) { // by nothing that is known
		places = append(places, len(r.Document.Turns)-1)
	}
	return places
}

func nameOf(t toolcall.Turn) string {
	switch {
	case t.Role == model.RoleUser:
		return "You"
	case t.Role == model.RoleAssistant:
		return "Assistant"
	case t.Name != "":
		return "result of " + t.Name + " " + t.CallID
	}
	return "what was wrong with a call"
}

// tokensOf is about how many tokens a message takes; an image's are not known.
func (r Request) tokensOf(m model.Message) int {
	tokens := r.Tokens(m.Text)
	for _, call := range m.Calls {
		tokens += r.Tokens(call.Name) + r.Tokens(string(call.Arguments))
	}
	return tokens
}

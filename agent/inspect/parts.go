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
	Name  string
	From  string // where it comes from
	Bytes int
	Level int // 1: a part of the part above it
}

// Tokens is about how many tokens the part takes.
func (p Part) Tokens() int { return tokens(p.Bytes) }

// bytesPerToken is an average over English prose and code.
const bytesPerToken = 4

func tokens(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }

// Parts lists the parts of the request, in its order: the tools that the server describes, then the messages.
func (r Request) Parts() []Part {
	var parts []Part
	for _, t := range r.Request.Tools {
		parts = append(parts, Part{Name: "tool " + t.Name, From: "the list of tools", Bytes: len(t.Name) + len(t.Description) + len(t.Parameters)})
	}
	places := r.places()
	messages := r.Request.Messages
	before := len(messages) - len(r.Turns) // the system message, if there is one
	for i, m := range messages {
		if i < before {
			parts = append(parts, r.systemParts(m)...)
			continue
		}
		turn := r.Turns[i-before]
		part := Part{Name: nameOf(turn), From: places[i-before], Bytes: sizeOf(m)}
		parts = append(parts, part)
		if turn.Role == model.RoleUser {
			parts = append(parts, r.contextParts(m, i == len(messages)-1)...)
		}
	}
	return parts
}

// systemParts divides the system message into the prompt and what the format of tool calls adds.
func (r Request) systemParts(m model.Message) []Part {
	all := Part{Name: "system", From: "all that stands before the chat", Bytes: sizeOf(m)}
	if !strings.HasPrefix(m.Text, r.System) {
		return []Part{all}
	}
	parts := []Part{all, {Name: "system prompt", From: r.layers(), Bytes: len(r.System), Level: 1}}
	if rest := len(m.Text) - len(r.System); rest > 0 {
		parts = append(parts, Part{Name: "tools", From: "the format " + r.Format, Bytes: rest, Level: 1})
	}
	return parts
}

// layers names the layers of the system prompt that are used.
func (r Request) layers() string {
	var used []string
	for _, layer := range r.Prompt.Layers {
		if layer.Used {
			used = append(used, layer.Name)
		}
	}
	return strings.Join(used, " + ")
}

// contextParts lists the context blocks in a message: those that the document has, and those that Send would attach to its last one.
func (r Request) contextParts(m model.Message, last bool) []Part {
	var parts []Part
	add := func(name, text, from string) {
		if read := compose.ContextText(name, text); strings.Contains(m.Text, read) {
			parts = append(parts, Part{Name: "context " + name, From: from, Bytes: len(read), Level: 1})
		}
	}
	known := map[string]bool{}
	for _, turn := range r.Document.Turns {
		for _, block := range turn.Blocks {
			if b, ok := block.(transcript.Context); ok && turn.Role == transcript.You && !b.NotSent && !known[b.Name+"\n"+b.Text] {
				known[b.Name+"\n"+b.Text] = true
				add(b.Name, b.Text, "the chat")
			}
		}
	}
	if last {
		for _, b := range r.Attached {
			add(b.Name, b.Text(), "attached by Send")
		}
	}
	return parts
}

// places says of each turn of the request which turn of the chat it comes from.
func (r Request) places() []string {
	places := make([]string, 0, len(r.Turns))
	for i, turns := range compose.ByTurn(r.Document, compose.Memory{}) {
		for range turns {
			places = append(places, fmt.Sprintf("turn %d of the chat", i+1))
		}
	}
	for len(places) < len(r.Turns) {
		places = append(places, "the chat")
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

// sizeOf is how many bytes of text a message has.
func sizeOf(m model.Message) int {
	size := len(m.Text)
	for _, call := range m.Calls {
		size += len(call.Name) + len(call.Arguments)
	}
	return size
}

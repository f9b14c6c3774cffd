// Package compose makes the request of a conversation that a model gets. It does no I/O and has no state: runs, probes,
// tests and anything that shows what is sent compose alike.
package compose

import (
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// Conversation is all that a request is made of.
type Conversation struct {
	Model       model.Info
	Profile     model.Profile
	Format      toolcall.Format
	Marks       Marks
	ContextSize int
	KeepAlive   time.Duration
	Temperature *float64
	Sampling    model.Sampling // before the profile's
	Aside       Aside          // nil: the model is not guided

	System string
	Tools  []model.Tool
	Turns  []toolcall.Turn
}

// Request composes what is sent. Equal conversations give equal requests, and a conversation that only grew gives one
// whose messages begin with those of before (invariant 5). Hints constrain the reply and change no message.
func Request(c Conversation, hints toolcall.Hints) model.Request {
	return settled(c, c.Format.Request(c.Marks.Escape(c.System), c.Marks.turns(c.Turns), c.Tools, hints))
}

// Separate composes a request beside a conversation, for plain text without thoughts, of at most so many tokens; 0: as
// long as any reply.
func Separate(c Conversation, messages []model.Message, most int) model.Request {
	req := settled(c, model.Request{Messages: messages, MaxTokens: most})
	if c.Model.Can("thinking") {
		req.Think = model.ThinkOff // thoughts would use up what a text may have
	}
	return req
}

// settled is a request with all that does not depend on its turns.
func settled(c Conversation, req model.Request) model.Request {
	if c.Profile.System == "user" {
		req.Messages = withoutSystem(req.Messages)
	}
	req.Model, req.Server = c.Model.Name, c.Model.Server
	req.ContextSize, req.KeepAlive = c.ContextSize, c.KeepAlive
	req.Temperature, req.Sampling = c.Temperature, c.Sampling.Over(c.Profile.Sampling)
	switch {
	case !c.Model.Can("thinking"):
		req.Sampling.Think = "" // a server refuses it
	case req.Format != nil:
		req.Think = model.ThinkOff // Ollama makes two requests of a constrained one that thinks
	}
	return req
}

// withoutSystem puts the system prompt at the start of the first user turn, for families whose templates know no system
// role: what they make of such a message, a turn of its own or nothing at all, is not what they were trained on.
func withoutSystem(messages []model.Message) []model.Message {
	if len(messages) == 0 || messages[0].Role != model.RoleSystem {
		return messages
	}
	system, rest := messages[0], messages[1:]
	if len(rest) == 0 || rest[0].Role != model.RoleUser {
		system.Role = model.RoleUser
		return append([]model.Message{system}, rest...)
	}
	first := rest[0]
	first.Text = joinParts([]string{system.Text, first.Text})
	return append([]model.Message{first}, rest[1:]...)
}

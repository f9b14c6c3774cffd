// Package compose makes the request of a conversation that a model gets. It does no I/O and has no state: runs, probes, tests and
// anything that shows what is sent compose alike.
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

	System string
	Tools  []model.Tool
	Turns  []toolcall.Turn
}

// Request composes what is sent. Equal conversations give equal requests, and a conversation that only grew gives one whose messages
// begin with those of before (invariant 5). Hints constrain the reply and change no message.
func Request(c Conversation, hints toolcall.Hints) model.Request {
	req := c.Format.Request(c.Marks.Escape(c.System), c.Marks.turns(c.Turns), c.Tools, hints)
	req.Model, req.ContextSize, req.KeepAlive = c.Model.Name, c.ContextSize, c.KeepAlive
	req.Temperature, req.Sampling = c.Temperature, c.Profile.Sampling
	if req.Format != nil && c.Model.Can("thinking") {
		off := false // Ollama makes two requests of a constrained one that thinks
		req.Think = &off
	}
	return req
}

package agent

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// chat asks the model, and takes what people say meanwhile. Of each chunk, each tells what is said to the user. A reply
// that is written elsewhere than they were told ends at once, and one that is endless soon.
func (c *exchange) chat(ctx context.Context, asked event.Asked, each func(model.Chunk) (said string)) (err error) {
	if err := c.agent.PermitNow(c.job.Chat, c.job.Options, c.Model); err != nil {
		return err
	}
	req := asked.Request
	c.asks(asked)
	c.emit(event.RequestSent{Asked: asked})
	var done model.Done
	circles := engine.Endless{Constrained: req.Format != nil}
	c.calls.during(ctx, nil, func() {
		err = c.agent.Backend().Chat(ctx, req, func(chunk model.Chunk) error {
			if host := engine.MovedTo(c.Model, chunk); host != "" {
				return engine.Moved(c.Model, host)
			}
			if chunk.Done != nil {
				done = *chunk.Done
			}
			if circles.Next(wrote(chunk), each(chunk)) {
				return engine.ErrEndless
			}
			return ctx.Err()
		})
	})
	c.emit(event.RequestEnded{Done: done, Err: err})
	return err
}

// wrote is what a piece of a reply has: its text, or the calls that the server has read in it.
func wrote(chunk model.Chunk) string {
	var text strings.Builder
	text.WriteString(chunk.Text)
	for _, call := range chunk.Calls {
		text.WriteString(call.Name + string(call.Arguments))
	}
	return text.String()
}

// maxAsked is how many requests of the last run of a chat are remembered, the newest.
const maxAsked = 60

// asks keeps a request that is sent.
func (c *exchange) asks(a event.Asked) {
	if len(c.sent) == maxAsked {
		c.sent = slices.Delete(c.sent, 0, 1)
	}
	c.sent = append(c.sent, a)
}

// said is what decoded events show to the user.
func said(events []toolcall.Event) string {
	var out strings.Builder
	for _, e := range events {
		switch e := e.(type) {
		case toolcall.Text:
			out.WriteString(e.Text)
		case toolcall.Thinking:
			out.WriteString(e.Text)
		}
	}
	return out.String()
}

// answerIn is what decoded events have of an answer, without thoughts.
func answerIn(events []toolcall.Event) string {
	var out strings.Builder
	for _, e := range events {
		if t, ok := e.(toolcall.Text); ok {
			out.WriteString(t.Text)
		}
	}
	return out.String()
}

// withQuestion is the conversation of some turns with one more of the user.
func (c *loop) withQuestion(turns []toolcall.Turn, prompt string) compose.Conversation {
	about := c.Conversation
	about.Turns = append(slices.Clone(turns), toolcall.Turn{Role: model.RoleUser, Text: prompt, Asked: prompt})
	about.Tools = c.toolbox.After(turns)
	return about
}

// reply is what one request to the model brought.
type reply struct {
	text, thinking, raw strings.Builder
	altered             bool // a call of it is not as the model wrote it
	calls               []*pending
	malformed           []toolcall.Malformed // and last, without its text, what was only shown
	shown               *toolcall.Quoted
	done                model.Done
	took                time.Duration
	usage               event.Usage
}

package agent

import (
	"context"
	"errors"
	"strings"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/guidance"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// guide gives the run its guidance, if its model is guided.
func (c *loop) guide() {
	if !c.agent.guides(c.Format) {
		return
	}
	source := guidance.Source{About: c.job.About, Show: c.job.Show, Place: c.job.Place, Without: c.job.Options.Without}
	if c.job.Tools != nil {
		source.Tools = c.job.Tools.Registry()
	}
	c.guidance = guidance.New(source)
}

// interpret has guidance find out what the message wants, and returns what is to be attached to it.
func (c *loop) interpret(ctx context.Context) guidance.Attachments {
	if c.guidance == nil {
		return guidance.Attachments{}
	}
	return c.guidance.Interpret(ctx, c.view())
}

// decoder decodes the next reply.
func (c *loop) decoder() toolcall.Decoder {
	if c.guidance == nil {
		return c.Format.Decoder(c.toolbox.All())
	}
	return c.guidance.Decoder(c.view())
}

// view is the run as its guidance sees it.
func (c *loop) view() guidance.View {
	return guidance.View{
		Conversation: c.Conversation, All: c.toolbox.All(), Finder: c.toolbox.Finder, Retry: c.retry,
	}
}

// takeGuided is a call of a reply as guidance makes it. complete is false while its text is missing.
func (c *loop) takeGuided(out *reply, call toolcall.Call) (made pending, complete bool) {
	taken := c.guidance.Take(c.view(), call)
	if taken.Altered {
		out.altered = true
		out.raw.Reset() // it is not what the conversation has
	}
	return pending{Call: taken.Call}, !taken.Incomplete
}

// complete makes the separate requests that a reply needs.
func (c *loop) complete(ctx context.Context, out *reply) error {
	r := guidance.Reply{Empty: len(out.calls)+len(out.malformed)+out.text.Len() == 0}
	for _, call := range out.calls {
		r.Calls = append(r.Calls, guidance.Call{Call: call.Call})
	}
	err := c.guidance.Complete(ctx, c.view(), &r, separately{c, out})
	out.calls = out.calls[:len(r.Calls)] // the document does not have the others yet
	for i, call := range r.Calls {
		out.calls[i].Call, out.calls[i].refused = call.Call, call.Refused
		if call.Incomplete {
			c.emit(toolcall.Called{Call: call.Call})
		}
	}
	if r.Altered {
		out.raw.Reset()
	}
	if r.Answer != nil {
		out.done.Reason, out.done.OutputTokens = r.Answer.Done.Reason, out.done.OutputTokens+r.Answer.Done.OutputTokens
	}
	return err
}

// separately sends the requests of guidance while a reply is made.
type separately struct {
	*loop
	out *reply
}

// Writes implements guidance.Asker.
func (s separately) Writes(file string) { s.progress(event.Writing, file) }

// Fits implements guidance.Asker.
func (s separately) Fits(r model.Request, more int) bool {
	return s.agent.Meter.Estimate(r).Tokens+more <= s.ContextSize
}

// Ask implements guidance.Asker.
func (s separately) Ask(ctx context.Context, r guidance.Request, show bool) (guidance.Answer, error) {
	var text strings.Builder
	var answer guidance.Answer
	err := s.exchange.chat(ctx, event.Asked{
		Why: r.Why, Kind: event.Separate, Request: r.Request,
	}, func(chunk model.Chunk) string {
		if chunk.Done != nil {
			answer.Done = *chunk.Done
		}
		text.WriteString(chunk.Text)
		if show && chunk.Text != "" {
			s.out.text.WriteString(chunk.Text) // nothing in it is a call
			s.emit(toolcall.Text{Text: chunk.Text})
		}
		return chunk.Text
	})
	answer.Text, answer.Endless = text.String(), errors.Is(err, engine.ErrEndless)
	if err == nil {
		err = s.exchange.checkRead(ctx, r.Request, answer.Done.PromptTokens)
	}
	return answer, err
}

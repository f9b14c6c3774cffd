package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
)

// whichModel says to the person which model would answer what somebody else asks it.
func (c *executor) whichModel() string {
	where := ""
	if host := c.Model.Elsewhere(); host != "" {
		where = ", which runs at " + visible.Line(host)
	}
	return "The model is " + visible.Line(c.Model.Name) + where + "."
}

// requestFor is what the model is asked for somebody else: nothing of the chat, and no tools.
func (c *executor) requestFor(asked tools.ModelInquiry) (model.Request, error) {
	if err := c.agent.PermitNow(c.job.Chat, c.job.Options, c.Model); err != nil {
		return model.Request{}, err
	}
	req := model.Request{
		Model: c.Model.Name, Server: c.Model.Server, ContextSize: c.ContextSize, MaxTokens: asked.MaxTokens,
		KeepAlive: c.KeepAlive, Temperature: asked.Temperature,
	}
	if c.Model.Can("thinking") {
		req.Think = model.ThinkOff // its thoughts would use up the tokens of the answer
	}
	if asked.System != "" {
		req.Messages = append(req.Messages, model.Message{Role: model.RoleSystem, Text: c.Marks.Escape(asked.System)})
	}
	for _, m := range asked.Messages {
		role := model.RoleUser
		if m.Assistant {
			role = model.RoleAssistant
		}
		req.Messages = append(req.Messages, model.Message{Role: role, Text: c.Marks.Escape(m.Text)})
	}
	if n := c.agent.Meter.Estimate(req).Tokens; n+asked.MaxTokens > c.ContextSize {
		return req, fmt.Errorf(
			"it takes about %d tokens and %d for the answer, and the context of %s has %d", n, asked.MaxTokens,
			c.Model.Name, c.ContextSize,
		)
	}
	return req, nil
}

// askModel asks the model for somebody else, beside the run, and answers the inquiry with what it says. It ends when
// nobody waits for that.
func (c *executor) askModel(ctx context.Context, in *inquiry) {
	req, err := c.requestFor(*in.asked.Model)
	if err != nil {
		in.call.Note(InquiryBlock, noAnswerNote(err))
		in.reply <- inquiryAnswer{err: err}
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		<-in.gone // Ask ends it, with an answer or without
		cancel()
	}()
	a, info := c.agent, c.Model
	go func() {
		reply, err := a.answerFor(ctx, info, req)
		switch {
		case err == nil:
			in.call.Note(InquiryBlock, answerNote(reply))
		case ctx.Err() == nil: // else the question is over, which is said
			in.call.Note(InquiryBlock, noAnswerNote(err))
		}
		in.reply <- inquiryAnswer{reply: reply, err: err}
	}()
}

// noAnswerNote says in the document that a yes had no effect. Who asked is not told why.
func noAnswerNote(err error) string {
	return "The model did not answer, and nothing was given to the server: " + visible.Line(err.Error()) + "."
}

// answerNote says in the document what the model answered.
func answerNote(reply tools.Reply) string {
	var b strings.Builder
	b.WriteString("The model answered:\n")
	for line := range strings.Lines(reply.Text) {
		b.WriteString("> " + strings.TrimRight(line, "\n") + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (a *Agent) answerFor(ctx context.Context, info model.Info, req model.Request) (tools.Reply, error) {
	give, err := a.Wait(ctx, info.Name, engine.Requester{}, func(string) {}) // a chat waits for it
	if err != nil {
		return tools.Reply{}, err
	}
	defer give()
	var text strings.Builder
	var done model.Done
	var circles engine.Endless
	err = a.Backend().Chat(ctx, req, func(chunk model.Chunk) error {
		if engine.MovedTo(info, chunk) != "" {
			return engine.ErrMoved
		}
		if circles.Next(chunk.Text, chunk.Text) {
			return engine.ErrEndless
		}
		text.WriteString(chunk.Text)
		if chunk.Done != nil {
			done = *chunk.Done
		}
		return ctx.Err()
	})
	said := strings.TrimSpace(transcript.NormalText(text.String()))
	if err == nil && said == "" {
		err = errors.New("the model answered with nothing")
	}
	return tools.Reply{Yes: true, Text: said, Model: info.Name, Cut: done.Reason == "length"}, err
}

package agent

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
)

// reply is what one request to the model brought.
type reply struct {
	text, thinking, raw strings.Builder
	altered             bool // a call of it is not as the model wrote it
	calls               []*pending
	malformed           []toolcall.Malformed // and last, without its text, what was only shown
	shown               *toolcall.Quoted
	done                model.Done
	took                time.Duration
	usage               Usage
}

// stream sends a request and emits what the model says as it says it. On an error the reply holds what came until then.
func (c *loop) stream(ctx context.Context, req model.Request) (*reply, error) {
	out := &reply{}
	give, err := c.takeTurn(ctx)
	if err != nil {
		return out, err
	}
	defer give()
	c.asked = true
	decoder := c.Format.Decoder(c.withoutTexts(c.toolbox.all()))
	began, first, circle := time.Now(), true, endless{}
	c.emit(c.waitingProgress())
	each := func(chunk model.Chunk) error {
		if first && (chunk.Text != "" || chunk.Thinking != "" || len(chunk.Calls) > 0) {
			first = false
			c.agent.forgetStop()
			c.emit(Progress{Stage: Writing})
		}
		if !out.altered {
			out.raw.WriteString(chunk.Text)
		}
		if chunk.Done != nil {
			out.done = *chunk.Done
		}
		c.take(out, decoder.Push(chunk))
		if circle.next(chunk.Thinking) || circle.next(chunk.Text) {
			return errEndless
		}
		return nil
	}
	err = c.chat(ctx, req, each)
	c.take(out, decoder.End(err == nil))
	if out.shown != nil {
		out.malformed = append(out.malformed, toolcall.Malformed{Reason: out.shown.Reason})
	}
	if err == nil {
		err = c.writeApart(ctx, out)
	}
	if err == nil {
		err = c.answerApart(ctx, out)
	}
	for _, m := range out.malformed { // last, so that the document shows where the next reply begins
		c.emit(CallMalformed{ID: c.newID(), Malformed: m})
	}
	out.took = time.Since(began)
	if err != nil && ctx.Err() != nil && first {
		c.agent.rememberStop()
	}
	if err == nil {
		out.usage = c.usage(req, out.done)
		err = c.checkRead(ctx, req, out.done.PromptTokens)
	}
	return out, err
}

// chat asks the model, and takes what people say meanwhile. A reply that is written elsewhere than they were told ends at once.
func (c *loop) chat(ctx context.Context, req model.Request, each func(model.Chunk) error) (err error) {
	c.emit(RequestSent{Request: req})
	var done model.Done
	c.during(ctx, nil, func() {
		err = c.agent.backend.Chat(ctx, req, func(chunk model.Chunk) error {
			if host := (model.Info{RemoteHost: chunk.RemoteHost}).Elsewhere(); host != "" && host != c.Model.Elsewhere() {
				return c.moved(host)
			}
			if chunk.Done != nil {
				done = *chunk.Done
			}
			if err := each(chunk); err != nil {
				return err
			}
			return ctx.Err()
		})
	})
	c.emit(RequestEnded{Done: done, Err: err})
	return err
}

// take emits decoded events and keeps them.
func (c *loop) take(out *reply, events []toolcall.Event) {
	for _, e := range events {
		switch e := e.(type) {
		case toolcall.Text:
			out.text.WriteString(e.Text)
			c.emit(e)
		case toolcall.Thinking:
			out.thinking.WriteString(e.Text)
			c.emit(e)
		case toolcall.Unclosed:
			// The answer stands in a thought that never ended: it must be seen without unfolding it.
			out.text.WriteString(out.thinking.String())
			c.emit(TextDelta{Text: out.thinking.String()})
		case toolcall.Called:
			meant, altered := c.grounded(c.Marks.Meant(e.Call))
			if e.Call = meant; altered {
				out.altered = true
				out.raw.Reset() // it is not what the conversation has
			}
			e.Call.ID = c.newID()
			call := &pending{Call: e.Call}
			out.calls = append(out.calls, call)
			if !c.isApart(e.Call) { // else its text is still to be written
				c.emit(e)
			}
		case toolcall.Malformed:
			e.Raw, e.Reason = transcript.NormalText(e.Raw), transcript.NormalText(e.Reason)
			out.malformed = append(out.malformed, e)
		case toolcall.Quoted:
			out.shown = &e
		}
	}
}

func (c *loop) newID() string {
	id := "c" + strconv.Itoa(c.nextID)
	c.nextID++
	return id
}

// takeTurn waits until no other run talks to the model server, and says so if it has to.
func (c *loop) takeTurn(ctx context.Context) (give func(), err error) {
	select {
	case <-c.agent.gpu:
		return c.agent.giveTurn, nil
	default:
	}
	c.emit(Progress{Stage: Queued, Note: "The model is answering something else."})
	return c.agent.Turn(ctx)
}

// waitingProgress says what goes on before the first token: loading, reading, or a prompt that was stopped and that the
// server reads to its end all the same.
func (c *loop) waitingProgress() Progress {
	p := Progress{Stage: Reading}
	if c.Model.LoadedContext == 0 {
		c.Model.LoadedContext = c.ContextSize
		c.agent.meter.Loaded(c.Model.Name)
		p.Stage = Loading
	}
	if c.agent.stillReading() {
		p.Note = "the model server still reads the prompt that was stopped"
	}
	return p
}

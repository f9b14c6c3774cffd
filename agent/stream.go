package agent

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
)

// stream sends a request and emits what the model says as it says it. On an error the reply holds what came until then.
func (c *exchange) stream(ctx context.Context, why string, req model.Request) (*reply, error) {
	out := &reply{}
	give, err := c.takeTurn(ctx)
	if err != nil {
		return out, err
	}
	defer give()
	c.asked = true
	decoder := c.decoder()
	began, first := time.Now(), true
	c.emit(c.waitingProgress(req))
	var reads pace
	each := func(chunk model.Chunk) (shown string) {
		c.emitServerProgress(chunk, &reads)
		if first && (chunk.Text != "" || chunk.Thinking != "" || len(chunk.Calls) > 0) {
			first = false
			c.agent.ForgetStop(c.Model.Name)
			c.emit(event.Progress{Stage: event.Writing})
		}
		if !out.altered {
			out.raw.WriteString(chunk.Text)
		}
		if chunk.Done != nil {
			out.done = *chunk.Done
		}
		events := decoder.Push(chunk)
		c.take(out, events)
		return said(events)
	}
	err = c.chat(ctx, event.Asked{Why: why, Kind: event.ForReply, Request: req}, each)
	c.take(out, decoder.End(err == nil))
	if out.shown != nil {
		out.malformed = append(out.malformed, toolcall.Malformed{Reason: out.shown.Reason})
	}
	if err == nil && c.guidance != nil {
		err = c.complete(ctx, out)
	}
	for _, m := range out.malformed { // last, so that the document shows where the next reply begins
		c.emit(event.CallMalformed{ID: c.newID(), Malformed: m})
	}
	out.took = time.Since(began)
	if err != nil && ctx.Err() != nil && first {
		c.agent.RememberStop(c.Model.Name)
	}
	if err == nil {
		out.usage = c.usage(req, out.done)
		err = c.checkRead(ctx, req, out.done.PromptTokens)
	}
	return out, err
}

// take emits decoded events and keeps them.
func (c *exchange) take(out *reply, events []toolcall.Event) {
	for _, e := range events {
		switch e := e.(type) {
		case toolcall.Text:
			out.text.WriteString(e.Text)
			c.emit(e)
		case toolcall.Thinking:
			out.thinking.WriteString(e.Text)
			c.emit(e)
		case toolcall.Unclosed:
			// The answer is in a thought that never ended: it must be seen without unfolding it.
			out.text.WriteString(out.thinking.String())
			c.emit(event.TextDelta{Text: out.thinking.String()})
		case toolcall.Called:
			e.Call = c.Marks.Meant(e.Call)
			call, complete := pending{Call: e.Call}, true
			if c.guidance != nil {
				call, complete = c.takeGuided(out, e.Call)
			}
			call.ID = c.newID()
			out.calls = append(out.calls, &call)
			if complete {
				c.emit(toolcall.Called{Call: call.Call})
			}
		case toolcall.Malformed:
			e.Raw, e.Reason = transcript.NormalText(e.Raw), transcript.NormalText(e.Reason)
			out.malformed = append(out.malformed, e)
		case toolcall.Quoted:
			out.shown = &e
		}
	}
}

func (c *exchange) newID() string {
	id := "c" + strconv.Itoa(c.nextID)
	c.nextID++
	return id
}

// takeTurn waits until nobody else talks to the model server, and says who does if it has to.
func (c *exchange) takeTurn(ctx context.Context) (give func(), err error) {
	return c.agent.Wait(ctx, c.Model.Name, engine.Requester{Chat: c.job.Chat}, func(first string) {
		c.emit(event.Progress{Stage: event.Queued, Note: first + " comes first"})
	})
}

// waitingProgress says what goes on before the first token: loading, reading, or a prompt that was stopped and that the
// server reads to its end all the same.
func (c *exchange) waitingProgress(req model.Request) event.Progress {
	estimate := c.agent.Meter.Estimate(req)
	p := event.Progress{Stage: event.Reading, Tokens: estimate.Tokens - estimate.Counted}
	if speed := c.agent.Meter.Known(c.Model.Name).Reading; speed > 0 {
		p.Left = time.Duration(float64(p.Tokens) / speed * float64(time.Second))
	}
	if c.Model.LoadedContext == 0 {
		c.Model.LoadedContext = c.ContextSize
		c.agent.Meter.Loaded(c.Model.Name)
		p.Stage, p.Tokens, p.Left, c.reloaded = event.Loading, 0, 0, true
	}
	if c.agent.StillReading(c.Model.Name) {
		p.Note = "the model server still reads the prompt that was stopped"
	}
	return p
}

// emitServerProgress says what a server that tells does before the first token.
func (c *exchange) emitServerProgress(chunk model.Chunk, reads *pace) {
	switch {
	case chunk.Loading:
		c.emit(event.Progress{Stage: event.Loading})
	case chunk.Reading != nil && chunk.Reading.Total > 0:
		left := reads.left(*chunk.Reading, time.Now())
		c.emit(event.Progress{Stage: event.Reading, Left: left, Note: fmt.Sprintf(
			"%d %% of %d tokens", 100*chunk.Reading.Done/chunk.Reading.Total, chunk.Reading.Total)})
	}
}

// pace is how fast a server reads, from what it says. The zero value knows nothing yet.
type pace struct {
	since time.Time
	done  int
}

// left is about how long the rest takes; 0: not known. What was in the cache when it began says nothing about that.
func (p *pace) left(r model.Reading, now time.Time) time.Duration {
	if p.since.IsZero() {
		p.since, p.done = now, r.Done
	}
	if r.Done <= p.done {
		return 0
	}
	return now.Sub(p.since) / time.Duration(r.Done-p.done) * time.Duration(max(0, r.Total-r.Done))
}

// usage is what the server reports about a reply to a request.
func (c *exchange) usage(req model.Request, done model.Done) event.Usage {
	u := event.Usage{Prompt: done.PromptTokens, Output: done.OutputTokens, Context: c.ContextSize}
	u.Reused = c.agent.Meter.Reused(req, done.PromptTokens, done.PromptTime)
	switch {
	case done.CacheKnown && done.PromptTokens > 0:
		u.Reused, u.Exact = float64(done.CachedTokens)/float64(done.PromptTokens), true
		u.Lost, u.Why = c.agent.reads.Lost(c.job.Chat, req, done, c.reloaded)
	case u.Reused < 0:
		u.Untold = c.Model.Server != "" // of Ollama alone it is learned soon
	}
	c.reloaded = false
	if seconds := done.OutputTime.Seconds(); seconds >= 0.001 {
		u.Rate = float64(done.OutputTokens) / seconds
	}
	return u
}

package agent

import (
	"context"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// Inspection is the request that a run would send first, and what it is made of.
type Inspection struct {
	Model    model.Info
	Why      string // why this model, when the user named none
	Format   string // of tool calls
	System   string // the system prompt, as the request has it
	Turns    []toolcall.Turn
	Attached []event.ContextAdded // what would be written into the document with the turn
	Request  model.Request
	Estimate model.Estimate // of its tokens
	// Uncounted says why Estimate is no count though the server counts, as [engine.Engine.Count] says it.
	Uncounted string
	Tokens    func(text string) int // about how many tokens of this model a text takes
	// Unsettled says that the context size is a guess: Send loads the model first, and may find that another one suits.
	Unsettled bool
	Profile   model.Profile
	All       []event.Asked // what Send would ask, in order: this request, what comes before it, and what may follow it
	Sent      []event.Asked // what the last run of the chat in this process asked, in order
}

// Inspect prepares a job as a run does, up to its first request, which it returns instead of sending it. The model is
// asked nothing, the document stays as it is, and nobody is asked whether a model that runs elsewhere may be used.
func (a *Agent) Inspect(ctx context.Context, job Job) (Inspection, error) {
	attached := &attachedContext{}
	job.Sink = attached
	c := newLoop(a, &Run{output: newOutput()}, job)
	c.shown = true
	why, err := c.choose(ctx)
	if err != nil {
		return Inspection{}, err
	}
	if err := c.converse(ctx); err != nil {
		return Inspection{}, err
	}
	c.sayOverride()
	c.sayThink()
	need := a.Meter.Estimate(c.request(toolcall.Hints{})).Margin()
	unsettled := !a.Settled(job.Options, c.Model, need)
	if unsettled {
		c.ContextSize = model.SuitableContext(c.Model, need, a.Backend().Memory())
	}
	more := c.interpret(ctx)
	if !job.Resume {
		c.context.attach(ctx, more)
	}
	hints := c.hints(ctx)
	req, _ := c.exchange.fitted(ctx, hints) // one that cannot be made to fit is shown as it is
	return Inspection{
		Model: c.Model, Why: why, Format: c.Format.Name(), System: c.Marks.Escape(c.System), Turns: c.Turns,
		Attached: *attached, Request: req,
		All: c.exchange.around(ctx, req), Sent: a.sent.Requests(job.Chat),
		Estimate: c.agent.Meter.Estimate(req), Uncounted: c.exchange.uncounted,
		Tokens:    c.exchange.tokens,
		Unsettled: unsettled, Profile: c.Profile,
	}, ctx.Err()
}

// attachedContext collects the context of a turn.
type attachedContext []event.ContextAdded

// Emit implements Sink.
func (a *attachedContext) Emit(e event.Event) {
	if added, ok := e.(event.ContextAdded); ok {
		*a = append(*a, added)
	}
}

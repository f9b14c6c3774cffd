package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools"
)

// shortenTo is how much of the context a conversation takes, in percent, after results were shortened: so much at once
// that the prompt's prefix changes seldom.
const shortenTo = 60

const whyReply = "the reply"

// maxCounts is how often the server counts a request before it is sent: as it is, and once it was made to fit.
const maxCounts = 2

// answer asks the model for its next reply. A request that would not fit is made to fit before it is sent. One that the
// server refused as too long, or cut, is repeated once.
func (c *exchange) answer(ctx context.Context) (*reply, error) {
	hints := c.hints(ctx)
	if err := c.agent.PermitNow(c.job.Chat, c.job.Options, c.Model); err != nil { // also for who only counts
		return &reply{}, err
	}
	req, err := c.fitted(ctx, hints)
	if err != nil {
		return &reply{}, err
	}
	why := whyReply
	if c.uncounted != "" {
		why += "; " + c.uncounted
	}
	out, err := c.streamWhole(ctx, why, req, hints)
	needs, cut := overflow(err)
	if needs == 0 || ctx.Err() != nil {
		return out, err
	}
	c.learnLimit(req, err)
	lost, size := c.lost(cut), c.ContextSize
	if c.fit(ctx, max(needs, size)) != nil {
		c.sayCut(cut, lost, "")
		return out, err
	}
	c.discard(out.calls)
	how := "with old results shortened"
	if c.ContextSize > size {
		how = fmt.Sprintf("with a context of %d tokens", c.ContextSize)
	}
	c.sayCut(cut, lost, "\nIt was asked again, "+how+".")
	return c.streamWhole(ctx, "the reply once more: the server had not read all of the chat", c.request(hints), hints)
}

// fitted is the next request, made to fit. One that the server counts is looked at again then: what shortening saves is
// always estimated.
func (c *exchange) fitted(ctx context.Context, hints toolcall.Hints) (model.Request, error) {
	req := c.request(hints)
	for range maxCounts {
		e := c.measure(ctx, req)
		if c.over(e.Margin()) <= 0 {
			break
		}
		// else it may fit, and the server knows
		if err := c.fit(ctx, e.Margin()); err != nil && e.Least() > c.ContextSize {
			return req, err
		}
		req = c.request(hints)
		if !e.Exact {
			break
		}
	}
	return req, nil
}

// measure says what a request takes: as the server counts it, if it does and if the number may matter.
func (c *exchange) measure(ctx context.Context, req model.Request) model.Estimate {
	e := c.agent.Meter.Estimate(req)
	if e.Exact || c.uncounted != "" || !c.shown && c.over(e.Most()) <= 0 || c.shown && c.Model.Elsewhere() != "" {
		return e
	}
	off, problem := c.agent.Count(ctx, req)
	if c.uncounted = problem; off == 0 {
		return e
	}
	c.off = off
	return c.agent.Meter.Estimate(req)
}

// tokens is about what a text takes, by what was counted last.
func (c *exchange) tokens(text string) int {
	return int(float64(c.agent.Meter.Tokens(c.Model.Name, text)) * c.off)
}

// learnLimit takes the numbers of a request that was refused as too long.
func (c *exchange) learnLimit(req model.Request, err error) {
	refused, ok := errors.AsType[*model.Error](err)
	if !ok {
		return
	}
	if c.uncounted != "" && refused.Needed > 0 { // this is the count that was missing
		c.off = c.agent.Meter.Told(req, refused.Needed)
	}
	if refused.Limit > 0 && refused.Limit < c.ContextSize {
		c.ContextSize = c.agent.Pins.Lower(model.Info{Name: c.Model.Name, LoadedContext: refused.Limit})
	}
}

// overflow says how many tokens a request takes that the server refused or cut for its length; 0: it did neither.
func overflow(err error) (needs int, cut *cutError) {
	if errors.As(err, &cut) {
		return cut.expected, cut
	}
	if refused, ok := errors.AsType[*model.Error](err); ok && refused.Kind == model.ContextTooLong {
		return max(refused.Needed, 1), nil
	}
	return 0, nil
}

// over is by how many tokens a request that takes so many would be too long.
func (c *exchange) over(needs int) int { return needs - (c.ContextSize - model.Reserve(c.ContextSize)) }

// fit makes a conversation that takes so many tokens smaller if the context would not hold it: first old results are
// shortened, then a larger context is chosen, then the model writes a summary, then the newest results are shortened.
func (c *exchange) fit(ctx context.Context, needs int) error {
	over := c.over(needs)
	if over <= 0 {
		return nil
	}
	save := needs - c.ContextSize*shortenTo/100
	if c.shorten(save, over, false) || c.grow(needs) || c.compact(ctx, over) || c.shorten(save, over, true) {
		return nil
	}
	return &model.Error{Kind: model.ContextTooLong, Needed: needs, Limit: c.ContextSize, Sentence: fmt.Sprintf(
		"This chat takes about %d tokens, and the context of %s holds %d with the reply, so nothing was sent: "+
			"start a New chat, attach less, or raise the setting contextSize.",
		needs, c.Model.Name, c.ContextSize)}
}

// shorten shortens results, if that saves at least so many tokens as the request is over, and says so in the document.
func (c *exchange) shorten(save, over int, newest bool) bool {
	saved := 0
	turns, calls := compose.Fit(c.Turns, save, newest, c.tokens)
	for i := range turns {
		saved += c.tokens(c.Turns[i].Text) - c.tokens(turns[i].Text)
	}
	if saved < over {
		return false
	}
	c.Turns = turns
	c.note(compose.ShortenedBlock, compose.ShortenedNote(calls))
	return true
}

// grow chooses a larger context, which the server loads the model again for.
func (c *exchange) grow(needs int) bool {
	size, ok := c.agent.Pins.Grow(c.job.Options.ContextSize, c.Model, needs, c.agent.Backend().Memory())
	if !ok {
		return false
	}
	c.ContextSize, c.Model.LoadedContext = size, 0
	c.emit(event.Progress{
		Stage: event.Loading,
		Note:  fmt.Sprintf("with a context of %d tokens, since this chat takes about %d", size, needs),
	})
	return true
}

// discard ends the calls of a reply to a prompt that was cut: none of them runs.
func (c *exchange) discard(calls []*pending) {
	for _, call := range calls {
		c.emit(event.CallEnded{ID: call.ID, Name: call.Name, Result: tools.Failed(prompts.NotRun())})
	}
}

// settle chooses the context size for the conversation.
func (c *exchange) settle(ctx context.Context) error {
	if _, pinned := c.agent.Pins.Pinned(c.Model); pinned {
		return nil
	}
	give, err := c.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer give()
	need := c.agent.Meter.Estimate(c.request(toolcall.Hints{})).Margin()
	if !c.agent.Settled(c.job.Options, c.Model, need) {
		c.emit(event.Progress{Stage: event.Loading})
	}
	c.ContextSize, c.Model = c.agent.Settle(ctx, c.job.Options, c.Model, need)
	return ctx.Err()
}

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

// answer asks the model for its next reply. A request that would not fit is made to fit before it is sent. One that the
// server refused as too long, or cut, is repeated once.
func (c *exchange) answer(ctx context.Context) (*reply, error) {
	hints := c.hints(ctx)
	req := c.request(hints)
	if e := c.agent.Meter.Estimate(req); c.over(e.Margin()) > 0 {
		// else it may fit, and the server knows
		if err := c.fit(ctx, e.Margin()); err != nil && e.Least() > c.ContextSize {
			return &reply{}, err
		}
		req = c.request(hints)
	}
	out, err := c.streamWhole(ctx, whyReply, req, hints)
	needs, cut := overflow(err)
	if needs == 0 || ctx.Err() != nil {
		return out, err
	}
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

// estimate says what the next request takes.
func (c *exchange) estimate(hints toolcall.Hints) model.Estimate {
	return c.agent.Meter.Estimate(c.request(hints))
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
	turns, calls := compose.Fit(
		c.Turns, save, newest, func(text string) int { return c.agent.Meter.Tokens(c.Model.Name, text) },
	)
	for i := range turns {
		saved += c.agent.Meter.Tokens(c.Model.Name, c.Turns[i].Text) - c.agent.Meter.Tokens(c.Model.Name, turns[i].Text)
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

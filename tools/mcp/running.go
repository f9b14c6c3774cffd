package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
)

// maxSaying is how much of a sentence of a server is shown, in characters.
const maxSaying = 200

// maxAsked is how often a server may ask something during one call.
const maxAsked = 10

// runningCall is a call of a tool of a server that is not over yet.
type runningCall struct {
	number int
	tool   string          // its name in plain characters: the server's own may read as a sentence
	ctx    context.Context //nolint:containedctx // of the call: what a server asks ends with it
	clock  *clock
	report tools.Reporter

	samples atomic.Int32 // how often the model was to answer
	asked   atomic.Int32 // how often it asked anything
	asking  sync.Mutex   // one question at a time
}

// begin takes note of a call that begins. token is what the server names it by; end is called when it is over.
func (c *connection) begin(
	ctx context.Context, tool string, clock *clock, report tools.Reporter,
) (r *runningCall, token string, end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	ctx, cancel := context.WithCancel(ctx)
	r = &runningCall{number: c.calls, tool: tool, ctx: ctx, clock: clock, report: report}
	token = fmt.Sprintf("call %d", c.calls)
	c.running[token] = r
	return r, token, func() {
		cancel()
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.running, token)
	}
}

// newest is the call that began last of those that are not over; nil: there is none. In the older protocol a server
// does not say for which call it asks.
func (c *connection) newest() *runningCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.running) == 0 {
		return nil
	}
	return slices.MaxFunc(
		slices.Collect(maps.Values(c.running)), func(a, b *runningCall) int { return a.number - b.number },
	)
}

// progress passes on how far a call is.
func (c *connection) progress(p *sdk.ProgressNotificationParams) {
	token, _ := p.ProgressToken.(string)
	c.mu.Lock()
	r := c.running[token]
	c.mu.Unlock()
	if r != nil && r.report != nil {
		r.report.Progress(p.Progress, p.Total, visible.ForeignText(c.hide(p.Message)).Line(maxSaying))
	}
}

var errOften = fmt.Errorf("it asked more than %d times during one call", maxAsked)

// mayAsk counts a question, before it waits for those that are asked already.
func (r *runningCall) mayAsk() bool { return r.asked.Add(1) <= maxAsked }

// ask puts a question of the server to the person. The time of the call stands still meanwhile. ctx is that of the
// server's request.
func (r *runningCall) ask(ctx context.Context, what tools.Inquiry) (tools.Reply, error) {
	asker, ok := r.report.(tools.Asker)
	if !ok {
		return tools.Reply{}, tools.ErrNobody
	}
	r.asking.Lock()
	defer r.asking.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	if r.ctx.Err() != nil {
		return tools.Reply{}, errors.New("the call is over")
	}
	defer r.clock.hold()()
	return asker.Ask(ctx, what)
}

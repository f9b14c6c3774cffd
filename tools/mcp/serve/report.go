package serve

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// reporter sends what a running call reports: progress if the client asked for it, and output as messages for its log.
// It never holds up the call: what a slow client does not take in time is left out.
type reporter struct {
	send chan func()
	sent chan struct{} // closed when all was sent

	mu   sync.Mutex
	over bool    // guarded by mu
	last float64 // guarded by mu: progress only grows

	ctx context.Context //nolint:containedctx // of the one call that it is made for
	r   *mcp.CallToolRequest
}

// maxUnsent is how many reports wait for a slow client.
const maxUnsent = 64

func report(ctx context.Context, r *mcp.CallToolRequest) *reporter {
	p := &reporter{send: make(chan func(), maxUnsent), sent: make(chan struct{}), last: -1, ctx: ctx, r: r}
	go func() {
		defer close(p.sent)
		for send := range p.send {
			send()
		}
	}()
	return p
}

// Output implements tools.Reporter.
func (p *reporter) Output(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.later(func() {
		_ = p.r.Session.Log(p.ctx, &mcp.LoggingMessageParams{Level: "info", Logger: p.r.Params.Name, Data: text})
	})
}

// Progress implements tools.Reporter.
func (p *reporter) Progress(done, total float64, note string) {
	token := p.r.Params.GetProgressToken()
	p.mu.Lock()
	defer p.mu.Unlock()
	if total == 0 && done <= p.last { // only the note is new
		done = p.last + 1
	}
	if token == nil || done <= p.last {
		return
	}
	p.last = done
	p.later(func() {
		_ = p.r.Session.NotifyProgress(
			p.ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: total, Message: note},
		)
	})
}

// later sends something after what is sent already; mu is held.
func (p *reporter) later(send func()) {
	if p.over {
		return
	}
	select {
	case p.send <- send:
	default:
	}
}

// end waits until all reports are sent, so that none comes after the result.
func (p *reporter) end() {
	p.mu.Lock()
	p.over = true
	close(p.send)
	p.mu.Unlock()
	select {
	case <-p.sent:
	case <-p.ctx.Done():
	}
}

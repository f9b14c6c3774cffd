package agent

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
)

const (
	outputPause = 100 * time.Millisecond // between two CallOutput of a call
	maxOutput   = 4 << 10                // bytes of text in one of them
)

// output keeps what running calls report and ask until the run's goroutine shows it: no call ever waits for a report.
type output struct {
	fresh chan struct{} // has a value when there is something to show

	mu    sync.Mutex
	calls []*callOutput // guarded by mu: those that reported something, in the order of their first report

	notes     []note     // guarded by mu: what the document is to say below the calls, for people
	inquiries []*inquiry // guarded by mu: those that wait for an answer
	halts     []*halt    // guarded by mu: the calls that a person can stop and still be asked about
	halted    bool       // guarded by mu: they were stopped
}

// InquiryBlock is the name of the context blocks that have what was asked while calls ran. They are not sent.
const InquiryBlock = "asked"

// note is a text for people, and the name of its block.
type note struct{ block, text string }

// halt stops a call.
type halt struct{ stop context.CancelFunc }

// callOutput is what one call reports.
type callOutput struct {
	to     *output
	of     toolcall.Call
	origin tools.Origin
	asked  int              // how often a person was asked; of the run's goroutine
	now    event.CallOutput // guarded by to.mu
}

func newOutput() *output { return &output{fresh: make(chan struct{}, 1)} }

// of takes what one call reports.
func (o *output) of(call toolcall.Call, origin tools.Origin) tools.Reporter {
	return &callOutput{to: o, of: call, origin: origin, now: event.CallOutput{ID: call.ID}}
}

// Output implements tools.Reporter. What comes faster than it can be shown is left out, the end stays.
func (c *callOutput) Output(text string) {
	c.report(func(now *event.CallOutput) {
		now.Text += text
		if tail := visible.Tail(now.Text, maxOutput); len(tail) < len(now.Text) {
			now.Omitted += len(now.Text) - len(tail)
			now.Text = strings.Clone(tail)
		}
	})
}

// Progress implements tools.Reporter.
func (c *callOutput) Progress(done, total float64, note string) {
	c.report(func(now *event.CallOutput) { now.Done, now.Total, now.Note = done, total, note })
}

func (c *callOutput) report(change func(*event.CallOutput)) {
	c.to.mu.Lock()
	defer c.to.mu.Unlock()
	change(&c.now)
	if !slices.Contains(c.to.calls, c) {
		c.to.calls = append(c.to.calls, c)
	}
	c.to.signal()
}

// Halting implements tools.Halter.
func (c *callOutput) Halting(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	h := &halt{cancel}
	c.to.mu.Lock()
	c.to.halts = append(c.to.halts, h)
	c.to.mu.Unlock()
	return ctx, func() {
		c.to.mu.Lock()
		c.to.halts = slices.DeleteFunc(c.to.halts, func(other *halt) bool { return other == h })
		c.to.mu.Unlock()
		cancel()
	}
}

// halt stops the calls that a person can be asked about; false: there are none.
func (o *output) halt() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, h := range o.halts {
		h.stop()
		o.halted = true
	}
	some := len(o.halts) > 0
	o.halts = nil
	return some
}

func (o *output) wasHalted() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.halted
}

// signal says that there is something to show or to ask.
func (o *output) signal() {
	select {
	case o.fresh <- struct{}{}:
	default:
	}
}

// take returns what was reported since the last time.
func (o *output) take() []event.CallOutput {
	o.mu.Lock()
	defer o.mu.Unlock()
	var shown []event.CallOutput
	for _, c := range o.calls {
		shown = append(shown, c.now)
		c.now.Text, c.now.Omitted = "", 0
	}
	o.calls = nil
	return shown
}

// inquiry is what a running call asks a person. Its fields but question never change.
type inquiry struct {
	call     *callOutput // that asks
	asked    tools.Inquiry
	gone     <-chan struct{}    // closed when nobody waits for the answer any more
	reply    chan inquiryAnswer // takes the one answer
	question *event.Question    // of the run's goroutine; nil: it is not asked yet
}

type inquiryAnswer struct {
	reply tools.Reply
	err   error
}

// Ask implements tools.Asker.
func (c *callOutput) Ask(ctx context.Context, what tools.Inquiry) (tools.Reply, error) {
	ctx, cancel := context.WithCancel(ctx) // it is over for all when this returns
	defer cancel()
	in := &inquiry{call: c, asked: what, gone: ctx.Done(), reply: make(chan inquiryAnswer, 1)}
	c.to.mu.Lock()
	c.to.inquiries = append(c.to.inquiries, in)
	c.to.mu.Unlock()
	c.to.signal()
	select {
	case answer := <-in.reply:
		return answer.reply, answer.err
	case <-ctx.Done():
		c.to.signal()
		return tools.Reply{}, ctx.Err()
	}
}

// open lists the inquiries that wait for an answer, and forgets those for which nobody waits any more.
func (o *output) open() (open []*inquiry, gone bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := len(o.inquiries)
	o.inquiries = slices.DeleteFunc(o.inquiries, func(in *inquiry) bool {
		select {
		case <-in.gone:
			return true
		default:
			return false
		}
	})
	return slices.Clone(o.inquiries), len(o.inquiries) < before
}

// end answers an inquiry.
func (o *output) end(in *inquiry, answer inquiryAnswer) {
	o.forget(in)
	in.reply <- answer
}

// forget takes an inquiry off those that wait for a person.
func (o *output) forget(in *inquiry) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.inquiries = slices.DeleteFunc(o.inquiries, func(other *inquiry) bool { return other == in })
}

// Note implements tools.Noter.
func (c *callOutput) Note(kind, text string) {
	c.to.mu.Lock()
	c.to.notes = append(c.to.notes, note{kind, text})
	c.to.mu.Unlock()
	c.to.signal()
}

func (o *output) takeNotes() []note {
	o.mu.Lock()
	defer o.mu.Unlock()
	notes := o.notes
	o.notes = nil
	return notes
}

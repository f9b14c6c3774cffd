package agent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/sourcegraph/conc/panics"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/opencalls"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools"
)

// ErrNoQuestion says that an answer came too late, or for a question that changed or never was.
var ErrNoQuestion = errors.New("this call was already answered, has changed, or is gone; look at the call again")

// What others ask of a run. Its goroutine takes one request after the other and replies to each.
type (
	request struct {
		what  any // one of the following
		reply chan error
	}
	answerRequest struct {
		question string
		answer   event.Answer
	}
	reviseRequest struct {
		call      string
		arguments json.RawMessage
	}
	recheckRequest struct{}
)

// Answer gives a person's decision on the question with this ID. ErrNoQuestion: nothing was done. After any other error
// the question is still open.
func (r *Run) Answer(question string, answer event.Answer) error {
	return r.request(answerRequest{question, answer})
}

// Revise tells the run that a person changed the arguments of a pending call in the document. nil arguments say that
// the call can no longer be read: then it cannot be approved until it can.
func (r *Run) Revise(call string, arguments json.RawMessage) error {
	return r.request(reviseRequest{call, arguments})
}

// Recheck makes the run look again at what waits, and at what it is about to ask: a file was saved or changed.
func (r *Run) Recheck() error {
	r.changes.Add(1) // before the look at what waits: prepareFrom asks first and looks at the changes then
	if len(r.Questions()) == 0 {
		return nil
	}
	return r.request(recheckRequest{})
}

func (r *Run) request(what any) error {
	reply := make(chan error, 1)
	select {
	case r.requests <- request{what, reply}:
		return <-reply
	case <-r.done:
		return ErrNoQuestion
	}
}

// await handles requests until the first call may go on.
func (c *executor) await(ctx context.Context, calls []*pending) error {
	for calls[0].waits() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case request := <-c.run.requests:
			c.handle(ctx, request, calls)
		}
	}
	return nil
}

// during does something that takes time, and handles requests about the calls meanwhile: a run always replies.
func (c *executor) during(ctx context.Context, calls []*pending, do func()) {
	var task panics.Catcher
	done := make(chan struct{})
	go func() {
		defer close(done)
		task.Try(do)
	}()
	var show <-chan time.Time // nil: nothing waits to be shown
	var shown time.Time
	for {
		select {
		case <-done:
			c.showOutput(ctx)
			c.endInquiries(ctx, calls)
			task.Repanic()
			return
		case <-c.output.fresh:
			c.inquire(ctx, calls)
			switch pause := outputPause - time.Since(shown); {
			case pause <= 0:
				shown = time.Now()
				c.showOutput(ctx)
			case show == nil:
				show = time.After(pause)
			}
		case <-show:
			show, shown = nil, time.Now()
			c.showOutput(ctx)
		case request := <-c.run.requests:
			c.handle(ctx, request, calls)
		}
	}
}

// handle does what one request wants. What waits is published before the reply: whoever has it sees no old question.
func (c *executor) handle(ctx context.Context, request request, calls []*pending) {
	var err error
	switch r := request.what.(type) {
	case answerRequest:
		err = c.answered(ctx, r, calls)
	case reviseRequest:
		c.revised(r, calls)
		c.prepareFrom(ctx, calls)
	case recheckRequest:
		c.prepareFrom(ctx, calls)
	}
	c.ask(calls)
	request.reply <- err
}

// answered records an answer; the question is used up by it.
func (c *executor) answered(ctx context.Context, r answerRequest, calls []*pending) error {
	if found, err := c.answeredInquiry(ctx, r.question, r.answer); found {
		return err
	}
	asked := askedBy(r.question, calls)
	if len(asked) == 0 {
		return ErrNoQuestion
	}
	q, answer := asked[0].question, r.answer
	offer, err := q.Check(answer)
	if err != nil {
		return err
	}
	if answer.Offer != "" {
		// It reaches further than these calls: they must still be what the person saw.
		if c.prepareFrom(ctx, asked); len(askedBy(r.question, asked)) == 0 {
			return ErrNoQuestion
		}
		if err := c.job.Tools.Accept(asked[0].prepared, offer, c.job.Chat); err != nil {
			return err
		}
		answer.Kind = event.Once
		if offer.Denies {
			answer.Kind = event.Deny
		}
	}
	for _, call := range asked {
		call.answer = &answer
	}
	return nil
}

// askedBy lists the calls that wait for the answer to a question.
func askedBy(question string, calls []*pending) []*pending {
	var asked []*pending
	for _, call := range calls {
		if call.waits() && call.question.ID == question {
			asked = append(asked, call)
		}
	}
	return asked
}

// revised takes over arguments that a person edited. The model's own wording of that reply is void from then on.
func (c *executor) revised(r reviseRequest, calls []*pending) {
	for _, call := range calls {
		if call.ID != r.call || call.ended || call.running || opencalls.SameArguments(call.Arguments, r.arguments) {
			continue
		}
		call.Arguments, call.revised = r.arguments, true
		call.question, call.answer = nil, nil
		for i, turn := range slices.Backward(c.Turns) {
			if turn.Role == model.RoleAssistant {
				c.Turns[i] = withCall(turn, call.Call)
				return
			}
		}
	}
}

// withCall returns the turn with one call's arguments replaced.
func withCall(turn toolcall.Turn, call toolcall.Call) toolcall.Turn {
	turn.Raw = ""
	turn.Calls = slices.Clone(turn.Calls)
	for i := range turn.Calls {
		if turn.Calls[i].ID == call.ID {
			turn.Calls[i] = call
		}
	}
	return turn
}

// showOutput shows what running calls reported. After Stop nothing more is shown.
func (c *executor) showOutput(ctx context.Context) {
	for _, now := range c.output.take() {
		if ctx.Err() == nil {
			c.emit(now)
		}
	}
}

// runCall runs a call, and handles requests about others meanwhile.
func (c *executor) runCall(
	ctx context.Context, call *pending, as tools.Prepared, report tools.Reporter, others []*pending,
) (result tools.Result, err error) {
	call.running = true
	c.during(ctx, others, func() { result, err = c.job.Tools.Execute(ctx, as, report) })
	call.running = false
	return result, err
}

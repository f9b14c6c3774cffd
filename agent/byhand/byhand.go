// Package byhand makes the calls that a person writes, in no run, and says what a person must know of any call.
package byhand

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
)

// Call is a call that a person makes themselves, in no run. It is planned and decided as the calls of a model are: a
// person who types a call has not seen yet what it would do.
type Call struct {
	tools    *tools.Dispatcher
	prepared tools.Prepared
	question *event.Question // nil: nothing is asked
}

// Prepare plans a call that a person makes, without effects.
func Prepare(ctx context.Context, d *tools.Dispatcher, call tools.Call) *Call {
	call.Caller = policy.Person
	b := &Call{tools: d, prepared: d.Prepare(ctx, call)}
	if answer := b.prepared.Answered; answer != nil && answer.Retry { // a model would have to read the file first
		if _, err := d.Execute(ctx, b.prepared, nil); err == nil {
			b.prepared = d.Prepare(ctx, call)
		}
	}
	if b.prepared.Answered == nil && AsksPerson(b.prepared) {
		b.question = &event.Question{
			ID: rand.Text(), AskedCall: Asked(b.prepared), Offers: b.prepared.Decision.Offers, Form: b.prepared.Form,
		}
	}
	return b
}

// Question is what must be answered before the call runs; ok is false if it runs as it is, or cannot run.
func (b *Call) Question() (q event.Question, ok bool) {
	if b.question == nil {
		return event.Question{}, false
	}
	return *b.question, true
}

// Prepared is the plan of the call.
func (b *Call) Prepared() tools.Prepared { return b.prepared }

// ErrDenied says that the person said no.
var ErrDenied = errors.New("the call was denied: nothing ran")

// Run runs the call, at most once, with the answer to its question if it has one. The errors are ErrDenied, those of
// tools.Dispatcher.Execute, and sentences about an answer that does not fit.
func (b *Call) Run(ctx context.Context, answer event.Answer, report tools.Reporter) (tools.Result, error) {
	p := b.prepared
	if q := b.question; q != nil {
		offer, err := q.Check(answer)
		if err == nil && answer.Offer != "" {
			err = b.tools.Accept(p, offer, cmp.Or(p.Call.Chat, "a call by hand"))
		}
		if err != nil {
			return tools.Result{}, err
		}
		if answer.Kind == event.Deny || offer.Denies {
			b.tools.Denied(p)
			return tools.Result{}, ErrDenied
		}
		p = Answered(p, q.AskedCall, answer)
	}
	return b.tools.Execute(ctx, p, report)
}

// Answered is a call after a person said yes to it.
func Answered(p tools.Prepared, asked event.AskedCall, answer event.Answer) tools.Prepared {
	switch p = p.Approved(); answer.Kind {
	case event.Try:
		return p.Tried()
	case event.Online:
		return p.Online()
	case event.Once, event.Deny:
	}
	if asked.Effect.ByPerson() {
		p = p.Replied(cmp.Or(string(answer.Form), answer.Text))
	}
	// an offer is about later calls, too: it does not say that this one shall not wait
	if asked.Waits != "" && answer.Offer == "" {
		p = p.Anyway()
	}
	return p
}

// Asked is what a person must know of a call before they answer.
func Asked(p tools.Prepared) event.AskedCall {
	asked := event.AskedCall{
		CallID: p.Call.ID, Tool: p.Call.Name, Verb: cmp.Or(p.Spec.Verb, p.Call.Name),
		Effect: p.Spec.Effect, Origin: p.Spec.Origin,
		Arguments: p.Call.Arguments, Target: p.Target, Preview: p.Preview, Files: p.Files(), Protected: p.Protected,
		Notice: p.Notice, Waits: p.Waits, CanTry: p.CanTry, CanGoOnline: p.CanGoOnline,
	}
	if !p.CanRunAnyway {
		asked.Waits, asked.Blocked = "", p.Waits
	}
	return asked
}

// AsksPerson reports whether a planned call needs a person.
func AsksPerson(p tools.Prepared) bool {
	return p.Decision.Verdict != policy.Run || p.Waits != "" || p.Spec.Effect.ByPerson()
}

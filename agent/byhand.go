package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
)

// ByHand is a call that a person makes themselves, in no run. It is planned and decided as the calls of a model are: a
// person who types a call has not seen yet what it would do.
type ByHand struct {
	tools    *tools.Dispatcher
	prepared tools.Prepared
	question *event.Question // nil: nothing is asked
}

// PrepareByHand plans a call that a person makes, without effects.
func PrepareByHand(ctx context.Context, d *tools.Dispatcher, call tools.Call) *ByHand {
	call.Caller = policy.Person
	b := &ByHand{tools: d, prepared: d.Prepare(ctx, call)}
	if answer := b.prepared.Answered; answer != nil && answer.Retry { // a model would have to read the file first
		if _, err := d.Execute(ctx, b.prepared, nil); err == nil {
			b.prepared = d.Prepare(ctx, call)
		}
	}
	p := pending{prepared: b.prepared}
	if b.prepared.Answered == nil && p.asks() {
		b.question = &event.Question{ID: rand.Text(), AskedCall: askedOf(b.prepared), Offers: b.prepared.Decision.Offers, Form: b.prepared.Form}
	}
	return b
}

// Question is what must be answered before the call runs; ok is false if it runs as it is, or cannot run.
func (b *ByHand) Question() (q event.Question, ok bool) {
	if b.question == nil {
		return event.Question{}, false
	}
	return *b.question, true
}

// Prepared is the plan of the call.
func (b *ByHand) Prepared() tools.Prepared { return b.prepared }

// ErrDenied says that the person said no.
var ErrDenied = errors.New("the call was denied: nothing ran")

// Run runs the call, at most once, with the answer to its question if it has one. The errors are ErrDenied, those of
// tools.Dispatcher.Execute, and sentences about an answer that does not fit.
func (b *ByHand) Run(ctx context.Context, answer event.Answer, report tools.Reporter) (tools.Result, error) {
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
		p = answered(p, q.AskedCall, answer)
	}
	return b.tools.Execute(ctx, p, report)
}

// answered is a call after a person said yes to it.
func answered(p tools.Prepared, asked event.AskedCall, answer event.Answer) tools.Prepared {
	p = p.Approved()
	if asked.Effect.ByPerson() {
		p = p.Replied(cmp.Or(string(answer.Form), answer.Text))
	}
	if asked.Waits != "" && answer.Offer == "" { // an offer is about later calls, too: it does not say that this one shall not wait
		p = p.Anyway()
	}
	return p
}

// askedOf is what a person must know of a call before they answer.
func askedOf(p tools.Prepared) event.AskedCall {
	asked := event.AskedCall{
		CallID: p.Call.ID, Tool: p.Call.Name, Verb: cmp.Or(p.Spec.Verb, p.Call.Name), Effect: p.Spec.Effect, Origin: p.Spec.Origin,
		Arguments: p.Call.Arguments, Target: p.Target, Preview: p.Preview, Files: p.Files(), Protected: p.Protected, Notice: p.Notice, Waits: p.Waits,
	}
	if !p.CanRunAnyway {
		asked.Waits, asked.Blocked = "", p.Waits
	}
	return asked
}

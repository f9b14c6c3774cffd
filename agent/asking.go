package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"

	"github.com/assent-ls/assent/agent/byhand"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/toolbox"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
)

// prepareFrom plans calls that are not answered yet and asks the questions that this raises: an earlier call may have
// changed what a later one would do.
func (c *executor) prepareFrom(ctx context.Context, calls []*pending) {
	changes := c.run.changes.Load()
	for _, call := range calls {
		c.plan(ctx, call)
	}
	made := c.makeQuestions(calls)
	c.ask(calls) // first: a front end that gets the event looks the question up
	for _, q := range made {
		c.emit(event.CallWaiting{Question: *q})
	}
	if len(made) > 0 && c.run.changes.Load() != changes {
		c.prepareFrom(ctx, calls) // a file changed after it was looked at and before anything waited
	}
}

// plan prepares one call, and keeps with it what a person must be asked. A question holds while its call and plan are
// the same.
func (c *executor) plan(ctx context.Context, call *pending) {
	if call.denied() {
		return // whatever it would do now
	}
	before := call.prepared.Key
	call.prepared = c.job.Tools.Prepare(ctx, tools.Call{
		ID: call.ID, Name: call.Name, Arguments: call.Arguments, Chat: c.job.Chat, Reads: c.job.Reads,
		Caller: call.caller(), Mode: c.mode,
		Described: toolbox.Names(c.Tools), Outside: call.confined != nil,
		Room: c.agent.Room(c.Model.Name, c.ContextSize),
	})
	if call.refused != "" {
		call.prepared.Answered = new(tools.Failed(call.refused))
	}
	p := call.prepared
	blocked := ""
	if call.revised && p.Answered != nil {
		blocked = p.Answered.Text() // a person is typing: wait until it makes sense
	}
	if blocked == "" && (p.Answered != nil || !call.asks()) {
		call.asked, call.question, call.answer = nil, nil, nil
		return
	}
	asked := byhand.Asked(p)
	asked.Begun, asked.Blocked, asked.Resumed = begunBefore(call), cmp.Or(blocked, asked.Blocked), call.resumed
	if call.confined != nil {
		asked.Outside = call.confined.Blocked
	}
	if q := call.asked; call.question != nil && before == p.Key && q.Waits == asked.Waits &&
		q.Blocked == asked.Blocked {
		return
	}
	call.question, call.answer, call.asked = nil, nil, &asked
}

// makeQuestions makes the questions that calls need and do not have. When one of several calls with a common question
// changes, all of them are asked about anew.
func (c *executor) makeQuestions(calls []*pending) []*event.Question {
	asked := map[*event.Question]int{}
	for _, call := range calls {
		asked[call.question]++
	}
	var made []*event.Question
	var together *event.Question // takes all calls that may have a common question
	for _, call := range calls {
		q := call.question
		if call.asked == nil || call.answer != nil || q != nil && asked[q] == len(q.Calls()) {
			continue
		}
		share := c.job.Bundle && !call.asked.Alone()
		if share && together != nil {
			together.More = append(together.More, *call.asked)
			together.Offers = common(together.Offers, call.prepared.Decision.Offers)
			call.question = together
			continue
		}
		call.question = &event.Question{
			ID: rand.Text(), AskedCall: *call.asked, Offers: call.prepared.Decision.Offers,
			Choices: call.prepared.Choices, Form: call.prepared.Form, Mention: call.mention,
		}
		made = append(made, call.question)
		if share {
			together = call.question
		}
	}
	return made
}

// common keeps the offers that say the same for another call.
func common(offers, others []policy.Offer) []policy.Offer {
	return slices.DeleteFunc(
		slices.Clone(offers), func(o policy.Offer) bool { return !slices.ContainsFunc(others, o.Same) },
	)
}

// ask publishes what waits now.
func (c *executor) ask(calls []*pending) {
	var open []event.Question
	waiting, _ := c.output.open()
	for _, in := range waiting {
		if in.question != nil {
			open = append(open, *in.question)
		}
	}
	for _, call := range calls {
		q := call.question
		if call.waits() && !call.ended &&
			!slices.ContainsFunc(open, func(o event.Question) bool { return o.ID == q.ID }) {
			open = append(open, *q)
		}
	}
	c.publish(open)
}

// publish says what waits now.
func (c *executor) publish(open []event.Question) {
	c.run.mu.Lock()
	defer c.run.mu.Unlock()
	c.run.questions = open
}

package agent

import (
	"context"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/tools"
)

// askOutside asks whether a call that the sandbox may have stopped is run again outside of it. False: the result
// is.
func (c *executor) askOutside(ctx context.Context, call *pending, result tools.Result, later []*pending) bool {
	if result.Blocked == "" || call.confined != nil || ctx.Err() != nil {
		return false
	}
	call.confined, call.afresh = &result, true
	call.forget()
	c.plan(ctx, call)
	made := c.makeQuestions([]*pending{call})
	if len(made) == 0 || !c.job.canAsk(*made[0]) {
		call.confined, call.question, call.asked = nil, nil, nil
		return false
	}
	c.ask(append([]*pending{call}, later...))
	c.emit(event.CallWaiting{Question: *made[0]})
	return true
}

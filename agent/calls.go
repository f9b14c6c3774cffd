package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sourcegraph/conc/iter"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/guidance"
	"github.com/assent-ls/assent/agent/opencalls"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools"
)

// execute takes the calls of one reply to their results, in the model's order. Calls that change nothing run side by
// side; a call that waits holds back those after it; a denial leaves the others pending. over is true when the run ends
// here.
func (c *executor) execute(ctx context.Context, calls []*pending) (end event.Finished, over bool) {
	c.prepareFrom(ctx, calls)
	for i := 0; i < len(calls); {
		if c.output.wasHalted() {
			c.run.Stop()
		}
		if ctx.Err() != nil {
			c.abandon(calls[i:])
			return failure(ctx, ctx.Err()), true
		}
		if n := countParallel(calls[i:]); n > 0 {
			c.runParallel(ctx, calls[i:i+n], calls[i+n:])
			i += n
			c.prepareFrom(ctx, calls[i:])
			continue
		}
		if calls[i].waits() {
			if !c.job.canAsk(*calls[i].question) {
				c.abandon(calls[i:])
				return event.Finished{Outcome: event.Unanswered, Sentence: fmt.Sprintf(
					"%s needs an answer and there is nobody to ask: it was not run.", title(calls[i]))}, true
			}
			c.progress(event.Waiting, title(calls[i]))
			if err := c.await(ctx, calls[i:]); err != nil {
				c.abandon(calls[i:])
				return failure(ctx, err), true
			}
			continue
		}
		if c.runOne(ctx, calls[i], calls[i+1:]) {
			i++
			c.prepareFrom(ctx, calls[i:])
		}
	}
	c.ask(nil)
	if c.output.wasHalted() {
		c.run.Stop()
		return failure(ctx, ctx.Err()), true
	}
	return c.circling(calls)
}

// circling ends a run whose model makes the same call again and again with the same result. Guidance learns of
// all calls, and may ask for an answer instead.
func (c *executor) circling(calls []*pending) (event.Finished, bool) {
	results := c.Turns[len(c.Turns)-len(calls):]
	for i, call := range calls {
		result := results[i].Text
		if c.effect(call.Name).Pure() {
			result = "" // the clock gives another one each time
		}
		n := c.repeats.count(call.Call, result)
		over := n >= maxSameCall
		if c.guidance != nil {
			o := call.outcome
			over = !c.guidance.Observe(guidance.Outcome{
				Call: call.Call, Failed: o.Result.Failed, NotRun: o.NotRun, Denied: o.Denied, Retry: o.Result.Retry,
				Again: n >= maxSameCall-1, Last: over,
			})
		}
		if over {
			return exhausted(
				"%s made the same call of %s %d times with the same result, so the run was stopped.", c.Model.Name,
				call.Name, maxSameCall,
			), true
		}
	}
	return event.Finished{}, false
}

// countParallel counts the leading calls that run without a question and may run side by side.
func countParallel(calls []*pending) int {
	for i, call := range calls {
		if call.question != nil || call.prepared.Answered != nil || !call.prepared.Spec.Effect.Parallel() {
			return i
		}
	}
	return len(calls)
}

// runParallel runs calls side by side and reports them in order.
func (c *executor) runParallel(ctx context.Context, calls, later []*pending) {
	c.progress(event.Executing, title(calls[0]))
	var results []event.CallEnded
	c.during(ctx, later, func() {
		results = iter.Map(calls, func(call **pending) event.CallEnded {
			result, err := c.job.Tools.Execute(ctx, (*call).prepared, c.reporter(*call))
			switch {
			case err != nil && ctx.Err() != nil:
				return event.CallEnded{Result: tools.Failed(prompts.NotRun()), NotRun: true}
			case err != nil:
				return event.CallEnded{Result: tools.Failed(err.Error())}
			}
			return event.CallEnded{Result: result}
		})
	})
	for i, call := range calls {
		c.context.keepImages(ctx, &results[i])
		c.finish(call, results[i])
	}
}

// runOne takes one call whose question, if it had one, is answered to its result. It returns false when what would run
// is no longer what was approved: then it is asked again.
func (c *executor) runOne(ctx context.Context, call *pending, later []*pending) bool {
	if call.confined != nil && (call.prepared.Answered != nil || call.denied()) {
		c.keepConfined(call)
		return true
	}
	if call.denied() {
		c.job.Tools.Denied(call.prepared)
		text := prompts.Denied(call.answer.Text)
		if call.begun { // in an earlier run: that it was denied in this one is not the whole truth
			text += prompts.BegunBefore
		}
		c.finish(call, event.CallEnded{Result: tools.Failed(text), Denied: true})
		return true
	}
	c.progress(event.Executing, title(call))
	prepared := call.allowed().BeforeRun(func() error { return c.begin(call) })
	result, err := c.runCall(ctx, call, prepared, c.reporter(call), later)
	if errors.Is(err, tools.ErrChanged) || errors.Is(err, tools.ErrWaits) {
		// it runs by itself after the save
		allowed := errors.Is(err, tools.ErrWaits) && call.answer != nil && call.answer.Offer != ""
		call.forget()
		call.afresh = call.afresh || !allowed
		c.prepareFrom(ctx, []*pending{call})
		c.ask(append([]*pending{call}, later...))
		return false
	}
	if err != nil && ctx.Err() != nil {
		return false // stopped before anything was done
	}
	if err != nil {
		result = tools.Failed(err.Error())
	}
	if c.askOutside(ctx, call, result, later) {
		return false
	}
	if call.confined != nil {
		result.Changes = slices.Concat(call.confined.Changes, result.Changes)
	}
	if call.revised { // what is kept for recovery has the model's own call
		revised := prompts.Revised(visible.Shorten(visible.JSON(tools.Canonical(call.Arguments)), maxRevised))
		result.Parts = slices.Concat(content.Texts(revised), result.Parts)
	}
	ended := event.CallEnded{Result: result}
	c.context.keepImages(ctx, &ended)
	c.finish(call, ended)
	return true
}

// reporter takes what a call reports while it runs.
func (c *executor) reporter(call *pending) tools.Reporter {
	return c.output.of(call.Call, call.prepared.Spec.Origin)
}

// begin keeps that a call is about to have effects.
func (c *executor) begin(call *pending) error {
	if c.job.Begun == nil || !call.prepared.Spec.Effect.Changes() {
		return nil
	}
	if err := c.job.Begun.Begin(opencalls.Identity(call.Call)); err != nil {
		return fmt.Errorf("the call was not run, since it cannot be kept that it was begun: %w", err)
	}
	return nil
}

// finish reports a call's result and appends it to the conversation.
func (c *executor) finish(call *pending, ended event.CallEnded) {
	call.ended, call.question = true, nil
	ended.ID, ended.Name = call.ID, call.Name
	call.outcome = ended
	c.emit(ended)
	turn := resultOf(call, ended)
	turn.Facts = c.job.facts(turn.Name, turn.Text)
	c.Turns = append(c.Turns, turn)
}

// abandon marks calls as not run, because the run is over.
func (c *executor) abandon(calls []*pending) {
	for _, call := range calls {
		if call.ended {
			continue
		}
		if call.confined != nil {
			c.keepConfined(call)
			continue
		}
		result := tools.Failed(prompts.NotRun())
		if call.begun { // in an earlier run: that it was not run in this one is not the whole truth
			result = tools.Failed(prompts.Stopped())
			result.Stopped = true
		}
		c.finish(call, event.CallEnded{Result: result, NotRun: true})
	}
	c.ask(nil)
}

// resume takes up the calls of the document's last turn that have no result, asking afresh. If all have one, the model
// goes on with them.
func (c *executor) resume(ctx context.Context) (event.Finished, bool) {
	var calls []*pending
	for _, open := range opencalls.Of(c.job.Document, c.job.Begun) {
		calls = append(calls, &pending{Call: compose.CallOf(open.Call), begun: open.Begun, resumed: true, afresh: true})
	}
	if len(calls) == 0 && opencalls.EndsWithResults(c.job.Document) {
		return event.Finished{}, false
	}
	if len(calls) == 0 {
		return event.Finished{Outcome: event.Broken, Sentence: "There is no call here that was not run."}, true
	}
	c.dropResults(calls)
	return c.execute(ctx, calls)
}

// dropResults removes the "not run" answers of calls that get a real one now.
func (c *executor) dropResults(calls []*pending) {
	c.Turns = slices.DeleteFunc(c.Turns, func(turn toolcall.Turn) bool {
		return turn.CallID != "" &&
			slices.ContainsFunc(calls, func(call *pending) bool { return call.ID == turn.CallID })
	})
}

// keepConfined ends a call with its result in the sandbox, since nobody let it run outside.
func (c *executor) keepConfined(call *pending) {
	result := *call.confined
	if call.answer != nil {
		c.job.Tools.Denied(call.prepared)
		result.Parts = slices.Concat(result.Parts, content.Texts(prompts.KeptInside(call.answer.Text)))
	}
	c.finish(call, event.CallEnded{Result: result})
}

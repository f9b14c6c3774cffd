package agent

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/sourcegraph/conc/panics"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools/policy"
)

// ErrNoQuestion says that an answer came too late, or for a question that changed or never was.
var ErrNoQuestion = errors.New("this call was already answered, has changed, or is gone; look at the call again")

// letter types of a run's mailbox.
type (
	answerLetter struct {
		question string
		answer   Answer
		reply    chan error
	}
	reviseLetter struct {
		call      string
		arguments json.RawMessage
		reply     chan error
	}
	recheckLetter struct{ reply chan error }
)

// Answer gives a person's decision on the question with this ID. ErrNoQuestion: nothing was done.
func (r *Run) Answer(question string, answer Answer) error {
	reply := make(chan error, 1)
	return r.send(answerLetter{question, answer, reply}, reply)
}

// Revise tells the run that a person changed the arguments of a pending call in the document. nil arguments say that
// the call can no longer be read: then it cannot be approved until it can.
func (r *Run) Revise(call string, arguments json.RawMessage) error {
	reply := make(chan error, 1)
	return r.send(reviseLetter{call, arguments, reply}, reply)
}

// Recheck makes the run look again at what waits: a file was saved or changed.
func (r *Run) Recheck() error {
	reply := make(chan error, 1)
	return r.send(recheckLetter{reply}, reply)
}

func (r *Run) send(letter any, reply chan error) error {
	select {
	case r.mail <- letter:
		return <-reply
	case <-r.done:
		return ErrNoQuestion
	}
}

// await handles letters until the first call may go on.
func (c *loop) await(ctx context.Context, calls []*pending, afresh bool) error {
	for calls[0].question != nil && calls[0].answer == nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case letter := <-c.run.mail:
			c.open(ctx, letter, calls, afresh)
		}
	}
	return nil
}

// during does something that takes time, and handles letters about the calls meanwhile: a run always answers its mail.
func (c *loop) during(ctx context.Context, calls []*pending, do func()) {
	var task panics.Catcher
	done := make(chan struct{})
	go func() {
		defer close(done)
		task.Try(do)
	}()
	var show <-chan time.Time // nil: nothing is to be shown
	for {
		select {
		case <-done:
			c.showOutput(ctx)
			task.Repanic()
			return
		case <-c.output.fresh:
			if show == nil {
				show = time.After(outputPause)
			}
		case <-show:
			show = nil
			c.showOutput(ctx)
		case letter := <-c.run.mail:
			c.open(ctx, letter, calls, false)
		}
	}
}

// open handles one letter.
func (c *loop) open(ctx context.Context, letter any, calls []*pending, afresh bool) {
	switch l := letter.(type) {
	case answerLetter:
		l.reply <- c.answered(l, calls)
	case reviseLetter:
		c.revised(l, calls)
		c.prepareFrom(ctx, calls, afresh)
		l.reply <- nil
	case recheckLetter:
		c.prepareFrom(ctx, calls, afresh)
		l.reply <- nil
	}
	c.ask(calls)
}

// answered records an answer; the question is used up by it.
func (c *loop) answered(l answerLetter, calls []*pending) error {
	for _, call := range calls {
		if call.question == nil || call.answer != nil || call.question.ID != l.question {
			continue
		}
		if call.question.Blocked != "" && l.answer.Kind != Deny {
			return errors.New(call.question.Blocked)
		}
		if (l.answer.Kind == InThisChat || l.answer.Kind == Always) && call.prepared.Protected != "" {
			return errors.New(call.prepared.Protected)
		}
		if err := c.grant(call, l.answer.Kind); err != nil {
			return err
		}
		call.answer = &l.answer
		return nil
	}
	return ErrNoQuestion
}

// grant keeps a permission that goes further than this call.
func (c *loop) grant(call *pending, kind AnswerKind) error {
	scope := policy.Chat
	switch kind {
	case Once, Deny:
		return nil
	case InThisChat:
	case Always:
		scope = policy.Workspace
	}
	_, err := c.job.Policy.Allow(scope, call.prepared.Request, c.job.Chat)
	return err
}

// revised takes over arguments that a person edited. The model's own wording of that reply is void from then on.
func (c *loop) revised(l reviseLetter, calls []*pending) {
	for _, call := range calls {
		if call.ID != l.call || call.ended || call.running || SameArguments(call.Arguments, l.arguments) {
			continue
		}
		call.Arguments, call.revised = l.arguments, true
		call.question, call.answer = nil, nil
		for i := len(c.Turns) - 1; i >= 0; i-- {
			if c.Turns[i].Role == model.RoleAssistant {
				c.Turns[i] = withCall(c.Turns[i], call.Call)
				return
			}
		}
	}
}

// withCall returns the turn with one call's arguments replaced.
func withCall(turn toolcall.Turn, call toolcall.Call) toolcall.Turn {
	turn.Raw = ""
	turn.Calls = append([]toolcall.Call(nil), turn.Calls...)
	for i := range turn.Calls {
		if turn.Calls[i].ID == call.ID {
			turn.Calls[i] = call
		}
	}
	return turn
}

func resultOf(call *pending, ended CallEnded) toolcall.Turn {
	return toolcall.Turn{Role: model.RoleTool, CallID: call.ID, Name: call.Name, Text: ended.Result.Text, Failed: ended.Result.Failed}
}

// title names a call for people.
func title(call *pending) string {
	if target := call.prepared.Target; target != "" {
		return call.Name + ": " + target
	}
	return call.Name
}

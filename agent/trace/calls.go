package trace

import (
	"cmp"
	"errors"
	"time"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
)

// callTimes follows when calls begin, wait for a person, and run. Calls end in the order of the reply, so what goes on
// is always the first one that has not ended, or several that run side by side.
type callTimes struct {
	began       time.Time     // of the next call that ends; zero: it has not begun
	executed    time.Time     // when something was executed last
	waits       time.Time     // since when a person is waited for; zero: nobody is
	waited      time.Duration // how long a person was waited for, of the next call that ends
	waitedInAll time.Duration // of the run
	before      time.Time     // when the call before began
}

// progress is called whenever the run turns to something else.
func (t *callTimes) progress(stage event.Stage, now time.Time) {
	if !t.waits.IsZero() {
		t.waited += now.Sub(t.waits)
		t.waitedInAll += now.Sub(t.waits)
		t.waits = time.Time{}
	}
	if stage != event.Waiting && stage != event.Executing {
		return
	}
	if t.began.IsZero() {
		t.began = now
	}
	if stage == event.Waiting {
		t.waits = now
	} else {
		t.executed = now
	}
}

// ended says when a call began and ended, and how long it waited for a person.
func (t *callTimes) ended(e event.CallEnded, now time.Time) (began, ended time.Time, waited time.Duration) {
	t.progress(0, now)
	began, ended, waited = t.began, now, t.waited
	switch {
	case !began.IsZero():
	case e.NotRun || e.Denied || t.before.IsZero(): // it never began
		began = now
	default: // it ran beside the one before
		began = t.before
	}
	if over := t.executed.Add(e.Result.Took); e.Result.Took > 0 && over.After(began) && over.Before(now) {
		ended = over // it is told later, in the order of the calls
	}
	t.before, t.began, t.waited = began, time.Time{}, 0
	return began, ended, waited
}

func outcome(e event.CallEnded) string {
	switch {
	case e.Result.Stopped:
		return "stopped"
	case e.NotRun:
		return "not_run"
	case e.Denied:
		return "denied"
	case e.Result.Failed:
		return "failed"
	}
	return "ok"
}

var outcomes = map[event.Outcome]string{
	event.Completed: "completed", event.Stopped: "stopped", event.Broken: "broken", event.Exhausted: "exhausted",
	event.Unanswered: "unanswered",
}

var errorTypes = map[model.Kind]string{
	model.Unreachable: "unreachable", model.NotInstalled: "not_installed", model.ContextTooLong: "context_too_long",
	model.Incomplete: "incomplete", model.Refused: "refused",
}

// errorType is the class of a failure.
func errorType(err error) string {
	const other = "_OTHER"
	if known, ok := errors.AsType[*model.Error](err); ok {
		return cmp.Or(errorTypes[known.Kind], other)
	}
	return other
}

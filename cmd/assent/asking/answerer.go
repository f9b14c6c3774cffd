package asking

import (
	"slices"

	"github.com/assent-ls/assent/agent/event"
)

// Answerer answers questions: by --approve if the model made the call in this run, else by asking a person, if there is
// one.
type Answerer struct {
	Approve []string
	Person  *Asker // nil: there is nobody to ask
}

func (a *Answerer) approved(q event.Question) bool {
	asks := func(c event.AskedCall) bool {
		return !slices.Contains(a.Approve, c.Tool) || c.Resumed || c.Protected != "" || c.Waits != "" ||
			c.Outside != "" || c.Effect.ByPerson()
	}
	if q.From != "" { // as the tools would be whose calls do the same
		lacks := func(tool string) bool { return !slices.Contains(a.Approve, tool) }
		return len(q.Like) > 0 && !slices.ContainsFunc(q.Like, lacks)
	}
	return q.Model == "" && !slices.ContainsFunc(q.Calls(), asks)
}

// CanAsk implements session.Asker.
func (a *Answerer) CanAsk(q event.Question) bool { return a.Person != nil || a.approved(q) }

// Answer gives the answer to a question; refused says why the last one was not accepted, or is nil.
func (a *Answerer) Answer(q event.Question, refused error) event.Answer {
	switch {
	case a.approved(q):
		return event.Answer{Kind: event.Once}
	case a.Person == nil:
		return event.Answer{Kind: event.Deny}
	default:
		return a.Person.Ask(q, refused)
	}
}

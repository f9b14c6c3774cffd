package agent

import (
	"github.com/assent-ls/assent/agent/byhand"
	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
)

// pending is one call of a reply on its way to a result.
type pending struct {
	toolcall.Call
	prepared tools.Prepared
	asked    *event.AskedCall // what a person must be asked; nil: nothing
	question *event.Question  // by which they are asked, perhaps together with other calls; nil: nothing waits
	answer   *event.Answer    // given by a person, perhaps before it is this call's turn
	begun    bool             // it was begun before, in another run: it may have had effects
	mention  string           // what a person wrote in a message that this call gets; empty: the model made it
	revised  bool             // a person edited it: it never fails by itself while they type
	resumed  bool             // it was in the document when the run began
	afresh   bool             // a person is asked even where a grant would do
	// of the call in the sandbox, which may have stopped it: the question is whether it runs outside
	confined *tools.Result
	refused  string          // why it is not made, a sentence for the model; empty: it is
	outcome  event.CallEnded // once it ended
	running  bool
	ended    bool
}

func resultOf(call *pending, ended event.CallEnded) toolcall.Turn {
	turn := toolcall.Turn{
		Role: model.RoleTool, CallID: call.ID, Name: call.Name, Text: ended.Result.Text(), Failed: ended.Result.Failed,
	}
	if !ended.Unseen {
		turn = compose.See(turn, ended.Result.Parts)
	}
	return turn
}

// forget forgets what a person was asked about a call and said: it is planned anew.
func (call *pending) forget() { call.question, call.answer, call.prepared.Key = nil, nil, "" }

// waits reports whether a person is asked about a call and did not answer.
func (call *pending) waits() bool { return call.question != nil && call.answer == nil }

// denied reports whether a person said no to it.
func (call *pending) denied() bool { return call.answer != nil && call.answer.Kind == event.Deny }

// allowed is what runs of a call that was not denied.
func (call *pending) allowed() tools.Prepared {
	if call.answer == nil {
		return call.prepared
	}
	return byhand.Answered(call.prepared, *call.asked, *call.answer)
}

// title names a call for people.
func title(call *pending) string {
	if target := call.prepared.Target; target != "" {
		return call.Name + ": " + target
	}
	return call.Name
}

// caller says who makes a call: what a person mentions in a message is theirs.
func (call *pending) caller() policy.Caller {
	if call.mention != "" {
		return policy.Person
	}
	return policy.Model
}

// begunBefore is what a person must know before a call runs that was begun once already.
func begunBefore(call *pending) string {
	if !call.begun {
		return ""
	}
	return "This call was begun before and did not come to its end: it may have had effects already."
}

// asks reports whether a call needs a person. One that was begun before never runs again unasked.
func (call *pending) asks() bool {
	p := call.prepared
	return call.revised || byhand.AsksPerson(p) || call.afresh && (call.begun || !p.Spec.Effect.Free())
}

// callsOf are some calls as the model made them.
func callsOf(all []*pending) (calls []toolcall.Call) {
	for _, call := range all {
		calls = append(calls, call.Call)
	}
	return calls
}

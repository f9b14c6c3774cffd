// Package event has what a run tells those who show it: events, questions with their answers, and the Markdown that a
// document keeps of them.
package event

import (
	"time"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
)

// Event is what a run tells its sink: a closed set. Every run emits exactly one Finished, and it is the last.
type Event interface{ IsEvent() }

// Sink takes the events of one run, in order, from one goroutine. Emit must not block for long: front ends queue.
type Sink interface{ Emit(Event) }

// Started opens a run and names what will answer.
type Started struct {
	Model       string
	Format      string
	ContextSize int
	Why         string // why this model, when the user named none
	Host        string // where it runs, if that is not the model server's machine
	Server      model.Endpoint
}

// Stage says what a run is busy with.
type Stage int

// The stages of a run, as progress shows them.
const (
	Queued Stage = iota + 1
	Loading
	Reading
	Writing
	Executing
	Waiting
	Pulling // the server fetches the model
)

// Progress says what the run does now. Note is one sentence for people, or empty.
type Progress struct {
	Stage       Stage
	Note        string
	Mode        policy.Mode // in which calls run
	Done, Total int64       // of Pulling, bytes; Total 0: not known
	// of Reading: about how many tokens of the prompt are new to the server, and about how long they take from now on;
	// 0: not known
	Tokens int
	Left   time.Duration
}

// Percent is how far Pulling is, from 0 to 100.
func (p Progress) Percent() int { return model.Pulled{Done: p.Done, Total: p.Total}.Percent() }

// ContextAdded is sent once with the user's turn and stays in it.
type ContextAdded struct {
	attach.Block

	NotSent bool // it is for people alone
	Unseen  bool // its images are not sent: the model cannot see
}

// StepStarted opens one reply of the model.
type StepStarted struct{ Step int }

// RequestSent says that the model is asked something now.
type RequestSent struct{ Asked }

// RequestEnded says that the last RequestSent is over. Err says why there is no whole answer.
type RequestEnded struct {
	Done model.Done
	Err  error
}

// ThinkingDelta is reasoning as it streams, as the decoder found it.
type ThinkingDelta = toolcall.Thinking

// TextDelta is visible prose as it streams, as the decoder found it.
type TextDelta = toolcall.Text

// CallAdded is a call that the model made, before anything is decided. Its ID is unique in the chat.
type CallAdded = toolcall.Called

// CallMalformed is something meant as a call that cannot run, or, if Raw is empty, a call that is only shown in the
// text; its ID is unique in the chat.
type CallMalformed struct {
	ID        string
	Malformed toolcall.Malformed
}

// CallWaiting says that a call, the use of a model that runs elsewhere, or the fetching of one, waits for a person, and
// for what. It is emitted again whenever the question changed.
type CallWaiting struct{ Question Question }

// CallOutput is what a running call showed since the last one: text, or how far it is. It comes after its CallAdded and
// before its CallEnded, a few times a second at most. It is for people, and in no document: CallEnded has the result.
type CallOutput struct {
	ID          string
	Text        string
	Omitted     int     // bytes in front of Text that came too fast to be shown
	Done, Total float64 // how far it is; Total 0: not known
	Note        string  // what it does now, in a sentence or nothing
}

// CallEnded is the result of a call. Denied is set when a person said no; NotRun when the run was over before it was
// begun; Result.Stopped when it was begun and stopped, in this run or, with NotRun, in an earlier one.
type CallEnded struct {
	ID     string
	Name   string
	Result tools.Result
	Denied bool
	NotRun bool
	Unseen bool // the model cannot see, so the images of the result are not sent
}

// StepEnded closes one reply and says what it cost.
type StepEnded struct {
	Done  model.Done
	Took  time.Duration
	Usage Usage
}

// Outcome says how a run ended.
type Outcome int

// The outcomes of a run.
const (
	Completed  Outcome = iota + 1 // the model answered
	Stopped                       // the user stopped it
	Broken                        // something failed; Sentence says what to do
	Exhausted                     // a limit was reached (steps, malformed calls, repeats)
	Unanswered                    // a call needed a person and there was no way to ask
)

// Finished ends a run. Sentence is for the user; it is empty for Completed.
type Finished struct {
	Outcome  Outcome
	Sentence string
	Err      error
}

func (Started) IsEvent()       {}
func (Progress) IsEvent()      {}
func (ContextAdded) IsEvent()  {}
func (StepStarted) IsEvent()   {}
func (RequestSent) IsEvent()   {}
func (RequestEnded) IsEvent()  {}
func (CallMalformed) IsEvent() {}
func (CallWaiting) IsEvent()   {}
func (CallOutput) IsEvent()    {}
func (CallEnded) IsEvent()     {}
func (StepEnded) IsEvent()     {}
func (Finished) IsEvent()      {}

// Asked is a request to the model server, with its reason.
type Asked struct {
	Why     string // a line for people
	Kind    AskedKind
	Request model.Request // of a Load, only the model, the context size and the time that it stays loaded count
}

// AskedKind says what a request has to do with the chat.
type AskedKind string

// The kinds of requests.
const (
	ForReply AskedKind = "reply" // the chat itself
	Separate AskedKind = "apart" // something asked for beside it
	Load     AskedKind = "load"  // the model is loaded and asked nothing
)

package agent

import "encoding/json"

// Question is a call, or the use of a model that runs elsewhere, that waits for a person. The ID is opaque, belongs to this
// call and its bytes, is used up by the first answer, and dies when the call or its plan changes: then another Question with
// another ID takes its place.
type Question struct {
	ID        string
	CallID    string
	Tool      string
	Arguments json.RawMessage
	Target    string // resolved, made visible, for titles
	Preview   string // what would happen
	Begun     string // says that the call was begun before and may have had effects; empty: it never was
	Protected string // why no grant covers it; empty: grants may
	Notice    string // what else to know before an answer: sentences, or empty
	Waits     string // why it cannot run yet; empty: it can
	Blocked   string // why it cannot be approved as it stands (a person's edit of the call is unfinished)
	Resumed   bool   // it stood in the document: no model of this run made it
	InChat    bool   // "Allow in this chat" may be offered
	Grantable bool   // "Always allow in this workspace" may be offered
	// Model is set when no call waits, but the use of this model, which runs at Host. Target and Preview say so in words.
	// Once means yes, for this chat until the process ends; any other answer but Deny is refused.
	Model, Host string
}

// Heading is the line that says what is asked.
func (q Question) Heading() string {
	if q.Model != "" {
		return "This chat would be sent to " + q.Target
	}
	return q.Tool + " wants: " + q.Target
}

// Reasons are the sentences that a person reads before deciding, the gravest first.
func (q Question) Reasons() []string {
	var said []string
	for _, sentence := range []string{q.Begun, q.Protected, q.Notice, q.Waits, q.Blocked} {
		if sentence != "" {
			said = append(said, sentence)
		}
	}
	return said
}

// Answer is a person's decision on a Question.
type Answer struct {
	Kind   AnswerKind
	Reason string // of a denial, told to the model
}

// AnswerKind is what a person decided.
type AnswerKind int

// The answers.
const (
	Once AnswerKind = iota + 1
	InThisChat
	Always
	Deny
)

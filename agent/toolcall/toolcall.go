// Package toolcall holds the formats in which models write tool calls. A format renders definitions, earlier calls and
// results for the model, and decodes calls from the model's stream, saying what may be shown as text meanwhile.
package toolcall

import (
	"encoding/json"

	"github.com/assent-ls/assent/agent/model"
)

// Turn is one step of the conversation as formats see it: a message of the user, one reply of the model with its calls,
// or the result of one call. Exactly the fields of its kind are set.
type Turn struct {
	Role   model.Role // RoleUser, RoleAssistant or RoleTool
	Text   string     // what the user wrote, the model said, or the tool answered
	Images [][]byte   // of a user or tool turn: PNG or JPEG, for models that can see
	Asked  string     // of a user turn: what the person wrote, without what was attached to it
	Beside string     // of a user turn: what was attached to it, but for the outline; empty where nobody asks for it
	// of a user turn: what the message seems to want, in a sentence for small models; empty where nobody asks for it
	Advice string
	Whole  []string // of a user turn: the files that are attached whole
	Calls  []Call   // of an assistant turn
	// Raw is the assistant's reply exactly as the model wrote it; formats send it back as it is, so that the prompt's
	// prefix stays byte-stable. Empty when unknown (chat reopened) or void (a person edited the turn).
	Raw    string
	CallID string // of a tool turn
	Name   string // of a tool turn: the tool; empty without a CallID: see AnswersNothing
	Failed bool   // of a tool turn: the result is an error or a denial
	Facts  Facts  // of a tool turn
}

// Facts are what the result of a call shows, as far as that is more than text.
type Facts struct {
	Files []string // of which a search shows lines, in its order
	Tools []string // that a search of tools describes
	Part  bool     // of a file only a part is shown, or it says that there is nothing to show
}

// IsBare reports whether nothing is attached to a user's turn.
func (t Turn) IsBare() bool { return t.Text == t.Asked }

// AnswersNothing reports whether a tool turn is the result of no call: it tells what is wrong with one that could not
// be read, or was only shown. Formats write it as plain words, without a header that names a tool.
func (t Turn) AnswersNothing() bool {
	return t.Role == model.RoleTool && t.Name == "" && t.CallID == ""
}

// Call is a decoded call. Arguments is always a JSON object.
type Call struct {
	ID        string // the model's own id; empty: the caller makes one
	Name      string
	Arguments json.RawMessage
}

// Hints narrow one request. They never change what is described to the model, so the prompt's prefix stays as it is:
// they only constrain the reply, where the backend can (Request.Format). The zero value asks for nothing.
type Hints struct {
	// RequireCall forbids an answer without a call: after a failed call the next reply must try again.
	RequireCall bool
	// RequireAnswer forbids calls: a model that goes round in circles must say what it has. It wins over RequireCall.
	// Only formats whose every reply is constrained obey it.
	RequireAnswer bool
	// Only names the tools that this reply may call; nil allows all. Unknown names are ignored.
	Only []string
	// Arguments are schemas by tool, one of which its arguments must fit instead of the tool's own: see
	// agent/guidance/schema. Only guided replies obey it.
	Arguments map[string][]json.RawMessage
	// AskDone lets the reply say first whether all that was asked is done: if so it must answer, else call. Small
	// models that changed a file otherwise go on until they break it (cmd/eval/findings.md). Only guided replies obey
	// it.
	AskDone bool
	// Does is the word that comes before a call, by tool; a tool without one takes look, change, run or compute. The
	// model then decides for a kind of call, and only then for a tool of it: where a message only seems to ask, a small
	// model otherwise says that it looks, and changes what it was asked about (cmd/eval/findings.md). Only guided
	// replies obey it.
	Does map[string]string
	// AnswerSeparately lets a reply that answers say only that it does; its words are asked for in another request.
	// Only guided replies obey it.
	AnswerSeparately bool
}

// Format is one way of calling tools. A Format is immutable and may be used concurrently.
type Format interface {
	// Name is the format's stable name ("native", "guided", "hermes").
	Name() string
	// Request fills Messages, Tools and Format of a request. It is a pure function: the same prefix of turns gives the
	// same prefix of messages (invariant 5).
	Request(system string, turns []Turn, tools []model.Tool, hints Hints) model.Request
	// Decoder starts decoding one reply. tools are those that were offered.
	Decoder(tools []model.Tool) Decoder
}

// Decoder turns the chunks of one reply into events. It is used by one goroutine. Any chunking of the same reply gives
// the same events once adjacent Text and Thinking events are joined; nothing emitted is ever taken back.
type Decoder interface {
	// Push takes the next chunk and returns what is certain now.
	Push(model.Chunk) []Event
	// End says that the stream is over and returns the rest. complete is false if the stream broke off: then a call
	// that is not closed is reported as Malformed, never completed by guessing.
	End(complete bool) []Event
}

// Event is what a Decoder found: Text, Thinking, Called, Malformed, Quoted or Unclosed. A run passes the first three on
// as they are.
type Event interface{ IsEvent() }

// Text is visible prose.
type Text struct{ Text string }

// Thinking is the model's reasoning, never decoded for calls.
type Thinking struct{ Text string }

// Called is a complete call of a tool that was offered (its name is resolved), from an authoritative place.
type Called struct{ Call Call }

// Malformed is something that was certainly meant as a call and cannot run. Raw is what the model wrote; Reason is one
// sentence for the model; Name is the tool if it is known.
type Malformed struct{ Raw, Reason, Name string }

// Quoted says that a whole reply holds the complete form of a call which was not made, since it is only shown: in a
// code fence, in a quotation, with more text behind it. It is part of the Text as well. It comes at most once, after
// all else but Unclosed, and not for a call that the reply also makes. Reason is one sentence for the model, which does
// not ask for the call; Name is the tool. Without a Name it says that so much of the reply looks like calls that not
// all of it was searched. Alone says that the reply has neither words nor calls besides.
type Quoted struct {
	Name, Reason string
	Alone        bool
}

// Unclosed says that a whole reply without a call ended inside a thought that nothing closed: the Thinking since the
// last Text is the answer as well, or holds it. It comes at most once, as the last event. The answer is not repeated as
// Text; a front end that folds thoughts shows this one open, and one that stores answers stores it.
type Unclosed struct{}

// String is a sentence for people.
func (Unclosed) String() string {
	return "The reply ended inside a thought that nothing closed: what should be the answer stands in the thinking."
}

func (Text) IsEvent()      {}
func (Unclosed) IsEvent()  {}
func (Thinking) IsEvent()  {}
func (Called) IsEvent()    {}
func (Malformed) IsEvent() {}
func (Quoted) IsEvent()    {}

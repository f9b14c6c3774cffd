// Package transcript is the chat document: a conversation as Markdown that a person may read and edit at any time, and
// that Assent reads back exactly. docs/chat-format.md is the grammar. The package does no I/O and knows no model.
package transcript

import (
	"encoding/json"
	"time"
)

// Span is a half-open range of byte offsets in the document.
type Span struct{ Start, End int }

// Chat is a parsed document. It is immutable.
type Chat struct {
	Front    Front
	Preamble Text // what is before the first turn; it is not sent
	Turns    []Turn
	Problems []Problem
}

// Front is the front matter. It may narrow what the server would do, never widen it.
type Front struct {
	Model  string
	Title  string
	Tools  []string // nil: not given; empty: no tools
	Mode   string   // "plan" or "ask"; empty: not given
	Prompt string   // the name of a preset; empty: not given
	Think  string   // one of ThinkValues; empty: not given
	Span   Span     // empty when there is none

	Sampling Sampling
}

// Sampling is how a chat wants tokens to be picked; nil: it does not say. The tags are the names in the front matter.
type Sampling struct {
	Temperature   *float64 `yaml:"temperature" min:"0" max:"2"`
	TopP          *float64 `yaml:"top_p" min:"0" max:"1"`
	TopK          *int     `yaml:"top_k" min:"0" max:"100000"`
	MinP          *float64 `yaml:"min_p" min:"0" max:"1"`
	RepeatPenalty *float64 `yaml:"repeat_penalty" min:"0" max:"2"`
	Seed          *int     `yaml:"seed" min:"0" max:"2147483647"`
	NumPredict    *int     `yaml:"num_predict" min:"1" max:"10000000"`
}

// Role says whose turn it is.
type Role int

// The two roles, named after the headings.
const (
	You Role = iota + 1
	Assistant
)

// Name is what the heading calls the role.
func (r Role) Name() string {
	if r == You {
		return "You"
	}
	return "Assistant"
}

// Turn is one heading and what is under it. Span runs from the heading to the next heading or the end.
type Turn struct {
	Role    Role
	Blocks  []Block
	Heading Span // the heading's line without its newline
	Span    Span
}

// Block is a part of a turn: Text, Thinking, Call, Malformed, Result, Context, Reason, Answer or Image. In a You turn
// only Text, Context, Reason, Answer and the images of contexts occur: whatever else a person pastes there is Text.
type Block interface {
	// Range is the block's place in the document, its fences included.
	Range() Span
}

// Text is Markdown that is not one of the reserved blocks: what the person wrote or the model said, as [NormalText]
// gives it, with everything that was rewritten on the way into the document restored.
type Text struct {
	Markdown string
	Span     Span
}

// Thinking is the model's reasoning, as [NormalText] gives it.
type Thinking struct {
	Text    string
	NotSent bool
	Span    Span
}

// Call is a tool call as the document shows it.
type Call struct {
	ID   string
	Tool string
	// Arguments is a JSON object with the arguments in the order of the document. When the block cannot be read
	// it is nil, Problem says why in one sentence, and Raw is what the block holds.
	Arguments json.RawMessage
	Problem   string
	Raw       string
	NotSent   bool
	Span      Span
}

// Malformed is what a model certainly meant as a call but wrote so that it cannot run. Raw is what it wrote, Reason why
// it cannot run, in one sentence. An empty Raw says that a text above only shows the call.
type Malformed struct {
	ID      string
	Raw     string
	Reason  string
	NotSent bool
	Span    Span
}

// Status says how a call ended.
type Status string

// The ends of a call. NotRun is written for a call that was never begun, Stopped for one that was begun and did not
// come to its end: it may have had effects.
const (
	OK      Status = "ok"
	Failed  Status = "error"
	Denied  Status = "denied"
	NotRun  Status = "not-run"
	Stopped Status = "stopped"
)

// known reports whether a status is one of the above.
func (s Status) known() bool {
	switch s {
	case OK, Failed, Denied, NotRun, Stopped:
		return true
	}
	return false
}

// Result answers the call with the same ID. Took is as [RoundTook] gives it.
type Result struct {
	ID      string
	Status  Status
	Took    time.Duration
	Text    string
	NotSent bool
	Span    Span
}

// Context is what Assent sent along with a user turn (outline, attached files). Name says what it is.
type Context struct {
	Name    string
	Text    string
	NotSent bool
	Span    Span
}

// Reason is what the user writes to say why a call is denied. It is not sent by itself: the denial's Result carries it.
type Reason struct {
	ID      string
	Text    string
	NotSent bool
	Span    Span
}

// Answer is what the user writes as the answer to a call that asks them something. It is not sent by itself: the call's
// Result carries it.
type Answer struct {
	ID      string
	Text    string
	NotSent bool
	Span    Span
}

// Image is an image of a result, in an Assistant turn, or of a context, in a You turn. It is below that.
type Image struct {
	Of      string // the ID of the result, or the name of the context
	Context bool   // it is of a context
	Path    string // slash-separated, relative to the folder of the document
	NotSent bool
	Span    Span
}

// Range implements Block.
func (b Image) Range() Span { return b.Span }

// Range implements Block.
func (b Text) Range() Span { return b.Span }

// Range implements Block.
func (b Thinking) Range() Span { return b.Span }

// Range implements Block.
func (b Call) Range() Span { return b.Span }

// Range implements Block.
func (b Malformed) Range() Span { return b.Span }

// Range implements Block.
func (b Result) Range() Span { return b.Span }

// Range implements Block.
func (b Context) Range() Span { return b.Span }

// Range implements Block.
func (b Reason) Range() Span { return b.Span }

// Range implements Block.
func (b Answer) Range() Span { return b.Span }

// Problem is something in the document that a person should fix. Fix, if not empty, is text to insert at FixAt.
type Problem struct {
	Span    Span
	Message string
	Hint    bool // the chat is used all the same
	FixAt   int
	Fix     string
	FixName string // the title of the code action
}

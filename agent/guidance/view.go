package guidance

import (
	"context"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/guidance/relevant"
	"github.com/assent-ls/assent/agent/guidance/schema"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools"
)

// Source tells a guide what there is. The functions may be nil: then that is not known.
type Source struct {
	// nil: the model has no tools
	Tools *tools.Registry
	// what a message has to do with the workspace
	About func(ctx context.Context, request string, bring relevant.Bringing) relevant.About
	// the text of a short file, which counts as read from then on
	Show  func(ctx context.Context, path string) (text string, exists, ok bool)
	Place func(ctx context.Context, request string) schema.Place // what a call would find

	Without []string // of Rules: left out, by evaluations alone
}

// View is the state of a run. A guide reads it and changes nothing of it.
type View struct {
	compose.Conversation
	All    []model.Tool // all that the model may call; Conversation.Tools are those that it was told of
	Finder string       // the tool that finds others; empty: there is none
	Retry  string       // the next reply must call this tool: its last call could not be read
}

// Attachments is what is sent with a message beyond what it mentions.
type Attachments struct {
	Nothing bool         // of the workspace: the message is plain talk, or about something else
	Files   []string     // and passages of files, as mentions name them
	Tools   []tools.Spec // that are described
	Note    string       // a sentence for the model below the tools
}

// Taken is a call as it is made.
type Taken struct {
	Call       toolcall.Call
	Altered    bool // it is not as the model wrote it
	Incomplete bool // its text is still to be asked for
}

// Reply is a reply whose calls were taken.
type Reply struct {
	Calls   []Call
	Empty   bool    // it has neither words nor calls
	Altered bool    // set by Complete: it is not as the model wrote it
	Answer  *Answer // set by Complete: the answer, which was asked for separately
}

// Call is a call of a reply.
type Call struct {
	toolcall.Call
	Incomplete bool   // its text was asked for separately
	Refused    string // why it is not made: there is no text for it; a sentence for the model, or empty
}

// Outcome is what a call led to.
type Outcome struct {
	Call                          toolcall.Call
	Failed, NotRun, Denied, Retry bool // Retry: the tool says that the call should be made again
	Again                         bool // the same call gave the same result as before
	Last                          bool // so often that the run ends
}

// Request is a request beside the conversation.
type Request struct {
	Why     string // a line for people
	Request model.Request
}

// Answer is the reply to a Request.
type Answer struct {
	Text    string
	Done    model.Done
	Endless bool // it repeated itself and was stopped
}

// Asker sends requests for a guide.
type Asker interface {
	// Writes says to the user that the text of a file is being written.
	Writes(file string)
	// Fits reports whether the context holds a request with so many more tokens.
	Fits(r model.Request, more int) bool
	// Ask sends a request and waits for the reply. With show the user sees its words as they come, as part of the
	// reply. The answer has what came also where there is an error.
	Ask(ctx context.Context, r Request, show bool) (Answer, error)
}

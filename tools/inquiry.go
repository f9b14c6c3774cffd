package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/excerpt"
)

// Inquiry is what somebody else asks the person while a call runs, such as the server whose tool it is.
type Inquiry struct {
	From   string          // who asks, as people know them
	Target string          // the question on one line; what others say is in quotation marks
	Text   string          // all that a person should read; what others say begins each of its lines with "> "
	Notice string          // what else to know before an answer: sentences, or empty
	Form   json.RawMessage // JSON schema of the answer, whose fields are no objects; nil: the answer is yes or no
	Yes    string          // what is chosen to say yes; empty if there is a form
	Other  string          // what else can be chosen than yes and no; empty: nothing
	No     string          // what is chosen to say no; empty: Deny
	Why    bool            // who says no may say why
	Files  []FileEdit      // what would be changed, for people who compare texts side by side
	// Like are tools that edit, if the question is about what their calls would do as well: who approved all of them
	// beforehand has said yes to it.
	Like  []string
	Model *ModelInquiry // what a model is asked if the person says yes; nil: nothing
}

// ModelInquiry is what somebody else wants a model to answer, once the person has seen it.
type ModelInquiry struct {
	System      string // empty: nothing
	Messages    []ModelMessage
	MaxTokens   int      // of the answer
	Temperature *float64 // nil: the model's own
}

// ModelMessage is one message of a ModelInquiry.
type ModelMessage struct {
	Assistant bool // the model is taken to have said it; else a person
	Text      string
}

// Reply is what a person says to an Inquiry.
type Reply struct {
	Yes   bool
	Other bool
	Why   string          // why it is no; empty: it is not said
	Form  json.RawMessage // of one with a form, as its schema says
	// What the model said, if it was asked, and which one it is. Cut says that it had more to say.
	Text, Model string
	Cut         bool
}

// Asker is a Reporter that can put questions to a person while its call runs. Ask waits for the answer as long as ctx
// lasts and the call runs. ErrNobody: nobody is there.
type Asker interface {
	Ask(ctx context.Context, what Inquiry) (Reply, error)
}

// Halter is a Reporter whose person can stop a call and still be asked what becomes of what it did. Halting returns a
// context that ends when ctx does, or when the person stops the call. Whoever called it calls release when stopping
// would come too late.
type Halter interface {
	Halting(ctx context.Context) (halting context.Context, release context.CancelFunc)
}

// ErrNoModel says that there is no model here that could be asked.
var ErrNoModel = errors.New("there is no model here that could be asked")

// ErrLong says that a question cannot be shown whole, so that nobody was asked.
var ErrLong = fmt.Errorf(
	"the question is more than %d KB as it is shown, which nobody would read", excerpt.MaxPreview>>10,
)

// ErrNobody says that nobody is there who could be asked.
var ErrNobody = errors.New("nobody is there who could be asked")

// Ask implements Asker.
func (r *visibleReporter) Ask(ctx context.Context, what Inquiry) (Reply, error) {
	to, ok := r.now().(Asker)
	if !ok {
		return Reply{}, ErrNobody
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.running, cancel)()
	for _, line := range []*string{&what.From, &what.Target, &what.Yes, &what.Other, &what.No} {
		*line = visible.Line(*line)
	}
	what.Text, what.Notice, what.Files = visible.Text(what.Text), visible.Text(what.Notice), shownFiles(what.Files)
	if len(what.Text) > excerpt.MaxPreview { // a person says yes only to what they can see
		return Reply{}, ErrLong
	}
	return to.Ask(ctx, what)
}

// Noter is a Reporter that puts a text below a call in the chat, for people: no model reads it. kind is one word that
// says what it is.
type Noter interface{ Note(kind, text string) }

// Note implements Noter.
func (r *visibleReporter) Note(kind, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if to, ok := r.to.(Noter); ok {
		to.Note(kind, visible.Text(text))
	}
}

// Halting implements Halter.
func (r *visibleReporter) Halting(ctx context.Context) (context.Context, context.CancelFunc) {
	if to, ok := r.now().(Halter); ok {
		return to.Halting(ctx)
	}
	return context.WithCancel(ctx)
}

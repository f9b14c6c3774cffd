package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/opencalls"
	"github.com/assent-ls/assent/agent/transcript"
)

// Document is where a conversation is: an editor's buffer, or a file on disk.
type Document interface {
	// Path names the chat: for the lock, for what is allowed in it, and for copies beside it.
	Path() string
	// Read returns the conversation as it is now. Nothing is written by it.
	Read() (Snapshot, error)
}

// Snapshot is a conversation at one moment. A write fails where the document is another one by now.
type Snapshot interface {
	Text() string
	Chat() *transcript.Chat
	// Reply makes room for a reply. Nothing need be written before the first event that has something to write.
	Reply(Place) (Reply, error)
	// Replace puts a text into the place of a part.
	Replace(ctx context.Context, part transcript.Span, text string) error
	// Cut takes away what is below an offset.
	Cut(ctx context.Context, at int) error
}

// Place is where a reply goes.
type Place struct {
	Turn    int  // the index of the turn below which it goes: the user's or, if a reply goes on, the assistant's
	At      int  // the offset where that turn's words end
	Resumed bool // the assistant's turn is there already
}

// Reply writes what a run says into the document. It gets each event before the sinks do, in the order of the run.
type Reply interface {
	// Write keeps an event. An error ends the run: what cannot be kept does not happen.
	Write(event.Event) error
	// Close returns when all that can be kept is kept; the run is over.
	Close() error
}

// InvalidError says in a sentence for the user why a chat cannot be sent as it is.
type InvalidError struct{ Sentence string }

func (e *InvalidError) Error() string { return e.Sentence }

func invalid(format string, args ...any) error { return &InvalidError{fmt.Sprintf(format, args...)} }

// toSend finds the question that a chat ends with.
func toSend(chat *transcript.Chat, _ opencalls.Begins) (turn int, resumed bool, err error) {
	last := chat.LastYou()
	switch {
	case last < 0:
		err = invalid("there is no turn to send: write a line `## You` and your question below it")
	case chat.Turns[last].Empty():
		err = invalid(
			"the last `## You` is empty: write your question below it, then Send; Retry asks an earlier one again",
		)
	case last != len(chat.Turns)-1:
		err = invalid("the last `## You` has an answer already: write a new `## You` below it, or Retry")
	}
	return last, false, err
}

// toResume finds the reply whose calls were not run, or whose results the model has not answered.
func toResume(chat *transcript.Chat, begun opencalls.Begins) (turn int, resumed bool, err error) {
	if len(opencalls.Of(chat, begun)) == 0 && !opencalls.EndsWithResults(chat) {
		return 0, false, invalid(
			"there is no call here that was not run, and no result that the model has not answered",
		)
	}
	for i, t := range chat.Turns {
		if t.Role == transcript.Assistant {
			turn = i
		}
	}
	return turn, true, nil
}

// toContinue finds what is to be done next: a new question is sent, else calls that were not run are taken up.
func toContinue(chat *transcript.Chat, begun opencalls.Begins) (turn int, resumed bool, err error) {
	above := *chat
	if last := len(chat.Turns) - 1; last > 0 && chat.Turns[last].Role == transcript.You && chat.Turns[last].Empty() {
		above.Turns = above.Turns[:last]
	}
	if turn, _, err = toSend(&above, begun); err == nil {
		return turn, false, nil
	}
	if turn, resumed, err = toResume(chat, begun); err != nil {
		err = invalid("there is nothing to send: write a question under a new `## You` at its end")
	}
	return turn, resumed, err
}

// placeBelow is where a reply below a turn goes.
func placeBelow(s Snapshot, turn int, resumed bool) Place {
	span := s.Chat().Turns[turn].Span
	words := strings.TrimRight(s.Text()[span.Start:span.End], " \t\r\n")
	return Place{Turn: turn, At: span.Start + len(words), Resumed: resumed}
}

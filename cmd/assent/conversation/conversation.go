// Package conversation has a person write the messages of a chat at a terminal, one after the other.
package conversation

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
)

// Front is the program around a conversation.
type Front struct {
	Editor  Editor
	History *History
	// Send sends a message and returns when it is answered; sent reports whether the chat holds the message. The error
	// is a sentence for the person.
	Send func(ctx context.Context, text string) (sent bool, err error)
	Tell func(sentence string)
}

// Hint says how to leave.
const Hint = "Ctrl-D or /exit ends the conversation."

// Hold holds a conversation until the person ends it, or ctx ends.
func (f Front) Hold(ctx context.Context) error {
	for {
		m, err := f.Editor.Read(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, ErrInterrupted):
			f.Tell(Hint)
			continue
		case err != nil:
			return err
		}
		text := strings.TrimSpace(m.Text)
		if text == "" {
			continue
		}
		if slices.Contains([]string{"/exit", "/quit"}, text) {
			return nil
		}
		sent, err := f.Send(ctx, text)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			f.Tell(err.Error())
		}
		if err := f.History.Add(m, sent); err != nil {
			f.Tell(err.Error())
		}
	}
}

package chats

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
)

// editTime is how long an edit of the document is waited for.
const editTime = 20 * time.Second

// Retry answers the turn at this place again: what follows is moved into a branch file first, so that nothing is lost.
func (c *Chat) Retry(ctx context.Context, offset int) error {
	kept, err := c.Session.Retry(ctx, offset)
	if kept != "" {
		c.say(Info, "The chat as it was is kept in "+filepath.Base(kept)+".")
	}
	return c.started(err)
}

// Branch copies the chat up to this place into a new file and shows it; the chat itself stays as it is.
func (c *Chat) Branch(ctx context.Context, offset int) error {
	path, line, err := c.Session.Branch(offset)
	if err != nil {
		return err
	}
	c.Chats.Host.Show(ctx, documents.URIOf(path), line)
	return nil
}

// NewChat makes a file for a new chat in the folder's .assent/chats, with a text to begin with or none, and shows it.
func (cs *Chats) NewChat(ctx context.Context, root, text string) error {
	return cs.newChat(ctx, root, text, strings.Count(transcript.YouHeading, "\n"))
}

// newChat is NewChat that shows a line, from zero.
func (cs *Chats) newChat(ctx context.Context, root, text string, line int) error {
	uri, err := cs.Make(root, text)
	if err != nil {
		return err
	}
	cs.Host.Show(ctx, uri, line)
	return nil
}

// Make makes a chat that begins with a message, and shows nothing.
func (cs *Chats) Make(root, text string) (uri string, err error) {
	// The line to write on is there: Neovim has no line after the last line end.
	file, err := session.NewChat(root, time.Now(), transcript.YouHeading+text+"\n")
	if err != nil {
		return "", err
	}
	return documents.URIOf(file), nil
}

// Continue writes a message into the last turn, which has to be an empty one of the person.
func (c *Chat) Continue(ctx context.Context, text string) error {
	release, err := c.Session.Hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	if c.HandRuns() {
		return session.ErrBusy
	}
	view := c.View()
	turn, ok := view.Unsent()
	if !ok {
		return errors.New("this chat does not end in a `## You`, where the message could go: add one")
	}
	if !turn.Empty() {
		return errors.New(
			"below the last `## You` of this chat is a message that was not sent: send it there, or delete it",
		)
	}
	return writeAtEnd(ctx, c, view, text)
}

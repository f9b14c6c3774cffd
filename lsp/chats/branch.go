package chats

import (
	"context"
	"path/filepath"
	"time"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
)

// editTime is how long an edit of the document is waited for.
const editTime = 20 * time.Second

// Retry answers the turn at this place again: what follows is moved into a branch file first, so that nothing is lost.
func (c *Chat) Retry(ctx context.Context, offset int) error {
	kept, err := c.session.Retry(ctx, offset)
	if kept != "" {
		c.chats.Host.ShowMessage(Info, "The chat as it was is kept in "+filepath.Base(kept)+".")
	}
	return c.started(err)
}

// Branch copies the chat up to this place into a new file and shows it; the chat itself stays as it is.
func (c *Chat) Branch(ctx context.Context, offset int) error {
	path, line, err := c.session.Branch(offset)
	if err != nil {
		return err
	}
	c.chats.Host.Show(ctx, documents.URIOf(path), line)
	return nil
}

// NewChat makes a file for a new chat in the folder's .assent/chats, with a text to begin with or none, and shows it.
func (cs *Chats) NewChat(ctx context.Context, root, text string) error {
	// The line to write on is there: Neovim has no line after the last line end.
	file, err := session.NewChat(root, time.Now(), transcript.YouHeading+text+"\n")
	if err != nil {
		return err
	}
	cs.Host.Show(ctx, documents.URIOf(file), 2)
	return nil
}

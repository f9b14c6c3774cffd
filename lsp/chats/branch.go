package chats

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
)

// Retry answers the turn at this place again: what follows is moved into a branch file first, so that nothing is lost.
func (c *Chat) Retry(ctx context.Context, offset int) error {
	begun, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer begun()
	if err := c.cut(ctx, offset); err != nil {
		return err
	}
	return c.send(ctx)
}

// Branch copies the chat up to this place into a new file and shows it; the chat itself stays as it is.
func (c *Chat) Branch(ctx context.Context, offset int) error {
	view := c.view()
	_, end, err := question(view.chat, offset)
	if err != nil {
		return err
	}
	text := strings.TrimRight(view.slice(0, end), " \t\r\n")
	copied, err := session.WriteBeside(c.path, "branch", text+"\n")
	if err != nil {
		return err
	}
	c.chats.Host.Show(ctx, documents.URIOf(copied), strings.Count(text, "\n"))
	return nil
}

// cut moves everything below the question at this place into a branch file.
func (c *Chat) cut(ctx context.Context, offset int) error {
	view := c.view()
	_, end, err := question(view.chat, offset)
	if err != nil {
		return err
	}
	if strings.TrimSpace(view.from(end)) == "" {
		return nil
	}
	end = len(strings.TrimRight(view.slice(0, end), " \t\r\n"))
	// The last line end stays: Neovim corrects an edit that takes it along, and then refuses the next one with a message.
	rest := strings.TrimSuffix(strings.TrimSuffix(view.from(end), "\n"), "\r")
	keep := strings.TrimSpace(rest) != strings.TrimSpace(youHeading)
	kept := ""
	if keep {
		if kept, err = session.WriteBeside(c.path, "before-retry", view.text.String()); err != nil {
			return err
		}
		if err := agent.CopyBegun(view.chat, c.chats.State.BegunCalls(c.path), c.chats.State.BegunCalls(kept)); err != nil {
			return err
		}
	}
	writer, ok := c.chats.Writer(c.uri)
	if !ok {
		return errors.New("this document is not open in the editor")
	}
	ctx, cancel := context.WithTimeout(ctx, editTime)
	defer cancel()
	if err := writer.ReplaceIn(ctx, view.snapshot, documents.Span{Start: end, End: end + len(rest)}, rest, ""); err != nil {
		return err
	}
	if keep {
		c.chats.Host.Tell(Info, "The chat as it was is kept in "+filepath.Base(kept)+".")
	}
	return nil
}

// question finds the turn of the user that a place belongs to: its own, or the one that the answer there is for.
func question(chat *transcript.Chat, offset int) (index, end int, err error) {
	at, ok := chat.TurnAt(offset)
	if !ok {
		at = len(chat.Turns) - 1
	}
	for i := at; i >= 0; i-- {
		if turn := chat.Turns[i]; turn.Role == transcript.You && !turn.Empty() {
			return i, turn.Span.End, nil
		}
	}
	return 0, 0, errors.New("there is no question here to answer again")
}

// NewChat makes a file for a new chat in the folder's .assent/chats and shows it.
func (cs *Chats) NewChat(ctx context.Context, root string) error {
	file, err := session.NewChat(root, time.Now(), youHeading+"\n") // the line to write on is there: Neovim has no line after the last line end
	if err != nil {
		return err
	}
	cs.Host.Show(ctx, documents.URIOf(file), 2)
	return nil
}

// editTime is how long an edit of the document is waited for.
const editTime = 20 * time.Second

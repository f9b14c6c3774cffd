package chats

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/tools/workspace"
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
	copied, err := c.writeBeside("branch", text+"\n")
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
		if kept, err = c.writeBeside("before-retry", view.text.String()); err != nil {
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

// writeBeside writes a new file beside the chat, named after it.
func (c *Chat) writeBeside(what, text string) (string, error) {
	folder, err := os.OpenRoot(filepath.Dir(c.path))
	if err != nil {
		return "", err
	}
	defer func() { _ = folder.Close() }() // nothing is written through it after this
	base := strings.TrimSuffix(filepath.Base(c.path), ".chat.md")
	for n := 1; n < 1000; n++ {
		name := fmt.Sprintf("%s.%s-%d.chat.md", base, what, n)
		err := writeIn(folder, name, text)
		if !errors.Is(err, os.ErrExist) {
			return filepath.Join(filepath.Dir(c.path), name), err
		}
	}
	return "", errors.New("there are too many branches of this chat beside it: remove some")
}

// NewChat makes a file for a new chat in the folder's .assent/chats and shows it.
func (cs *Chats) NewChat(ctx context.Context, root string) error {
	file, err := NewFile(root, time.Now(), youHeading+"\n") // the line to write on is there: Neovim has no line after the last line end
	if err != nil {
		return err
	}
	cs.Host.Show(ctx, documents.URIOf(file), 2)
	return nil
}

// NewFile writes a new chat of a day into the folder's .assent/chats and returns its path. The folder .assent/chats keeps
// itself out of version control.
func NewFile(root string, day time.Time, text string) (string, error) {
	if err := workspace.Check(root); err != nil {
		return "", err
	}
	folder, err := os.OpenRoot(root)
	if err != nil {
		return "", err
	}
	defer func() { _ = folder.Close() }() // nothing is written through it after this
	if err := folder.MkdirAll(chatFolder, 0o700); err != nil {
		return "", err
	}
	if err := writeIn(folder, path.Join(chatFolder, ".gitignore"), "*\n"); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	for n := 1; n < 1000; n++ {
		name := path.Join(chatFolder, fmt.Sprintf("%s-%d.chat.md", day.Format(time.DateOnly), n))
		err := writeIn(folder, name, text)
		if !errors.Is(err, os.ErrExist) {
			return filepath.Join(root, filepath.FromSlash(name)), err
		}
	}
	return "", errors.New("there are too many chats of this day: remove some")
}

// editTime is how long an edit of the document is waited for.
const editTime = 20 * time.Second

const chatFolder = ".assent/chats"

// writeIn writes a file that must not exist yet, inside the folder even if there are links. An error leaves none.
func writeIn(folder *os.Root, name, text string) error {
	f, err := folder.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, folder.Remove(name))
	}
	return nil
}

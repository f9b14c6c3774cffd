package chats

import (
	"context"
	"errors"
	"strings"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/lsp/documents"
)

// systemBlock is the name of the block that shows the system message. It is above the first heading of a chat, of which
// nothing is sent.
const systemBlock = "system message"

// SystemMessage is where the system message is shown in a chat.
func SystemMessage(view parsed.View) (transcript.Span, bool) {
	if len(view.Chat.Turns) == 0 {
		return transcript.Span{}, false
	}
	const heading = transcript.YouHeading // so that what is above the first heading is read as blocks
	from := view.Chat.Front.Span.End
	above := transcript.Parse(heading + view.Slice(from, view.Chat.Turns[0].Heading.Start))
	for _, turn := range above.Turns {
		for c := range parsed.Blocks[transcript.Context](turn) {
			if c.Name == systemBlock && c.NotSent {
				moved := from - len(heading)
				return transcript.Span{Start: c.Span.Start + moved, End: c.Span.End + moved}, true
			}
		}
	}
	return transcript.Span{}, false
}

// ToggleSystemMessage shows the system message of the request that Send would make now, in a block above the chat that
// is not sent, or takes the block out.
func ToggleSystemMessage(c *Chat, ctx context.Context) error {
	view := c.View()
	switch {
	case !c.Idle():
		return session.ErrBusy
	case len(view.Chat.Turns) == 0:
		return errors.New("this chat has no `## You` yet: add one")
	}
	if at, shown := SystemMessage(view); shown {
		rest := view.Slice(at.End, view.Chat.Turns[0].Heading.Start)
		end := at.End + len(rest) - len(strings.TrimLeft(rest, "\r\n"))
		return c.write(ctx, view, documents.Span{Start: at.Start, End: end}, "")
	}
	r, err := c.Session.Inspect(ctx, session.RenderNot)
	if err != nil {
		return err
	}
	if r.System == "" {
		return errors.New("Send would send no system message")
	}
	block := transcript.UserText("", transcript.Context{Name: systemBlock, Text: r.System, NotSent: true})
	at := view.Chat.Turns[0].Heading.Start
	if err := c.write(ctx, view, documents.At(at), block+"\n\n"); err != nil {
		return err
	}
	// below the block: one that holds the cursor is not folded
	c.Chats.Host.Show(ctx, c.uri, view.Lines(at)+strings.Count(block, "\n")+2)
	return nil
}

package chats

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/slash"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/lsp/documents"
)

// unsentCommand is the command that the turn begins with that is not sent yet.
func (c *Chat) unsentCommand(
	ctx context.Context, view parsed.View,
) (w parsed.CommandWord, command slash.Command, known bool) {
	w, ok := view.UnsentWord()
	if ok {
		command, known = c.Session.Command(ctx, w.Name)
	}
	return w, command, known
}

// act does what the command says that the turn to be sent begins with; done is false where there is something to send.
func (c *Chat) act(ctx context.Context) (done bool, err error) {
	if !c.Idle() {
		return false, nil // the session says why
	}
	view := c.View()
	w, command, known := c.unsentCommand(ctx, view)
	if !known || command.Does == 0 {
		return false, nil
	}
	if command.Arguments == "" && strings.TrimSpace(w.Arguments) != "" {
		return true, fmt.Errorf("/%s takes no words behind it", w.Name)
	}
	return true, c.do(ctx, view, w, command)
}

// do does one of the commands that are not sent, and takes its words out of the chat.
func (c *Chat) do(ctx context.Context, view parsed.View, w parsed.CommandWord, command slash.Command) (err error) {
	words := strings.TrimSpace(w.Arguments)
	switch command.Does {
	case slash.New:
		var env session.Environment
		if env, err = c.environment(); err == nil && env.Workspace == nil {
			err = errors.New("this chat is in no workspace folder, where a new one could be made")
		}
		if err == nil {
			err = c.Chats.NewChat(ctx, env.Workspace.Root(), transcript.UserText(w.Arguments))
		}
	case slash.Model:
		if words == "" || strings.ContainsAny(words, " \t\r\n") {
			return errors.New("write one model's name behind /model: `assent models` lists those that are installed")
		}
		err = setFront(ctx, c, "model", words)
	case slash.Prompt:
		if words == "" {
			err = c.ShowSystemPrompt(ctx)
		} else {
			err = setFront(ctx, c, "prompt", words)
		}
	case slash.Tools:
		err = c.showPage(ctx, "tools", toolsPage(c))
	case slash.Retry:
		asked, ok := view.AskedBefore(w)
		if !ok {
			return errors.New("there is no question above to ask again")
		}
		if err := takeOut(ctx, c); err != nil {
			return err
		}
		return c.Retry(ctx, asked)
	case slash.Undo:
		err = c.UndoTurn(ctx, "")
	}
	if err != nil {
		return err
	}
	return takeOut(ctx, c)
}

// takeOut takes the words of the command out of the chat, which may have changed meanwhile.
func takeOut(ctx context.Context, c *Chat) error {
	view := c.View()
	w, _, known := c.unsentCommand(ctx, view)
	if !known {
		return nil
	}
	return c.write(ctx, view, documents.Span(w.Words), "")
}

// setFront gives a key of the chat's front matter a value.
func setFront(ctx context.Context, c *Chat, key, value string) error {
	view := c.View()
	front := view.Chat.Front.Span
	at, text := view.Chat.SetFront(view.Slice(front.Start, front.End), key, value)
	return c.write(ctx, view, documents.Span(at), text)
}

// toolsPage lists the tools of the chat.
func toolsPage(c *Chat) string {
	var b strings.Builder
	b.WriteString(
		"# Tools\n\nThe tools of this chat, as they were listed last. " +
			"`tools:` in its front matter chooses some of them.\n",
	)
	for _, s := range c.Session.Tools() {
		from := ""
		if s.Origin != "" {
			from = " (" + visible.Line(string(s.Origin)) + ")"
		}
		fmt.Fprintf(&b, "\n- **%s**%s: %s", visible.Line(s.Name), from, parsed.OneLine(s.Description))
	}
	return b.String() + "\n"
}

// askedCommand is a command that servers were asked for.
type askedCommand struct {
	name     string
	busy     bool // they are asked now
	answered bool // they were
}

// AsksServers asks the servers that run whether they have a command, in the background: the diagnostics follow their
// answer. It reports whether none came yet.
func (c *Chat) AsksServers(name string) bool {
	c.mu.Lock()
	if c.asked.name != name {
		c.asked = askedCommand{name: name}
	}
	begins, waits := !c.asked.busy, !c.asked.answered
	c.asked.busy = true
	c.mu.Unlock()
	if begins {
		c.Chats.tasks.Go(func() {
			_, known := slash.Find(c.Session.Commands(c.Chats.ctx), name)
			c.mu.Lock()
			news := c.asked.name == name && (known || !c.asked.answered)
			if c.asked.name == name {
				c.asked.busy, c.asked.answered = false, true
			}
			c.mu.Unlock()
			if news {
				c.Chats.Host.Refresh(c.uri)
			}
		})
	}
	return waits
}

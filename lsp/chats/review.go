package chats

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/tools/ledger"
)

// turnActions are those of the turns that changed files: at the reply, at its question, and at the empty turn below the
// last reply.
func (c *Chat) turnActions(view view, span transcript.Span) []Action {
	at, ok := view.chat.TurnAt(span.Start)
	if !ok {
		return nil
	}
	var out []Action
	for _, turn := range c.changed(view) {
		last := at == turn.At+1 && at == len(view.chat.Turns)-1 && view.chat.Turns[at].Empty()
		if at != turn.At && at != turn.At-1 && !last {
			continue
		}
		out = append(out, Action{Title: "Review changes of this turn", Command: ext.ReviewTurn, ID: turn.ID})
		if turn.Undone {
			out = append(out, Action{Title: "Redo turn" + files(turn), Command: ext.RedoTurn, ID: turn.ID})
		} else {
			out = append(out, Action{Title: "Undo turn" + files(turn), Command: ext.UndoTurn, ID: turn.ID})
		}
	}
	return out
}

// files names what a turn changed, for titles.
func files(turn session.Changed) string {
	if len(turn.Paths) == 1 {
		return ": " + shorten(oneLine(filepath.Base(turn.Paths[0])))
	}
	return fmt.Sprintf(": %d files", len(turn.Paths))
}

// changed lists the turns of the chat that changed files.
func (c *Chat) changed(view view) []session.Changed {
	all, err := c.session.Changed(view.chat)
	if err != nil {
		c.chats.Log.Info("what the turns of a chat changed is not known", "error", err)
	}
	return all
}

// UndoTurn takes back all that a turn changed; without an id the newest that is not undone.
func (c *Chat) UndoTurn(ctx context.Context, id string) error {
	return c.onTurn(ctx, id, false, c.session.UndoTurn)
}

// RedoTurn does again what UndoTurn took back; without an id the newest that is undone.
func (c *Chat) RedoTurn(ctx context.Context, id string) error {
	return c.onTurn(ctx, id, true, c.session.RedoTurn)
}

func (c *Chat) onTurn(ctx context.Context, id string, undone bool, do func(context.Context, string) error) error {
	if id == "" {
		for _, turn := range c.changed(c.view()) {
			if turn.Undone == undone {
				id = turn.ID
			}
		}
		if id == "" {
			return errNoTurn
		}
	}
	if err := do(ctx, id); err != nil {
		return err
	}
	c.refresh()
	c.filesChanged()
	return nil
}

var errNoTurn = errors.New("no turn of this chat has changes that could be undone or done again")

// ReviewTurn shows what a turn changed; without an id the newest.
func (c *Chat) ReviewTurn(ctx context.Context, id string) error {
	env, err := c.environment()
	if err != nil {
		return err
	}
	all := c.changed(c.view())
	if id != "" {
		all = slices.DeleteFunc(all, func(t session.Changed) bool { return t.ID != id })
	}
	if env.Ledger == nil || len(all) == 0 {
		return errNoTurn
	}
	return c.chats.ShowTurn(ctx, env.Ledger, all[len(all)-1].Turn)
}

// ShowTurn shows what a turn changed, and what of it waits for a decision.
func (cs *Chats) ShowTurn(ctx context.Context, l *ledger.Ledger, turn ledger.Turn) error {
	diff, err := l.Diff(ctx, turn)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(turn.Chat + "\x00" + turn.ID))
	text := "What one turn changed, in " + visible.Line(turn.Chat) + "\n" +
		"Keep hunk and Reject hunk are code actions on the changed lines of the files; Undo turn is one in the chat.\n\n" + visible.Text(diff)
	cs.Host.ShowText(ctx, "turn-"+hex.EncodeToString(sum[:6]), text)
	return nil
}

// filesChanged lets the files show what waits for a decision now.
func (c *Chat) filesChanged() {
	if env, err := c.environment(); err == nil {
		c.chats.Host.FilesChanged(env.Ledger)
	}
}

// SayWhy begins the next message of a chat with a sentence whose end its user writes, and shows the place.
func (cs *Chats) SayWhy(ctx context.Context, path, sentence string) error {
	i := slices.IndexFunc(cs.all(), func(c *Chat) bool { return c.path == path })
	if i < 0 {
		cs.Host.ShowMessage(Info, "Say why in your next message in "+visible.Line(path)+".")
		return nil
	}
	chat := cs.all()[i]
	view := chat.view()
	writer, ok := cs.Writer(chat.uri)
	last := view.chat.LastYou()
	if !ok || chat.session.Running() || last < 0 || last < len(view.chat.Turns)-1 {
		cs.Host.ShowMessage(Info, "Say why in your next message in "+visible.Line(path)+".")
		return nil
	}
	text := strings.TrimRight(view.from(0), "\r\n")
	at := len(text)
	insert := "\n\n" + sentence
	ctx, cancel := context.WithTimeout(ctx, editTime)
	defer cancel()
	// The last line end stays, as in Cut.
	rest := strings.TrimSuffix(view.from(at), "\n")
	if err := writer.ReplaceIn(ctx, view.snapshot, documents.Span{Start: at, End: at + len(rest)}, rest, insert); err != nil {
		chat.chats.Log.Info("the beginning of a reason was not written", "error", err)
		cs.Host.ShowMessage(Info, "Say why in your next message in "+visible.Line(path)+".")
		return nil
	}
	cs.Host.Show(ctx, chat.uri, strings.Count(text+insert, "\n"))
	return nil
}

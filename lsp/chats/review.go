package chats

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/tools/ledger"
)

// ChangedTurns lists the turns of the chat that changed files.
func (c *Chat) ChangedTurns(view parsed.View) []session.Changed {
	all, err := c.Session.Changed(view.Chat)
	if err != nil {
		c.Chats.Log.Info("what the turns of a chat changed is not known", "error", err)
	}
	return all
}

// UndoTurn takes back all that a turn changed; without an id the newest that is not undone.
func (c *Chat) UndoTurn(ctx context.Context, id string) error {
	return c.onTurn(ctx, id, false, c.Session.UndoTurn)
}

// RedoTurn does again what UndoTurn took back; without an id the newest that is undone.
func (c *Chat) RedoTurn(ctx context.Context, id string) error {
	return c.onTurn(ctx, id, true, c.Session.RedoTurn)
}

func (c *Chat) onTurn(ctx context.Context, id string, undone bool, do func(context.Context, string) error) error {
	if id == "" {
		for _, turn := range c.ChangedTurns(c.View()) {
			if turn.Undone == undone {
				id = turn.ID
			}
		}
		if id == "" {
			return errNoTurn
		}
	}
	return tookBack(c, do(ctx, id))
}

var errNoTurn = errors.New("no turn of this chat has changes that could be undone or done again")

// ReviewTurn shows what a turn changed; without an id the newest.
func (c *Chat) ReviewTurn(ctx context.Context, id string) error {
	env, err := c.environment()
	if err != nil {
		return err
	}
	all := c.ChangedTurns(c.View())
	if id != "" {
		all = slices.DeleteFunc(all, func(t session.Changed) bool { return t.ID != id })
	}
	if env.Ledger == nil || len(all) == 0 {
		return errNoTurn
	}
	return c.Chats.ShowTurn(ctx, env.Ledger, all[len(all)-1].Turn)
}

// ShowTurn shows what a turn changed, and what of it waits for a decision.
func (cs *Chats) ShowTurn(ctx context.Context, l *ledger.Ledger, turn ledger.Turn) error {
	diff, err := l.Diff(ctx, turn)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(turn.Chat + "\x00" + turn.ID))
	text := "What one turn changed, in " + visible.Line(turn.Chat) + "\n" +
		"Keep hunk and Reject hunk are code actions on the changed lines of the files; " +
		"Undo turn is one in the chat.\n\n" + visible.Text(diff)
	cs.Host.ShowText(ctx, "turn-"+hex.EncodeToString(sum[:6]), text)
	return nil
}

// filesChanged lets the files show what waits for a decision now.
func (c *Chat) filesChanged() {
	if env, err := c.environment(); err == nil {
		c.Chats.Host.FilesChanged(env.Ledger)
	}
}

// SayWhy begins the next message of a chat with a sentence whose end its user writes, and shows the place. Where that
// cannot be, a message says what to do.
func (cs *Chats) SayWhy(ctx context.Context, path, sentence string) {
	all := cs.All()
	i := slices.IndexFunc(all, func(c *Chat) bool { return c.path == path })
	if i < 0 || !beginMessage(ctx, all[i], sentence) {
		cs.Host.ShowMessage(Info, "Say why in your next message in "+visible.Line(path)+".")
	}
}

// beginMessage begins the next message of the chat, and shows the place; false: that cannot be.
func beginMessage(ctx context.Context, c *Chat, sentence string) bool {
	view := c.View()
	if _, ok := view.Unsent(); !ok || c.Session.Running() {
		return false
	}
	at := len(strings.TrimRight(view.From(0), "\r\n"))
	// The last line end stays, as in Cut.
	rest := strings.TrimSuffix(view.From(at), "\n")
	if err := c.write(ctx, view, documents.Span{Start: at, End: at + len(rest)}, "\n\n"+sentence); err != nil {
		c.Chats.Log.Info("the beginning of a reason was not written", "error", err)
		return false
	}
	c.Chats.Host.Show(ctx, c.uri, view.Lines(at)+2)
	return true
}

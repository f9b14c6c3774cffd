package chats

import (
	"context"
	"errors"

	"github.com/assent-ls/assent/tools"
)

// Undo takes one edit back alone, however much was edited since.
func (c *Chat) Undo(ctx context.Context, call string) error {
	c.mu.Lock()
	undone, ok := c.undos[call]
	c.mu.Unlock()
	if !ok || undone.Done {
		return errors.New("this edit was taken back already, or was made before the server started: use the editor's own undo")
	}
	env, err := c.chats.Environment(c.path)
	if err != nil {
		return err
	}
	if err := tools.TakeBack(ctx, env.Workspace, c.reads, undone.Undo); err != nil {
		return err
	}
	c.mu.Lock()
	undone.Done = true
	c.undos[call] = undone
	c.mu.Unlock()
	c.refresh()
	return nil
}

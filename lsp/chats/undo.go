package chats

import "context"

// Undo takes one edit back alone, however much was edited since.
func (c *Chat) Undo(ctx context.Context, call string) error {
	if err := c.Session.Undo(ctx, call); err != nil {
		return err
	}
	c.refresh()
	c.filesChanged()
	return nil
}

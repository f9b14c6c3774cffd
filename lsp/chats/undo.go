package chats

import "context"

// Undo takes one edit back alone, however much was edited since.
func (c *Chat) Undo(ctx context.Context, call string) error {
	return tookBack(c, c.Session.Undo(ctx, call))
}

// tookBack shows that changes of files were taken back or done again, unless that failed.
func tookBack(c *Chat, err error) error {
	if err == nil {
		c.refresh()
		c.filesChanged()
	}
	return err
}

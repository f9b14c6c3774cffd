package chats

import (
	"context"

	"github.com/assent-ls/assent/internal/visible"
)

// Unload takes the model of the chat out of the memory of the model server.
func (c *Chat) Unload(ctx context.Context) error {
	name, err := c.Session.Unload(ctx)
	if err == nil {
		c.say(Info, visible.Line(name)+" is no longer in memory. The next Send loads it again.")
	}
	return err
}

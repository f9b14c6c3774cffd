package chats

import (
	"context"
	"time"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
)

// modelsTime is how long a completion waits for the model server.
const modelsTime = 2 * time.Second

// completeModels lists the installed models for a place where one is named, with what they are. A server that does not
// answer has none.
func (c *Chat) completeModels(ctx context.Context, before string, replace transcript.Span) (list []Completion) {
	limited, cancel := context.WithTimeout(ctx, modelsTime)
	defer cancel()
	installed, err := c.session.Models(limited)
	if err != nil {
		c.chats.Log.Info("no models are listed", "error", err)
	}
	for _, m := range installed {
		list = append(list, Completion{Text: before + m.Name, Doc: visible.Line(m.Summary()), Replace: replace})
	}
	return list
}

// Unload takes the model of the chat out of the memory of the model server.
func (c *Chat) Unload(ctx context.Context) error {
	name, err := c.session.Unload(ctx)
	if err == nil {
		c.chats.Host.ShowMessage(Info, visible.Line(name)+" is no longer in memory. The next Send loads it again.")
	}
	return err
}

package features

import (
	"context"
	"time"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
)

// modelsTime is how long a completion waits for the model server.
const modelsTime = 2 * time.Second

// completeModels lists the installed models for a place where one is named, with what they are. A server that does not
// answer has none.
func completeModels(ctx context.Context, c *chats.Chat, before string, replace transcript.Span) (list []Completion) {
	limited, cancel := context.WithTimeout(ctx, modelsTime)
	defer cancel()
	installed, err := c.Session.Listed(limited)
	if err != nil {
		c.Chats.Log.Info("no models are listed", "error", err)
	}
	for _, m := range installed {
		list = append(list, Completion{Text: before + m.Name, Doc: visible.Line(m.Summary()), Replace: replace})
	}
	return list
}

package engine

import (
	"context"

	"github.com/assent-ls/assent/agent/transcript"
)

// Warm loads the model that a Send of this document would use, so that its first answer comes sooner. It returns at
// once, without an error, while a run talks to the server. It asks the model nothing.
func (e *Engine) Warm(ctx context.Context, document *transcript.Chat, o Options) error {
	give, ok := e.QueueOf(Named(document, o)).Try(Requester{Later: true, Loads: true})
	if !ok {
		return nil
	}
	defer give()
	name, _, err := e.ChooseModel(ctx, document, o)
	if err != nil {
		return err
	}
	info, err := e.backend.Describe(ctx, name)
	if err != nil {
		return err
	}
	if info.Elsewhere() != "" {
		return nil // nothing is to be loaded, and nobody was asked
	}
	size, now := e.Settle(ctx, o, info, 0)
	if now.LoadedContext == size {
		return nil
	}
	e.Meter.Loaded(info.Name)
	return e.backend.Preload(ctx, info.Name, size, o.KeepAlive)
}

package agent

import (
	"context"

	"github.com/assent-ls/assent/agent/transcript"
)

// Warm loads the model that a Send of this document would use, so that its first answer comes sooner. It returns at once,
// without an error, while a run talks to the server. It asks the model nothing.
func (a *Agent) Warm(ctx context.Context, document *transcript.Chat, o Options) error {
	give, ok := a.queue.Try(Requester{Later: true, Loads: true})
	if !ok {
		return nil
	}
	defer give()
	name, _, err := a.chooseModel(ctx, Job{Document: document, Options: o})
	if err != nil {
		return err
	}
	info, err := a.backend.Describe(ctx, name)
	if err != nil {
		return err
	}
	if info.Elsewhere() != "" {
		return nil // nothing is to be loaded, and nobody was asked
	}
	size, now := a.settle(ctx, o, info, 0)
	if now.LoadedContext == size {
		return nil
	}
	a.meter.Loaded(info.Name)
	return a.backend.Preload(ctx, info.Name, size, o.KeepAlive)
}

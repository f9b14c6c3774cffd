package agent

import (
	"context"

	"github.com/assent-ls/assent/agent/guidance"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/transcript"
)

// Warm loads the model that a Send of this document would use, so that its first answer comes sooner. It returns at
// once, without an error, while a run talks to the server. It asks the model nothing.
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

// Guided reports whether the model that is named for a document is guided, as far as its name tells. It asks no server.
func (a *Agent) Guided(document *transcript.Chat, o Options) bool {
	name := Named(document, o)
	if name == "" && o.Format == "" {
		return false
	}
	profile, _ := a.profiles.Load().For(model.Info{Name: name})
	format, err := a.chooseFormat(o, profile, "")
	return err == nil && guidance.Guides(format)
}

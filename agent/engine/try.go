package engine

import (
	"context"

	"github.com/assent-ls/assent/agent/model"
)

// MustTry reports whether it has to be tried what the server of a model does with it. What an earlier process saw
// counts, as long as server and build are the same.
func (e *Engine) MustTry(name string) bool {
	tries, ok := e.backend.(model.Prober)
	if !ok {
		return false
	}
	if _, known := tries.Abilities(name); known {
		return false
	}
	e.recall(name)
	if a := e.Meter.Known(name).Abilities; a != nil {
		tries.Recall(*a)
	}
	_, known := tries.Abilities(name)
	return !known
}

// Try tries it, and describes the model afresh. The caller has a turn at the server. What cannot be tried is as if it
// was not: the reply is checked all the same.
func (e *Engine) Try(ctx context.Context, info model.Info) (model.Info, error) {
	tries, ok := e.backend.(model.Prober)
	if !ok {
		return info, nil
	}
	a, err := tries.Probe(ctx, info.Name)
	if ctx.Err() != nil {
		return info, ctx.Err()
	}
	if err == nil && a.Model != "" {
		e.Meter.LearnAbilities(info.Name, a)
		e.Keep(info.Name)
	}
	if again, err := e.backend.Describe(ctx, info.Name); err == nil {
		return again, nil
	}
	return info, ctx.Err()
}

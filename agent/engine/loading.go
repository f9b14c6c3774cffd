package engine

import (
	"context"

	"github.com/assent-ls/assent/agent/model"
)

// Knowledge keeps what was learned of models, by model server, from one process to the next.
type Knowledge interface {
	Recall(server, name string) model.Known
	Keep(server, name string, known model.Known) error
}

// Remember makes the agent use and keep what was learned of models. It is called before the first run.
func (e *Engine) Remember(k Knowledge) { e.knowledge = k }

// Tokens is about what a text takes for a model, by what was learned of it; without a name for any model.
func (e *Engine) Tokens(name, text string) int {
	if name != "" {
		e.recall(name)
	}
	return e.Meter.Tokens(name, text)
}

// recall tells the meter what is known of a model from before, once.
func (e *Engine) recall(name string) {
	if e.knowledge != nil && !e.Meter.Knows(name) {
		e.Meter.Recall(name, e.knowledge.Recall(e.backend.Name(), name))
	}
}

// Keep is called when something was learned of a model. What cannot be kept is learned again.
func (e *Engine) Keep(name string) {
	if e.knowledge != nil {
		_ = e.knowledge.Keep(e.backend.Name(), name, e.Meter.Known(name))
	}
}

// Settle pins the context size of a model. Where neither the user nor an earlier use says what suits, it loads the
// model and looks: what does not fit into the memory of the GPU is tried once more with half of it. The caller holds
// the turn.
func (e *Engine) Settle(ctx context.Context, o Options, info model.Info, need int) (int, model.Info) {
	if e.Settled(o, info, need) {
		return e.Pins.Pin(e.ExpectedSize(o, info), info), info
	}
	size := model.SuitableContext(info, need, e.backend.Memory())
	loaded, err := e.load(ctx, info.Name, size, o)
	if half := size / 2; half-model.Reserve(half) >= need && (err != nil || loaded.FitsBetter(half)) {
		if smaller, again := e.load(ctx, info.Name, half, o); again == nil {
			size, loaded, err = half, smaller, nil
		}
	}
	if err != nil {
		return e.Pins.Pin(size, info), info // the request will say what is wrong
	}
	if loaded.Plausible() { // the server may have less than it was asked for
		size = min(size, loaded.LoadedContext)
	}
	if size <= model.SuitableContext(info, 0, 0) { // what one long chat needs is not for all that follow
		e.Meter.LearnContext(info.Name, size)
		e.Keep(info.Name)
	}
	return e.Pins.Pin(size, info), loaded
}

// Settled reports whether the context size of a model is known without loading it.
func (e *Engine) Settled(o Options, info model.Info, need int) bool {
	if _, pinned := e.Pins.Pinned(info); pinned || o.ContextSize > 0 || info.Elsewhere() != "" || e.knowledge == nil {
		return true
	}
	e.recall(info.Name)
	known := e.Meter.Known(info.Name).Context
	return known > 0 && known >= need || model.ChooseContext(0, info) == info.LoadedContext
}

// ExpectedSize is what a model's requests use, or would use if nothing were tried.
func (e *Engine) ExpectedSize(o Options, info model.Info) int {
	if size, ok := e.Pins.Pinned(info); ok {
		return size
	}
	e.recall(info.Name)
	if known := e.Meter.Known(info.Name).Context; known > 0 && o.ContextSize <= 0 && info.LoadedContext <= known {
		return model.ChooseContext(known, info)
	}
	return model.ChooseContext(o.ContextSize, info)
}

// load loads a model, and says what it takes then.
func (e *Engine) load(ctx context.Context, name string, size int, o Options) (model.Info, error) {
	if err := e.backend.Preload(ctx, name, size, o.KeepAlive); err != nil {
		return model.Info{}, err
	}
	e.Meter.Loaded(name)
	return e.backend.Describe(ctx, name)
}

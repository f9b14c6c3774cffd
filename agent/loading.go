package agent

import (
	"context"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// Knowledge keeps what was learned of models, by model server, from one process to the next.
type Knowledge interface {
	Recall(server, name string) model.Known
	Keep(server, name string, known model.Known) error
}

// Remember makes the agent use and keep what was learned of models. It is called before the first run.
func (a *Agent) Remember(k Knowledge) { a.knowledge = k }

// Tokens is about what a text takes for a model, by what was learned of it; without a name for any model.
func (a *Agent) Tokens(name, text string) int {
	if name != "" {
		a.recall(name)
	}
	return a.meter.Tokens(name, text)
}

// recall tells the meter what is known of a model from before, once.
func (a *Agent) recall(name string) {
	if a.knowledge != nil && !a.meter.Knows(name) {
		a.meter.Recall(name, a.knowledge.Recall(a.backend.Name(), name))
	}
}

// keep is called when something was learned of a model. What cannot be kept is learned again.
func (a *Agent) keep(name string) {
	if a.knowledge != nil {
		_ = a.knowledge.Keep(a.backend.Name(), name, a.meter.Known(name))
	}
}

// settle pins the context size of a model. Where neither the user nor an earlier use says what suits, it loads the
// model and looks: what does not fit into the memory of the GPU is tried once more with half of it. The caller holds
// the turn.
func (a *Agent) settle(ctx context.Context, o Options, info model.Info, need int) (int, model.Info) {
	if a.settled(o, info, need) {
		return a.pins.Pin(a.contextSize(o, info), info), info
	}
	size := model.SuitableContext(info, need, a.backend.Memory())
	loaded, err := a.load(ctx, info.Name, size, o)
	if half := size / 2; half-model.Reserve(half) >= need && (err != nil || loaded.FitsBetter(half)) {
		if smaller, again := a.load(ctx, info.Name, half, o); again == nil {
			size, loaded, err = half, smaller, nil
		}
	}
	if err != nil {
		return a.pins.Pin(size, info), info // the request will say what is wrong
	}
	if loaded.Plausible() { // the server may have less than it was asked for
		size = min(size, loaded.LoadedContext)
	}
	if size <= model.SuitableContext(info, 0, 0) { // what one long chat needs is not for all that follow
		a.meter.LearnContext(info.Name, size)
		a.keep(info.Name)
	}
	return a.pins.Pin(size, info), loaded
}

// settled reports whether the context size of a model is known without loading it.
func (a *Agent) settled(o Options, info model.Info, need int) bool {
	if _, pinned := a.pins.Pinned(info); pinned || o.ContextSize > 0 || info.Elsewhere() != "" || a.knowledge == nil {
		return true
	}
	a.recall(info.Name)
	known := a.meter.Known(info.Name).Context
	return known > 0 && known >= need || model.ChooseContext(0, info) == info.LoadedContext
}

// contextSize is what a model's requests use, or would use if nothing were tried.
func (a *Agent) contextSize(o Options, info model.Info) int {
	if size, ok := a.pins.Pinned(info); ok {
		return size
	}
	a.recall(info.Name)
	if known := a.meter.Known(info.Name).Context; known > 0 && o.ContextSize <= 0 && info.LoadedContext <= known {
		return model.ChooseContext(known, info)
	}
	return model.ChooseContext(o.ContextSize, info)
}

// load loads a model, and says what it takes then.
func (a *Agent) load(ctx context.Context, name string, size int, o Options) (model.Info, error) {
	if err := a.backend.Preload(ctx, name, size, o.KeepAlive); err != nil {
		return model.Info{}, err
	}
	a.meter.Loaded(name)
	return a.backend.Describe(ctx, name)
}

// settle chooses the context size for the conversation.
func (c *loop) settle(ctx context.Context) error {
	if _, pinned := c.agent.pins.Pinned(c.Model); pinned {
		return nil
	}
	give, err := c.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer give()
	need := c.agent.meter.Estimate(c.request(toolcall.Hints{})).Margin()
	if !c.agent.settled(c.job.Options, c.Model, need) {
		c.emit(Progress{Stage: Loading})
	}
	c.ContextSize, c.Model = c.agent.settle(ctx, c.job.Options, c.Model, need)
	return ctx.Err()
}

package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assent-ls/assent/agent/model"
)

const (
	embedTime    = 5 * time.Second  // after which nobody waits for vectors
	embedLoading = 15 * time.Second // the same where the model has to be loaded for them
	embedContext = 2048             // tokens: a text is far shorter

	// maxBeside is how many other models may be loaded for one to be loaded beside them: Ollama keeps three, unless it
	// is told otherwise.
	maxBeside = 2
	// smallModel is what a model may take on disk to be loaded beside others where nothing is known of the memory, in
	// bytes.
	smallModel = 2 << 30
)

// ErrBusy says that the model server is wanted for something else.
var ErrBusy = errors.New("the model server is busy")

// Embedder is a model that gives vectors of texts, lent by [Agent.Embed].
type Embedder struct {
	// Version differs where vectors cannot be compared: it names the model server, the model, and which version of it
	// is installed.
	Version string
	// Vectors gives a vector for each text, as the server made it.
	Vectors func(ctx context.Context, texts []string) ([][]float32, error)
}

// Embed lends a model that gives vectors of texts, for some seconds, and returns the error of use. It waits for nobody:
// where the model server is busy, and as soon as a run or another caller wants its turn, the error is [ErrBusy]. It
// takes no other model out of memory, as far as that can be foreseen. Other errors are that of ctx, and sentences
// without their end.
func (e *Engine) Embed(ctx context.Context, name string, o Options, use func(context.Context, Embedder) error) error {
	backend, ok := e.backend.(model.Embedder)
	if !ok {
		return fmt.Errorf("%s gives no vectors of texts", e.backend.Name())
	}
	caller := ctx
	ctx, end, ok := e.background(ctx, name, embedLoading)
	defer end()
	if !ok {
		return ErrBusy
	}
	info, beside, err := e.embedding(ctx, name)
	if err == nil && info.Loaded() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, embedTime)
		defer cancel()
	}
	if err == nil {
		err = use(ctx, Embedder{e.backend.Name() + "\x00" + info.Name + "\x00" + info.Digest, func(
			ctx context.Context, texts []string,
		) ([][]float32, error) {
			return e.vectors(ctx, backend, info, texts, len(beside) > 0, o)
		}})
	}
	if err == nil {
		err = e.stillThere(ctx, name, beside)
	}
	switch {
	case err == nil || caller.Err() != nil:
		return err
	case errors.Is(context.Cause(ctx), errWanted):
		return ErrBusy
	case ctx.Err() != nil:
		return fmt.Errorf("%s did not answer in time", name)
	}
	return err
}

// embedding describes a model that is to give vectors, and lists what else is loaded if it has to be loaded beside
// that. The error says why it is not asked.
func (e *Engine) embedding(ctx context.Context, name string) (info model.Info, beside []model.Info, err error) {
	info, err = e.backend.Describe(ctx, name)
	switch {
	case err != nil:
		return info, nil, err
	case info.Elsewhere() != "":
		return info, nil, fmt.Errorf(
			"%s runs at %s, and only models of your own model server are asked", name, info.Elsewhere(),
		)
	case !info.Can(model.CanEmbed):
		return info, nil, fmt.Errorf(
			"%s is no model for it: `assent doctor` shows which one can do %q", name, model.CanEmbed,
		)
	case info.Loaded():
		return info, nil, nil
	}
	if beside, err = e.loaded(ctx); err != nil {
		return info, nil, err
	}
	memory := e.backend.Memory()
	fits := info.Bytes+info.Bytes/2 < memory || memory == 0 && info.Bytes < smallModel
	if len(beside) > 0 && (!fits || len(beside) > maxBeside || e.evicts.Load()) {
		return info, nil, fmt.Errorf("%s has to be loaded first, and another model may have to make room for it", name)
	}
	return info, beside, nil
}

// loaded lists which models are in memory.
func (e *Engine) loaded(ctx context.Context) ([]model.Info, error) {
	all, err := e.backend.Models(ctx)
	return slices.DeleteFunc(all, func(m model.Info) bool { return !m.Loaded() }), err
}

// vectors asks a model for vectors. If it has to be loaded beside others that is not in the memory of a GPU, where they
// may be.
func (e *Engine) vectors(
	ctx context.Context, backend model.Embedder, info model.Info, texts []string, beside bool, o Options,
) ([][]float32, error) {
	size := embedContext
	if info.ContextLimit > 0 {
		size = min(size, info.ContextLimit)
	}
	if info.Plausible() {
		size = info.LoadedContext // another one would load it again
	}
	list, err := backend.Embed(
		ctx,
		model.Embedding{Model: info.Name, Texts: texts, ContextSize: size, KeepAlive: o.KeepAlive, MainMemory: beside},
	)
	if err == nil && len(list) != len(texts) {
		err = fmt.Errorf("%s gave %d vectors for %d texts", info.Name, len(list), len(texts))
	}
	return list, err
}

// stillThere looks whether the models are in memory beside which another one was loaded. If not, that is not done
// again.
func (e *Engine) stillThere(ctx context.Context, name string, before []model.Info) error {
	if len(before) == 0 {
		return nil
	}
	now, err := e.loaded(ctx)
	if err != nil {
		return err
	}
	for _, m := range before {
		if !slices.ContainsFunc(now, func(n model.Info) bool { return model.SameName(n.Name, m.Name) }) {
			e.evicts.Store(true)
			return fmt.Errorf(
				"%s went out of memory when %s was loaded, which is not loaded again beside another model", m.Name,
				name,
			)
		}
	}
	return nil
}

package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/transcript"
)

// Models lists the installed models that can answer in a chat.
func (e *Engine) Models(ctx context.Context) ([]model.Info, error) {
	return chatting(e.backend.Models(ctx))
}

// chatting are those of a list that can answer in a chat.
func chatting(list []model.Info, err error) ([]model.Info, error) {
	return slices.DeleteFunc(list, func(m model.Info) bool { return !m.Chats() }), err
}

// Listed is Models for a completion: a server of which asking would be noticed is not asked, and what it listed last is
// taken.
func (e *Engine) Listed(ctx context.Context) ([]model.Info, error) {
	lists, ok := e.backend.(model.Listed)
	if !ok {
		return e.Models(ctx)
	}
	return chatting(lists.Listed(ctx))
}

// Unload takes the model of a document out of the memory of the model server, and names it. While a run talks to the
// server it does not.
func (e *Engine) Unload(ctx context.Context, document *transcript.Chat, o Options) (name string, err error) {
	if name, err = e.ModelOf(ctx, document, o); err != nil {
		return "", err
	}
	give, ok := e.TryTurn(name)
	if !ok {
		return "", errors.New("a model is being loaded or answers now: wait for that or Stop it, then unload it")
	}
	defer give()
	info, err := e.backend.Describe(ctx, name)
	if err != nil {
		return name, err
	}
	if host := info.Elsewhere(); host != "" {
		return name, errors.New(name + " runs at " + host + ", so there is nothing to unload here")
	}
	return name, e.backend.Unload(ctx, name)
}

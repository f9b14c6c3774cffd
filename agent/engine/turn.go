package engine

import (
	"context"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/transcript"
)

// Backend is the model servers, for callers other than runs. A caller holds a Turn while it asks a model something.
func (e *Engine) Backend() model.Backend { return e.backend }

// Turn waits until a request to the server of a model may run, and keeps others waiting until give is called. A run
// takes a turn for each reply; a caller with many requests takes one for each of them, so that no chat waits for long:
// chats go before it.
func (e *Engine) Turn(ctx context.Context, name string) (give func(), err error) {
	return e.Wait(ctx, name, Requester{Later: true}, func(string) {})
}

// TryTurn is Turn for a caller that does not wait: ok is false while the server answers all that it can at once.
func (e *Engine) TryTurn(name string) (give func(), ok bool) {
	return e.QueueOf(name).Try(Requester{Later: true})
}

// ModelOf names the model that a Send of this document would use.
func (e *Engine) ModelOf(ctx context.Context, document *transcript.Chat, o Options) (string, error) {
	name, _, err := e.ChooseModel(ctx, document, o)
	return name, err
}

// ContextSize is that of every request to a model, runs' and others'.
func (e *Engine) ContextSize(o Options, info model.Info) int {
	return e.Pins.Pin(e.ExpectedSize(o, info), info)
}

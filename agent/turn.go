package agent

import (
	"context"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/transcript"
)

// Backend is the model server, for callers other than runs. A caller holds a Turn while it asks a model something.
func (a *Agent) Backend() model.Backend { return a.backend }

// Turn waits until no request to the model server runs, and keeps others waiting until give is called. A run takes a
// turn for each reply; a caller with many requests takes one for each of them, so that no chat waits for long: chats go
// before it.
func (a *Agent) Turn(ctx context.Context) (give func(), err error) {
	return a.wait(ctx, Requester{Later: true}, func(string) {})
}

// TryTurn is Turn for a caller that does not wait: ok is false while a request to the model server runs.
func (a *Agent) TryTurn() (give func(), ok bool) { return a.queue.Try(Requester{Later: true}) }

// ModelOf names the model that a Send of this document would use.
func (a *Agent) ModelOf(ctx context.Context, document *transcript.Chat, o Options) (string, error) {
	name, _, err := a.chooseModel(ctx, Job{Document: document, Options: o})
	return name, err
}

// ContextSize is that of every request to a model, runs' and others'.
func (a *Agent) ContextSize(o Options, info model.Info) int {
	return a.pins.Pin(a.contextSize(o, info), info)
}

// UseProfiles takes other profiles for the runs that begin from now on. Replies are then rendered afresh instead of as
// they were written: in another format their own words would teach the model the old one.
func (a *Agent) UseProfiles(p *model.Profiles) {
	a.profiles.Store(p)
	a.raws.forget()
}

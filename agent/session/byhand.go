package session

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"github.com/assent-ls/assent/agent/byhand"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/ledger"
)

// Tools describes the tools of the chat as they were listed last: nothing is started for it.
func (s *Session) Tools() []tools.Spec {
	env, err := s.environment()
	if err != nil || env.Tools == nil {
		return nil
	}
	return env.Tools.Known().Specs()
}

// PrepareByHand plans a call that a person makes in this chat, without effects.
func (s *Session) PrepareByHand(ctx context.Context, tool string, arguments json.RawMessage) (*byhand.Call, error) {
	env, err := s.environment()
	if err != nil {
		return nil, err
	}
	return byhand.Prepare(ctx, env.dispatcher(env.Tools.Known()), s.byHand(env, tool, arguments)), nil
}

// PrepareWhole is PrepareByHand for a result in full. The sources of tools are asked for it, since no run may have
// listed them yet.
func (s *Session) PrepareWhole(ctx context.Context, tool string, arguments json.RawMessage) (*byhand.Call, error) {
	env, err := s.environment()
	if err != nil {
		return nil, err
	}
	d, err := env.Dispatcher(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	call := s.byHand(env, tool, arguments)
	call.Whole = true
	return byhand.Prepare(ctx, d, call), nil
}

func (s *Session) byHand(env Environment, tool string, arguments json.RawMessage) tools.Call {
	return tools.Call{
		ID: "by-hand-" + rand.Text()[:8], Name: tool, Arguments: arguments, Chat: s.document.Path(), Reads: s.reads,
		Mode: env.Options.Mode,
	}
}

// RunByHand runs a call that PrepareByHand planned, with the answer to its question if it has one, while nothing else
// goes on in the chat. What it changed can be reviewed as what a model changed.
func (s *Session) RunByHand(
	ctx context.Context, call *byhand.Call, answer event.Answer, report tools.Reporter,
) (tools.Result, error) {
	release, err := s.Hold(ctx)
	if err != nil {
		return tools.Result{}, err
	}
	defer release()
	env, err := s.environment()
	if err != nil {
		return tools.Result{}, err
	}
	result, err := call.Run(ctx, answer, report)
	if err == nil {
		p := call.Prepared()
		env.record(
			ledger.Turn{Chat: s.document.Path(), ID: rand.Text()}, p.Call.ID, p.Call.Name, result.Changes, "reviewed",
		)
	}
	return result, err
}

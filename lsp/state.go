package lsp

import (
	"context"
	"encoding/json"
	"time"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/convert"
	"github.com/assent-ls/assent/lsp/ext"
)

// feedState sends the state until ctx is done. What did not change is not sent again.
func feedState(ctx context.Context, s *Server) {
	if !s.client.Capabilities().Assent().State {
		return
	}
	pause := time.NewTimer(statePause)
	defer pause.Stop()
	var sent string
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.state.wake:
		}
		now := stateNow(s)
		if text, err := json.Marshal(now); err == nil && string(text) != sent {
			sent = string(text)
			if err := s.client.NotifyNewest(ext.StateMethod, ext.StateMethod, now); err != nil {
				s.Log.Info("the state was not sent", "error", err)
			}
		}
		pause.Reset(statePause)
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		case <-s.state.urgent:
		}
	}
}

// stateNow is the state of the open chats.
func stateNow(s *Server) ext.State {
	out := ext.State{Chats: []ext.ChatState{}, Waiting: []ext.Waiting{}}
	for _, c := range s.chats.All() {
		waiting := features.WaitingIn(c)
		state := features.Status(c, len(waiting) > 0)
		state.Sandbox, state.Confined, _ = s.confined(c.Path())
		state.Background = runningIn(s, c.Path())
		out.Chats = append(out.Chats, state)
		for _, w := range waiting {
			out.Waiting = append(out.Waiting, waitingOf(s, w))
		}
	}
	return out
}

func waitingOf(s *Server, w features.Waiting) ext.Waiting {
	out := ext.Waiting{
		ID: w.ID, URI: w.URI, Title: visible.Line(w.Title), Tool: visible.Line(w.Tool), Target: visible.Line(w.Target),
		Blocked: visible.Line(w.Blocked), Actions: []ext.WaitingAction{},
	}
	target := ext.Target{URI: w.URI}
	if snapshot, ok := s.store.Get(w.URI); ok {
		out.Range = convert.ToExtRange(s.rangeOf(snapshot, w.Span))
		target.Position = &out.Range.Start
	}
	for _, a := range w.Actions {
		out.Actions = append(
			out.Actions,
			ext.WaitingAction{
				Title: visible.Line(titleOf(a)), Command: a.Command, Arguments: []any{argumentOf(a, target)},
			},
		)
	}
	return out
}

// confined says what confines the commands of a chat, in a sentence and in a word; empty: that was not tried yet. ok is
// false if there is no sandbox.
func (s *Server) confined(path string) (sentence, by string, ok bool) {
	at, err := s.folders.Of(path)
	if err != nil || at.Sandbox == nil {
		return "", "", false
	}
	state, known := at.Sandbox.Known()
	switch {
	case !known:
		return "", "", true
	case !state.Proven:
		return visible.Line(state.Sentence), ext.Unconfined, true
	}
	return visible.Line(state.Sentence), state.Kind, true
}

package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/ext"
)

// probe finds out how a model calls tools. It goes on after the answer, as a run does: many editors wait for the answer
// of a command for seconds only, and some do nothing else meanwhile. A request that brought a token for its progress is
// one that waits: it is answered at the end, and cancelling it ends the probe.
func probe(s *Server, ctx context.Context, want ext.Model, token *protocol.ProgressToken) (err error) {
	if want.Stop {
		return s.chats.StopProbe()
	}
	var chat *chats.Chat
	if want.Model == "" {
		if chat, err = s.chats.ChatFor(want.URI); err != nil {
			return err
		}
	}
	probing, err := s.chats.Probe(ctx, chat, want.Model, s.host.PercentUnder(token))
	if err != nil || token == nil {
		return err
	}
	return probing.Wait(ctx)
}

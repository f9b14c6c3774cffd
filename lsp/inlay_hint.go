package lsp

import (
	"context"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/configfiles"
	"github.com/assent-ls/assent/lsp/wire"
)

// inlayHint shows beside a text what it costs.
func (s *Server) inlayHint(_ context.Context, params wire.InlayHintParams) ([]wire.InlayHint, error) {
	out := []wire.InlayHint{}
	if chat, snapshot, ok := s.opened(params.TextDocument.URI); ok {
		if text, at, ok := features.Hint(chat); ok {
			out = append(out, wire.InlayHint{Position: s.positionOf(snapshot, at), Label: text, PaddingLeft: true})
		}
		return out, nil
	}
	file, snapshot, ok := s.configs.Find(string(params.TextDocument.URI))
	if !ok || params.Range.Start.Line > 0 || !file.IsPrompt() && !file.IsRules() {
		return out, nil
	}
	text := snapshot.Text.String()
	return append(out, wire.InlayHint{
		Position: s.positionOf(snapshot, configfiles.FirstLine(text).End),
		Label:    visible.Line(s.configs.PromptSize(file, text)), PaddingLeft: true,
	}), nil
}

// refreshHint makes the editor ask again when a reply is over: while it was written there was no hint.
func (s *Server) refreshHint(chat *chats.Chat) {
	if s.client.Capabilities().Workspace.InlayHint.RefreshSupport {
		text, _, _ := features.Hint(chat)
		s.hints.show(chat.URI(), text)
	}
}

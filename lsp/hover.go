package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/chats/features"
)

// hover explains a call, or which prompts apply when it is asked for a heading, or what a turn changed in a file.
func (s *Server) hover(ctx context.Context, params protocol.HoverParams) (*protocol.Hover, error) {
	chat, snapshot, ok := s.opened(params.TextDocument.URI)
	if !ok {
		if hover := s.configs.Hover(params); hover != nil {
			return hover, nil
		}
		return s.reviews.Hover(ctx, params), nil
	}
	text, span, ok := features.Explain(ctx, chat, s.offsetOf(snapshot, params.Position))
	if !ok {
		return nil, nil
	}
	r := s.rangeOf(snapshot, span)
	return &protocol.Hover{Contents: protocol.MarkupContent{Kind: protocol.Markdown, Value: text}, Range: &r}, nil
}

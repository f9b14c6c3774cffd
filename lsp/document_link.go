package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/documents"
)

// documentLink lists where the mentions of a chat lead.
func (s *Server) documentLink(ctx context.Context, params protocol.DocumentLinkParams) ([]protocol.DocumentLink, error) {
	out := []protocol.DocumentLink{}
	chat, snapshot, ok := s.opened(params.TextDocument.URI)
	if !ok {
		return out, nil
	}
	for _, link := range chat.Links(ctx) {
		target := documents.URIOf(link.Path)
		if link.Line > 0 {
			target += fmt.Sprintf("#L%d", link.Line)
		}
		out = append(out, protocol.DocumentLink{Range: s.rangeOf(snapshot, link.Span), Target: protocol.DocumentURI(target)})
	}
	return out, nil
}

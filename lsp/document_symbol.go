package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats/features"
)

// documentSymbol is the outline of a conversation: turns, with their calls, results and prompts below.
func (s *Server) documentSymbol(
	_ context.Context, params protocol.DocumentSymbolParams,
) ([]protocol.DocumentSymbol, error) {
	out := []protocol.DocumentSymbol{}
	chat, snapshot, ok := s.opened(params.TextDocument.URI)
	if !ok {
		return out, nil
	}
	symbolOf := func(item features.Item, kind protocol.SymbolKind) protocol.DocumentSymbol {
		return protocol.DocumentSymbol{
			Name: visible.Line(item.Name), Detail: visible.Line(item.Detail), Kind: kind,
			Range: s.rangeOf(snapshot, item.Span), SelectionRange: s.rangeOf(snapshot, item.Select),
		}
	}
	for _, item := range features.Outline(chat) {
		symbol := symbolOf(item, protocol.SymbolKindNamespace)
		for _, part := range item.Parts {
			symbol.Children = append(symbol.Children, symbolOf(part, protocol.SymbolKindFunction))
		}
		out = append(out, symbol)
	}
	return out, nil
}

package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/wire"
)

// foldingRange folds turns, and the blocks in them.
func (s *Server) foldingRange(_ context.Context, params protocol.FoldingRangeParams) ([]wire.FoldingRange, error) {
	out := []wire.FoldingRange{}
	chat, snapshot, ok := s.opened(params.TextDocument.URI)
	if !ok {
		return out, nil
	}
	shows := s.client.Capabilities().TextDocument.FoldingRange.FoldingRange.CollapsedText
	for _, fold := range features.Folds(chat) {
		r := s.rangeOf(snapshot, fold.Span)
		if r.End.Line > r.Start.Line && r.End.Character == 0 {
			r.End.Line--
		}
		if r.End.Line <= r.Start.Line {
			continue
		}
		folding := wire.FoldingRange{FoldingRange: protocol.FoldingRange{
			StartLine: r.Start.Line, EndLine: r.End.Line, Kind: protocol.RegionFoldingRange,
		}}
		if shows {
			folding.CollapsedText = fmt.Sprintf("%s (%d lines)", visible.Line(fold.Name), r.End.Line-r.Start.Line+1)
		}
		out = append(out, folding)
	}
	return out, nil
}

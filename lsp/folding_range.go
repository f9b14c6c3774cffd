package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// foldingRange folds turns, and the blocks in them.
func (s *Server) foldingRange(_ context.Context, params protocol.FoldingRangeParams) ([]protocol.FoldingRange, error) {
	out := []protocol.FoldingRange{}
	chat, snapshot, ok := s.opened(params.TextDocument.URI)
	if !ok {
		return out, nil
	}
	for _, span := range chat.Folds() {
		r := s.rangeOf(snapshot, span)
		if r.End.Line > r.Start.Line && r.End.Character == 0 {
			r.End.Line--
		}
		if r.End.Line > r.Start.Line {
			out = append(out, protocol.FoldingRange{StartLine: r.Start.Line, EndLine: r.End.Line, Kind: protocol.RegionFoldingRange})
		}
	}
	return out, nil
}

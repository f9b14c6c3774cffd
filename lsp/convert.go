package lsp

import (
	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/wire"
)

// The conversions between the protocol's types and those of the rooms below.

func fromPosition(p protocol.Position) documents.Position {
	return documents.Position{Line: p.Line, Character: p.Character}
}

func toPosition(p documents.Position) protocol.Position {
	return protocol.Position{Line: p.Line, Character: p.Character}
}

func toRange(r documents.Range) protocol.Range {
	return protocol.Range{Start: toPosition(r.Start), End: toPosition(r.End)}
}

func toExtRange(r protocol.Range) ext.Range {
	return ext.Range{Start: ext.Position(r.Start), End: ext.Position(r.End)}
}

func fromChange(c wire.ContentChange) documents.Change {
	if c.Range == nil {
		return documents.Change{Text: c.Text}
	}
	return documents.Change{
		Range: &documents.Range{Start: fromPosition(c.Range.Start), End: fromPosition(c.Range.End)}, Text: c.Text,
	}
}

// rangeOf gives a span of a document its positions.
func (s *Server) rangeOf(d documents.Snapshot, span transcript.Span) protocol.Range {
	return toRange(d.Text.Range(documents.Span(span), s.store.Encoding()))
}

// spanOf gives a range of a document its offsets; a range that is turned around is taken as it is meant.
func (s *Server) spanOf(d documents.Snapshot, r protocol.Range) transcript.Span {
	start, end := d.Text.Offset(fromPosition(r.Start), s.store.Encoding()), d.Text.Offset(fromPosition(r.End), s.store.Encoding())
	return transcript.Span{Start: min(start, end), End: max(start, end)}
}

func fromExtRange(r ext.Range) protocol.Range {
	return protocol.Range{
		Start: protocol.Position{Line: r.Start.Line, Character: r.Start.Character}, End: protocol.Position{Line: r.End.Line, Character: r.End.Character},
	}
}

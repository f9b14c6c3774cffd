// Package convert converts between the protocol's types and those of the packages below.
package convert

import (
	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/wire"
)

// ToRange gives a range the type of the protocol.
func ToRange(r documents.Range) protocol.Range {
	return protocol.Range{Start: protocol.Position(r.Start), End: protocol.Position(r.End)}
}

// ToExtRange gives a range the type of package ext.
func ToExtRange(r protocol.Range) ext.Range {
	return ext.Range{Start: ext.Position(r.Start), End: ext.Position(r.End)}
}

// FromChange gives a change of a document the type of package documents; without a range all of the text is new.
func FromChange(c wire.ContentChange) documents.Change {
	if c.Range == nil {
		return documents.Change{Text: c.Text}
	}
	return documents.Change{
		Range: &documents.Range{Start: documents.Position(c.Range.Start), End: documents.Position(c.Range.End)},
		Text:  c.Text,
	}
}

// RangeIn gives a span of a document its positions.
func RangeIn(d documents.Snapshot, span transcript.Span, enc documents.Encoding) protocol.Range {
	return ToRange(d.Text.Range(documents.Span(span), enc))
}

// SpanIn gives a range of a document its offsets; a range that is turned around is taken as it is meant.
func SpanIn(d documents.Snapshot, r protocol.Range, enc documents.Encoding) transcript.Span {
	start, end := d.Text.Offset(documents.Position(r.Start), enc), d.Text.Offset(documents.Position(r.End), enc)
	return transcript.Span{Start: min(start, end), End: max(start, end)}
}

// FromExtRange gives a range of package ext the type of the protocol.
func FromExtRange(r ext.Range) protocol.Range {
	return protocol.Range{Start: protocol.Position(r.Start), End: protocol.Position(r.End)}
}

// ActionKind is the kind of every code action: "fix all" and "source" actions of editors never run one unseen.
const ActionKind protocol.CodeActionKind = "quickfix.assent"

// OwnSource is the source of our diagnostics.
const OwnSource = "assent"

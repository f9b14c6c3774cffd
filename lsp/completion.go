package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/configfiles"
)

// completion lists what can be written at a place of a file that configures Assent.
func (s *Server) completion(_ context.Context, params protocol.CompletionParams) (*protocol.CompletionList, error) {
	file, snapshot, ok := s.configFile(string(params.TextDocument.URI))
	if !ok {
		return nil, nil
	}
	text := snapshot.Text.String()
	at := snapshot.Text.Offset(fromPosition(params.Position), s.store.Encoding())
	list := &protocol.CompletionList{Items: []protocol.CompletionItem{}}
	for _, c := range configfiles.Complete(file.Schema(), text, at) {
		item := protocol.CompletionItem{
			Label: c.Label, FilterText: c.Label, Kind: protocol.CompletionItemKindValue,
			Documentation: protocol.MarkupContent{Kind: protocol.Markdown, Value: c.Doc},
			TextEdit:      &protocol.TextEdit{Range: s.rangeOf(snapshot, transcript.Span(c.Replace)), NewText: c.Text},
		}
		if c.Key {
			item.Kind = protocol.CompletionItemKindProperty
			if c.Replace.Start < c.Replace.End && text[c.Replace.Start] == '"' {
				item.FilterText = `"` + c.Label + `"` // editors compare it with all that is replaced, quotes included
			}
		}
		list.Items = append(list.Items, item)
	}
	return list, nil
}

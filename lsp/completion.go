package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/configfiles"
	"github.com/assent-ls/assent/lsp/documents"
)

// completion lists what can be written at a place of a chat, or of a file that configures Assent.
func (s *Server) completion(ctx context.Context, params protocol.CompletionParams) (*protocol.CompletionList, error) {
	if chat, snapshot, ok := s.opened(params.TextDocument.URI); ok {
		return chatCompletion(ctx, s, chat, snapshot, params.Position), nil
	}
	file, snapshot, ok := s.configs.Find(string(params.TextDocument.URI))
	if !ok {
		return nil, nil
	}
	text := snapshot.Text.String()
	at := s.offsetOf(snapshot, params.Position)
	list := &protocol.CompletionList{Items: []protocol.CompletionItem{}}
	all := configfiles.Complete(s.configs.SchemaOf(file), text, at)
	if file.IsPrompt() {
		all = configfiles.CompletePrompt(text, at)
	}
	for _, c := range all {
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

// completionKinds are the signs of what is completed in a chat.
var completionKinds = map[features.CompletionKind]protocol.CompletionItemKind{
	features.ValueCompletion:   protocol.CompletionItemKindValue,
	features.KeyCompletion:     protocol.CompletionItemKindProperty,
	features.CommandCompletion: protocol.CompletionItemKindFunction,
	features.FileCompletion:    protocol.CompletionItemKindFile,
	features.FolderCompletion:  protocol.CompletionItemKindFolder,
}

// chatCompletion lists what can be written at a place of a chat.
func chatCompletion(
	ctx context.Context, s *Server, chat *chats.Chat, snapshot documents.Snapshot, at protocol.Position,
) *protocol.CompletionList {
	found, more := features.Complete(ctx, chat, s.offsetOf(snapshot, at))
	list := &protocol.CompletionList{IsIncomplete: more, Items: []protocol.CompletionItem{}}
	for i, c := range found {
		list.Items = append(list.Items, protocol.CompletionItem{
			Label: visible.Line(c.Text), FilterText: c.Text, SortText: fmt.Sprintf("%03d", i),
			Kind:          completionKinds[c.Kind],
			Documentation: protocol.MarkupContent{Kind: protocol.Markdown, Value: c.Doc},
			TextEdit:      &protocol.TextEdit{Range: s.rangeOf(snapshot, c.Replace), NewText: c.Text},
		})
	}
	return list
}

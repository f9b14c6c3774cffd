package lsp

import (
	"context"

	"github.com/assent-ls/assent/lsp/convert"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/wire"
)

// didChange follows the editor's text. It must be quick: it is served in order with all other notifications.
func (s *Server) didChange(_ context.Context, params wire.DidChangeParams) error {
	uri := string(params.TextDocument.URI)
	changes := make([]documents.Change, 0, len(params.ContentChanges))
	for _, c := range params.ContentChanges {
		changes = append(changes, convert.FromChange(c))
	}
	if err := s.buffers.Change(uri, params.TextDocument.Version, changes); err != nil {
		return err
	}
	if chat, ok := s.chats.Get(uri); ok {
		if chat.Changed() {
			s.diagnostics.mark(uri)
			s.state.urge()
		} else {
			s.state.mark()
			s.diagnostics.typed(uri)
		}
		return nil
	}
	if _, _, ok := s.configs.Find(uri); ok || s.reviews.HasHints(uri) {
		s.diagnostics.typed(uri)
	}
	s.chats.Recheck()
	return nil
}

package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// didClose gives a document back to the disk. A run in it stops at the next safe point; its text is in the journal.
func (s *Server) didClose(ctx context.Context, params protocol.DidCloseTextDocumentParams) error {
	uri := string(params.TextDocument.URI)
	s.chats.Close(uri)
	s.lenses.forget(uri)
	s.hints.forget(uri)
	s.configs.Close(uri)
	s.buffers.Close(uri)
	s.state.mark()
	if s.reviews.HasHints(uri) {
		s.diagnostics.mark(uri)
		return nil
	}
	return s.client.PublishDiagnostics(params.TextDocument.URI, 0, nil)
}

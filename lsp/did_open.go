package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
)

// didOpen takes a document over from the disk: from now on the editor's text is the truth. Nothing is started.
func (s *Server) didOpen(_ context.Context, params protocol.DidOpenTextDocumentParams) error {
	d := params.TextDocument
	uri := string(d.URI)
	s.buffers.Opened(uri, d.Version, d.Text)
	if path, err := documents.PathOf(uri); err == nil && transcript.IsChat(path) {
		s.chats.Open(uri, path)
	} else if err == nil {
		s.configs.Open(uri, path)
	}
	s.diagnostics.mark(uri)
	s.state.mark()
	s.chats.Recheck()
	return nil
}

package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// didSave lets commands go on that waited for the file, and ends the journal of a chat that is safe on disk now.
func (s *Server) didSave(_ context.Context, params protocol.DidSaveTextDocumentParams) error {
	uri := string(params.TextDocument.URI)
	s.buffers.Saved(uri)
	if chat, ok := s.chats.Get(uri); ok {
		chat.Saved()
		s.finder.Saved(chat.Path())
	}
	if file, _, ok := s.configs.Find(uri); ok {
		s.configs.Saved(file)
		s.sayRestart()
	}
	s.configs.MarkAll() // any file may be one that a server starts
	s.chats.Recheck()
	restartCommands(s, uri)
	return nil
}

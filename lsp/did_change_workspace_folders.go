package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/documents"
)

func (s *Server) didChangeWorkspaceFolders(_ context.Context, params protocol.DidChangeWorkspaceFoldersParams) error {
	for _, f := range params.Event.Removed {
		if path, err := documents.PathOf(f.URI); err == nil {
			s.folders.remove(path)
		}
	}
	for _, f := range params.Event.Added {
		if path, err := documents.PathOf(f.URI); err == nil {
			s.folders.add(path)
		}
	}
	return nil
}

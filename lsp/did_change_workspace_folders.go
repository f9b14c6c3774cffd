package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

func (s *Server) didChangeWorkspaceFolders(_ context.Context, params protocol.DidChangeWorkspaceFoldersParams) error {
	for _, f := range params.Event.Removed {
		if path, ok := filePath(protocol.DocumentURI(f.URI)); ok {
			s.folders.remove(path)
		}
	}
	for _, f := range params.Event.Added {
		if path, ok := filePath(protocol.DocumentURI(f.URI)); ok {
			s.folders.add(path)
		}
	}
	return nil
}

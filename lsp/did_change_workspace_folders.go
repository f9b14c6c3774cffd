package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

func (s *Server) didChangeWorkspaceFolders(_ context.Context, params protocol.DidChangeWorkspaceFoldersParams) error {
	s.folders.remove(params.Event.Removed)
	s.folders.add(params.Event.Added)
	s.reopenConfigs()
	return nil
}

package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

func (s *Server) didChangeWorkspaceFolders(_ context.Context, params protocol.DidChangeWorkspaceFoldersParams) error {
	s.folders.remove(params.Event.Removed)
	s.folders.add(params.Event.Added)
	s.reopenConfigs()
	s.forgetChanges()
	s.tasks.Go(s.sendWaitingChanges)
	return nil
}

package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

func (s *Server) didChangeWorkspaceFolders(_ context.Context, params protocol.DidChangeWorkspaceFoldersParams) error {
	s.folders.Remove(params.Event.Removed)
	s.folders.Add(params.Event.Added)
	s.configs.Reopen()
	s.reviews.ForgetGone()
	s.tasks.Go(s.reviews.SendWaiting)
	return nil
}

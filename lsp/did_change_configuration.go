package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/lsp/wire"
)

// didChangeConfiguration takes the editor's settings; what is wrong in them is said and the last good value stays.
func (s *Server) didChangeConfiguration(_ context.Context, params wire.DidChangeConfigurationParams) error {
	if notNull(params.Settings) == nil {
		s.tasks.Go(func() { pullSettings(s) }) // an editor that wants to be asked
		return nil
	}
	s.complain(s.Settings.Set(settings.Editor, settings.Section(params.Settings)))
	return nil
}

// complain shows the user what of the settings was not used, once for each start.
func (s *Server) complain(problems []settings.Problem) {
	for _, p := range problems {
		s.Log.Warn("a setting was not used", "problem", p.String())
		s.mu.Lock()
		again := s.warned[p.String()]
		s.warned[p.String()] = true
		s.mu.Unlock()
		if again {
			continue
		}
		if err := s.client.ShowMessage(s.ctx, protocol.MessageTypeWarning, p.String()); err != nil {
			s.Log.Info("a message was not shown", "error", err)
		}
	}
}

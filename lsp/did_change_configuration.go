package lsp

import (
	"context"
	"errors"

	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/lsp/wire"
)

// didChangeConfiguration takes the editor's settings; what is wrong in them is said and the last good value stays.
func (s *Server) didChangeConfiguration(_ context.Context, params wire.DidChangeConfigurationParams) error {
	if notNull(params.Settings) == nil {
		s.tasks.Go(func() { // an editor that wants to be asked
			pullSettings(s)
			s.sayRestart()
		})
		return nil
	}
	s.complain(s.Settings.Set(settings.Editor, settings.Section(params.Settings)))
	s.sayRestart()
	return nil
}

// pullSettings takes the settings of an editor that is asked for them.
func pullSettings(s *Server) {
	raw, err := s.client.Configuration(s.ctx, "assent")
	if errors.Is(err, wire.ErrUnsupported) {
		return
	}
	if err != nil {
		s.Log.Info("the editor did not give its settings", "error", err)
		return
	}
	s.complain(s.Settings.Set(settings.Editor, notNull(raw)))
}

// notNull returns JSON without null, which stands for no settings.
func notNull(raw []byte) []byte {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

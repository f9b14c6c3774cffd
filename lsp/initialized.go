package lsp

import (
	"context"
	"errors"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/settings"
)

// initialized asks for the editor's settings, in the background: an editor that never answers holds nothing up.
func (s *Server) initialized(context.Context, protocol.InitializedParams) error {
	s.tasks.Go(func() {
		s.pullSettings()
		if s.client.Capabilities().Workspace.DidChangeConfiguration.DynamicRegistration {
			const method = "workspace/didChangeConfiguration"
			err := s.client.RegisterCapability(s.ctx, protocol.Registration{ID: method, Method: method})
			if err != nil {
				s.Log.Info("changes of settings are not reported", "error", err)
			}
		}
	})
	return nil
}

// pullSettings takes the settings of an editor that is asked for them.
func (s *Server) pullSettings() {
	raw, err := s.client.Configuration(s.ctx, "assent")
	if errors.Is(err, ErrUnsupported) {
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

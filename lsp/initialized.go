package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// initialized asks for the editor's settings, in the background: an editor that never answers holds nothing up.
func (s *Server) initialized(context.Context, protocol.InitializedParams) error {
	s.state.mark()
	s.tasks.Go(func() {
		pullSettings(s)
		s.begun()
		s.reviews.SendWaiting()
		register(s)
	})
	return nil
}

// register registers for what a client gives only then, and for what concerns chats alone where the client can tell
// them from other files.
func register(s *Server) {
	caps := s.client.Capabilities()
	var all []protocol.Registration
	add := func(method string, options any) {
		all = append(all, protocol.Registration{ID: method, Method: method, RegisterOptions: options})
	}
	if caps.Workspace.DidChangeConfiguration.DynamicRegistration {
		// Alone, since a client that refuses one registration refuses all of its request.
		registerAll(
			s,
			protocol.Registration{ID: "workspace/didChangeConfiguration", Method: "workspace/didChangeConfiguration"},
		)
	}
	if caps.TextDocument.Rename.DynamicRegistration {
		add(
			"textDocument/rename",
			map[string]any{"documentSelector": onlyChats(), "prepareProvider": caps.TextDocument.Rename.PrepareSupport},
		)
	}
	if caps.TextDocument.CodeLens.DynamicRegistration {
		add("textDocument/codeLens", map[string]any{"documentSelector": onlyChats()})
	}
	if types := legend(s); len(types) > 0 && caps.TextDocument.SemanticTokens.DynamicRegistration {
		options := newSemanticTokensOptions(types)
		options.DocumentSelector = onlyChats()
		add("textDocument/semanticTokens", options)
	}
	if len(all) > 0 {
		registerAll(s, all...)
	}
}

func registerAll(s *Server, all ...protocol.Registration) {
	if err := s.client.RegisterCapability(s.ctx, all...); err != nil {
		s.Log.Info("the editor did not take a registration", "error", err)
	}
}

// onlyChats selects chat documents.
func onlyChats() []map[string]string {
	return []map[string]string{{"scheme": "file", "pattern": "**/*.chat.md"}}
}

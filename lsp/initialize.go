package lsp

import (
	"cmp"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/convert"
	"github.com/assent-ls/assent/lsp/wire"
)

// introduction says what this server can do.
func introduction(s *Server) wire.InitializeResult {
	var names []string
	for _, c := range Commands() {
		names = append(names, c.Name)
	}
	caps := s.client.Capabilities()
	introduction := wire.InitializeResult{
		ServerInfo: &protocol.ServerInfo{Name: "assent", Version: s.Version},
		Capabilities: wire.ServerCapabilities{
			PositionEncoding:  s.store.Encoding(),
			InlayHintProvider: true,
			ServerCapabilities: protocol.ServerCapabilities{
				TextDocumentSync: protocol.TextDocumentSyncOptions{
					OpenClose: true, Change: protocol.TextDocumentSyncKindIncremental, Save: &protocol.SaveOptions{
						IncludeText: false,
					},
				},
				CodeActionProvider: &protocol.CodeActionOptions{
					CodeActionKinds: []protocol.CodeActionKind{convert.ActionKind},
				},
				CompletionProvider:      &protocol.CompletionOptions{TriggerCharacters: []string{`"`, "@", "/", "{"}},
				DocumentLinkProvider:    &protocol.DocumentLinkOptions{ResolveProvider: true},
				DocumentSymbolProvider:  true,
				FoldingRangeProvider:    true,
				HoverProvider:           true,
				WorkspaceSymbolProvider: true,
				ExecuteCommandProvider:  &protocol.ExecuteCommandOptions{Commands: names},
				Workspace: &protocol.ServerCapabilitiesWorkspace{WorkspaceFolders: &protocol.ServerCapabilitiesWorkspaceFolders{
					Supported: true, ChangeNotifications: true,
				}},
			},
		},
	}
	if rename := caps.TextDocument.Rename; !rename.DynamicRegistration {
		introduction.Capabilities.RenameProvider = true
		if rename.PrepareSupport {
			introduction.Capabilities.RenameProvider = &protocol.RenameOptions{PrepareProvider: true}
		}
	}
	introduction.Capabilities.InlineCompletion = len(caps.TextDocument.Inline) > 0 &&
		s.Settings.Get().CompleteModel != ""
	if !caps.TextDocument.CodeLens.DynamicRegistration {
		introduction.Capabilities.CodeLensProvider = &protocol.CodeLensOptions{}
	}
	if types := legend(s); len(types) > 0 && !caps.TextDocument.SemanticTokens.DynamicRegistration {
		introduction.Capabilities.SemanticTokensProvider = newSemanticTokensOptions(types)
	}
	return introduction
}

// clientName is how a chat's lock names this editor to another process.
func clientName(info protocol.ClientInfo) string {
	return cmp.Or(strings.TrimSpace(info.Name+" "+info.Version), "an editor")
}

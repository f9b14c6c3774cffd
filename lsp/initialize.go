package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/settings"
)

// actionKind is the kind of every code action: "fix all" and "source" actions of editors never run one unseen.
const actionKind protocol.CodeActionKind = "quickfix.assent"

func (s *Server) initialize(ctx context.Context, params InitializeParams) (InitializeResult, error) {
	encoding := ChooseEncoding(params.Capabilities.General.PositionEncodings)
	s.complain(s.Settings.Set(settings.Options, settings.Section(params.InitializationOptions)))
	if s.Settings.Get().AssumeEdits {
		s.client.assumeEdits()
	}
	if err := s.build(documents.Encoding(encoding), params.ClientInfo.Name); err != nil {
		return InitializeResult{}, err
	}
	s.State.SetOwner(clientName(params.ClientInfo))
	for _, f := range params.Folders() {
		if path, err := documents.PathOf(f.URI); err == nil {
			s.folders.add(path)
		}
	}
	var names []string
	for _, c := range Commands() {
		names = append(names, c.Name)
	}
	return InitializeResult{
		ServerInfo: &protocol.ServerInfo{Name: "assent", Version: s.Version},
		Capabilities: ServerCapabilities{
			PositionEncoding: encoding,
			ServerCapabilities: protocol.ServerCapabilities{
				TextDocumentSync: protocol.TextDocumentSyncOptions{
					OpenClose: true, Change: protocol.TextDocumentSyncKindIncremental, Save: &protocol.SaveOptions{IncludeText: false},
				},
				CodeActionProvider:     &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{actionKind}},
				DocumentSymbolProvider: true,
				FoldingRangeProvider:   true,
				HoverProvider:          true,
				ExecuteCommandProvider: &protocol.ExecuteCommandOptions{Commands: names},
				Workspace: &protocol.ServerCapabilitiesWorkspace{WorkspaceFolders: &protocol.ServerCapabilitiesWorkspaceFolders{
					Supported: true, ChangeNotifications: true,
				}},
			},
		},
	}, nil
}

// clientName is how a chat's lock names this editor to another process.
func clientName(info protocol.ClientInfo) string {
	name := strings.TrimSpace(info.Name + " " + info.Version)
	if name == "" {
		return "an editor"
	}
	return name
}

package lsp

import (
	"context"
	"time"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/documents"
)

const (
	symbolTime = 2 * time.Second // for reading the chats of all folders
	maxSymbols = 500
)

// workspaceSymbol finds chats and the questions in them: those that are open, as they are, and those on disk in the
// open folders. Behind these are turns of chats there that are not open, in which the query was said.
func (s *Server) workspaceSymbol(
	ctx context.Context, params protocol.WorkspaceSymbolParams,
) ([]protocol.SymbolInformation, error) {
	ctx, cancel := context.WithTimeout(ctx, symbolTime)
	defer cancel()
	found := features.Symbols(s.chats, params.Query)
	isOpen := func(path string) bool {
		_, ok := s.chats.Get(documents.URIOf(path))
		return ok
	}
	for _, at := range s.folders.All() {
		if at.Workspace == nil {
			continue
		}
		list, err := session.ChatSymbols(ctx, at.Workspace, at.Folder, params.Query, isOpen)
		if err != nil {
			s.Log.Info("not all chats were searched", "error", err)
		}
		found = append(found, list...)
	}
	found = append(found, s.finder.Symbols(ctx, params.Query, found)...)
	out := []protocol.SymbolInformation{}
	for _, f := range found[:min(len(found), maxSymbols)] {
		at := protocol.Position{Line: uint32(f.Line)}
		kind := protocol.SymbolKindFile
		if f.Chat != "" {
			kind = protocol.SymbolKindString
		}
		out = append(out, protocol.SymbolInformation{
			Name: f.Name, Kind: kind, ContainerName: f.Chat,
			Location: protocol.Location{
				URI: protocol.DocumentURI(documents.URIOf(f.Path)), Range: protocol.Range{Start: at, End: at},
			},
		})
	}
	return out, nil
}

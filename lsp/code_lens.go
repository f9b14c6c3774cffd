package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/ext"
)

// codeLens shows above lines of a chat what can be done there.
func (s *Server) codeLens(_ context.Context, params protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	chat, snapshot, ok := s.opened(params.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	out := []protocol.CodeLens{}
	for _, lens := range features.Lenses(chat) {
		at := s.rangeOf(snapshot, lens.Span)
		action := toAction(lens.Action, ext.Target{URI: chat.URI(), Position: new(ext.Position(at.Start))})
		out = append(out, protocol.CodeLens{Range: at, Command: action.Command})
	}
	return out, nil
}

// refreshLenses makes the editor ask again when other lenses are there, without a change of the document.
func (s *Server) refreshLenses(chat *chats.Chat) {
	if !s.client.Capabilities().Workspace.CodeLens.RefreshSupport {
		return
	}
	var now strings.Builder
	for _, lens := range features.Lenses(chat) {
		now.WriteString(lens.Action.Command + " " + lens.Action.ID + "\n")
	}
	s.lenses.show(chat.URI(), now.String())
}

package lsp

import (
	"context"
	"errors"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/wire"
)

// prepareRename says where the title of a chat can be changed; elsewhere, and in other documents, nothing can.
func (s *Server) prepareRename(
	_ context.Context, params protocol.PrepareRenameParams,
) (*wire.PrepareRenamePlaceholder, error) {
	chat, snapshot, ok := s.opened(params.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	title, at, ok := features.TitleAt(chat, s.offsetOf(snapshot, params.Position))
	if !ok {
		return nil, nil
	}
	return &wire.PrepareRenamePlaceholder{Range: s.rangeOf(snapshot, at), Placeholder: title}, nil
}

// rename gives a chat a title: the line `title:` of its front matter.
func (s *Server) rename(_ context.Context, params protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	chat, snapshot, ok := s.opened(params.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	if _, _, ok := features.TitleAt(chat, s.offsetOf(snapshot, params.Position)); !ok {
		return nil, errors.New(
			"nothing here has a name: the title of a chat is changed in its front matter, " +
				"or on a heading such as `## You`",
		)
	}
	at, text, err := features.Retitle(chat, params.NewName)
	if err != nil {
		return nil, err
	}
	edit := s.client.WorkspaceEdit(
		params.TextDocument.URI, snapshot.Version, protocol.TextEdit{Range: s.rangeOf(snapshot, at), NewText: text},
	)
	return &edit, nil
}

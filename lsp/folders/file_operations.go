package folders

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/wire"
	"github.com/assent-ls/assent/tools/workspace"
)

// forcesClose names clients that close the buffer of a file that they delete also if somebody has typed into it
// meanwhile: the disk is changed instead, and their users decide about the buffer.
var forcesClose = map[string]bool{"Neovim": true}

// Delete implements workspace.Buffers.
func (b *Buffers) Delete(ctx context.Context, abs string) error {
	if forcesClose[b.client.Info().Name] {
		return workspace.ErrNoFileOperations
	}
	return b.fileOperation(ctx, abs, protocol.DeleteResourceOperation, func(uri protocol.DocumentURI) any {
		return protocol.DeleteFile{Kind: protocol.DeleteResourceOperation, URI: uri}
	})
}

// Move implements workspace.Buffers.
func (b *Buffers) Move(ctx context.Context, from, to string) error {
	return b.fileOperation(ctx, from, protocol.RenameResourceOperation, func(uri protocol.DocumentURI) any {
		return protocol.RenameFile{
			Kind: protocol.RenameResourceOperation, OldURI: uri, NewURI: protocol.DocumentURI(documents.URIOf(to)),
		}
	})
}

// fileOperation has the editor change the file of an open document that is as it was last reported.
func (b *Buffers) fileOperation(
	ctx context.Context, abs string, kind protocol.ResourceOperationKind, operation func(protocol.DocumentURI) any,
) error {
	caps := b.client.Capabilities().Workspace
	if !caps.ApplyEdit || !caps.WorkspaceEdit.DocumentChanges ||
		!slices.Contains(caps.WorkspaceEdit.ResourceOperations, string(kind)) {
		return workspace.ErrNoFileOperations
	}
	s, ok := b.Find(abs)
	if !ok {
		return errNotOpen
	}
	ctx, cancel := context.WithTimeout(ctx, editLimit)
	defer cancel()
	answer, err := b.client.ApplyFileOperation(ctx, s, operation(protocol.DocumentURI(s.URI)))
	switch {
	case errors.Is(err, wire.ErrRefused):
		return err
	case err != nil:
		return b.unknown(s.URI, err)
	case !answer.Applied:
		return fmt.Errorf("it refused: %s", answer.FailureReason)
	}
	return nil
}

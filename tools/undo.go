package tools

import (
	"context"
	"fmt"

	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/workspace"
)

// UndoEdit undoes one edit by itself, in the open buffer or on disk, also after other edits. A file that the edit created is
// emptied: deleting it is left to its user. The error is a sentence for the user; it wraps edit.ErrGone
// if the place was changed since.
func UndoEdit(ctx context.Context, ws *workspace.Workspace, reads *ReadSet, u Undo) error {
	p, err := ws.Resolve(u.Path)
	if err != nil {
		return fmt.Errorf("take the edit back: %w", err)
	}
	if !p.Exists {
		return fmt.Errorf("take the edit back: %w", ws.Missing(ctx, p.Rel))
	}
	f, err := readText(ctx, ws, p)
	if err != nil {
		return fmt.Errorf("take the edit back: %w", err)
	}
	text, err := edit.Revert(f.Text, u.Hunk)
	if err != nil {
		return fmt.Errorf("take the edit of %q back: %w", p.Rel, err)
	}
	if err := ws.Replace(ctx, p, &f.Text, text); err != nil {
		return fmt.Errorf("take the edit of %q back: %w", p.Rel, err)
	}
	reads.MarkRead(p.Abs, text)
	return nil
}

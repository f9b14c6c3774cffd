package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/paths"
	"github.com/assent-ls/assent/tools/workspace"
)

// UndoEdit undoes what one call did by itself, in open buffers or on disk, also after other edits. A file that the call
// created is emptied: deleting it is left to its user. If a place was changed since, nothing is done, and the error
// wraps edit.ErrGone. Errors are sentences for the user, and name what was undone if not all was.
func UndoEdit(ctx context.Context, ws *workspace.Workspace, reads *ReadSet, u Undo) error {
	steps := make([]undoing, 0, len(u.Files))
	for _, file := range slices.Backward(u.Files) {
		step, err := planUndo(ctx, ws, file)
		if err != nil {
			return fmt.Errorf("take the edit back: %w", err)
		}
		steps = append(steps, step)
	}
	var done []string
	for _, step := range steps {
		if err := step.do(ctx); err != nil {
			err = fmt.Errorf("take the edit of %q back: %w", step.rel, err)
			if len(done) > 0 {
				err = fmt.Errorf("%w (taken back before that: %s)", err, strings.Join(done, ", "))
			}
			return err
		}
		reads.MarkChanged(step.abs, step.before, step.text)
		done = append(done, step.rel)
	}
	return nil
}

// undoing is what undoes the changes of one file: it holds before, and afterwards text.
type undoing struct {
	rel, abs, before, text string
	do                     func(context.Context) error
}

func planUndo(ctx context.Context, ws *workspace.Workspace, u FileUndo) (undoing, error) {
	p, err := ws.Resolve(u.Path)
	if err != nil {
		return undoing{}, err
	}
	if u.Deleted != nil {
		return undoing{
			p.Rel, p.Abs, *u.Deleted, *u.Deleted,
			func(ctx context.Context) error { return ws.Restore(ctx, p, *u.Deleted, u.Mode) },
		}, nil
	}
	if !p.Exists {
		return undoing{}, ws.Missing(ctx, p.Rel)
	}
	if u.MovedFrom != "" {
		return moveBack(ctx, ws, p, u.MovedFrom)
	}
	f, err := paths.ReadText(ctx, ws, p)
	if err != nil {
		return undoing{}, err
	}
	text := f.Text
	for _, h := range slices.Backward(u.Hunks) {
		if text, err = edit.Revert(text, h); err != nil {
			return undoing{}, fmt.Errorf("%q: %w", p.Rel, err)
		}
	}
	return undoing{
		p.Rel, p.Abs, f.Text, text, func(ctx context.Context) error { return ws.Replace(ctx, p, &f.Text, text) },
	}, nil
}

// moveBack moves a file back as it is now.
func moveBack(ctx context.Context, ws *workspace.Workspace, p workspace.Path, from string) (undoing, error) {
	old, err := ws.Resolve(from)
	if err != nil {
		return undoing{}, err
	}
	data, err := ws.ReadDisk(ctx, p)
	if err != nil {
		return undoing{}, err
	}
	text := string(data)
	return undoing{
		p.Rel, old.Abs, text, text, func(ctx context.Context) error { return ws.Move(ctx, p, old, text) },
	}, nil
}

package workspace

import (
	"context"
	"errors"
	"path"
)

// Delete deletes a file that still holds before. ErrChanged: it does not, or the path leads elsewhere. ErrNotApplied: it is open in an
// editor, which would bring it back.
func (w *Workspace) Delete(ctx context.Context, p Path, before string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p, err := w.resolveAgain(p)
	if err != nil {
		return err
	}
	if err := w.Writable(p); err != nil {
		return err
	}
	if _, open := w.buffer(p); open {
		return fail(ErrNotApplied, "%q is open in the editor: close it there first.", p.Rel)
	}
	folder, err := w.openFolder(path.Dir(p.Rel))
	if err != nil {
		return moved(p, err)
	}
	defer folder.Close() //nolint:errcheck // nothing is written in it after the deletion
	if err := stillUnprotected(p, w.childProtection(folder.protection, path.Base(p.Rel), false, nil)); err != nil {
		return err
	}
	f, _, err := folder.openUnchanged(p, before)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Close(), folder.dir.Remove(path.Base(p.Rel))); err != nil {
		return writeError(p, err)
	}
	return nil
}

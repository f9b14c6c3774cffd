package workspace

import (
	"context"
	"errors"
	"path"
)

// Delete deletes a file that still holds before. If it is open in an editor that can delete files, the editor does it
// and closes it. ErrChanged: the file does not hold before, or the path leads elsewhere. ErrUnsaved: it is open with
// changes that are not saved. ErrNotApplied: the editor refused. ErrUnknown: whether the editor did it is not known.
// ErrNotWritable and ErrNotRegular: see Writable.
func (w *Workspace) Delete(ctx context.Context, p Path, before string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer changing(w)()
	p, err := w.resolveAgain(p)
	if err != nil {
		return err
	}
	if err := w.Writable(p); err != nil {
		return err
	}
	if name, _, open := w.openName(p); open {
		if before, err = savedAs(ctx, w, p, before); err != nil {
			return err
		}
		err := w.buffers.Delete(ctx, name)
		if !errors.Is(err, ErrNoFileOperations) {
			return fileOperation(w, p, err, func() bool { return !onDisk(w, p) })
		}
	}
	folder, err := w.openFolder(path.Dir(p.Rel))
	if err != nil {
		return moved(p, err)
	}
	defer folder.Close() //nolint:errcheck // nothing is written in it after the deletion
	return remove(w, folder, p, before)
}

// remove deletes a file in its folder that still holds before.
func remove(w *Workspace, folder opened, p Path, before string) error {
	if err := fileUnprotected(w, folder, p); err != nil {
		return err
	}
	f, info, err := folder.openUnchanged(p, before)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Close(), writable(p, info)); err != nil {
		return err
	}
	if err := folder.dir.Remove(path.Base(p.Rel)); err != nil {
		return writeError(p, err)
	}
	return nil
}

// savedAs is what is on disk of a file that is open, if that is before and nothing is unsaved, up to what an editor
// shows differently.
func savedAs(ctx context.Context, w *Workspace, p Path, before string) (onDisk string, err error) {
	data, err := w.readDisk(ctx, p)
	switch {
	case err == nil && plain(string(data)) != plain(before):
		return "", changed(p)
	case err != nil || !w.Saved(ctx, p):
		return "", Fail(ErrUnsaved, "%q has changes in the editor that are not saved: save it first.", p.Rel)
	}
	return string(data), nil
}

// fileOperation is the outcome of what an editor was asked to do with files; done says whether the disk shows it: that
// an editor says so proves nothing.
func fileOperation(w *Workspace, p Path, err error, done func() bool) error {
	switch {
	case done():
		return nil
	case err == nil:
		return Fail(
			ErrUnknown,
			"The editor said that it did this with %q, but the disk does not show it: "+
				"look at the file before you go on.",
			p.Rel,
		)
	case errors.Is(err, ErrUnknown), errors.Is(err, ErrChanged):
		return err
	}
	return Fail(ErrNotApplied, "The editor did not do this with %q: %v.", p.Rel, err)
}

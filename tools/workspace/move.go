package workspace

import (
	"context"
	"errors"
	"path"
	"path/filepath"
)

// Move gives a file that still holds before another path, where nothing is; missing folders are made. If it is open in
// an editor that can move files, the editor does it. Its mode, owner and attributes are kept as by Replace. Errors are
// those of Delete; ErrChanged also says that something is at the new path.
func (w *Workspace) Move(ctx context.Context, from, to Path, before string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer changing(w)()
	from, err := w.resolveAgain(from)
	if err != nil {
		return err
	}
	to, err = w.resolveAgain(to)
	if err != nil {
		return err
	}
	if err := errors.Join(w.Writable(from), w.Writable(to)); err != nil {
		return err
	}
	if text, open := w.Shown(to); open && plain(text) != plain(before) || onDisk(w, to) {
		return exists(to)
	}
	target, err := w.makeFolder(path.Dir(to.Rel))
	if err != nil {
		return createError(to, err)
	}
	defer target.Close() //nolint:errcheck // every write was closed before
	if err := fileUnprotected(w, target, to); err != nil {
		return err
	}
	if name, _, open := w.openName(from); open {
		if before, err = savedAs(ctx, w, from, before); err != nil {
			return err
		}
		err := w.buffers.Move(ctx, name, nameLike(w, to, name))
		if !errors.Is(err, ErrNoFileOperations) {
			return fileOperation(w, from, err, func() bool { return !onDisk(w, from) && onDisk(w, to) })
		}
	}
	return moveOnDisk(w, from, to, target, before)
}

// nameLike is the name of a path that is like that of an open document: by the root as it was named, or with links
// followed.
func nameLike(w *Workspace, p Path, like string) string {
	if _, ok := below(w.given, like); ok {
		return filepath.Join(w.given, filepath.FromSlash(p.Rel))
	}
	return p.Abs
}

// moveOnDisk copies a file to its new folder and then removes it: a rename would follow a link that was swapped into
// either path.
func moveOnDisk(w *Workspace, from, to Path, target opened, before string) error {
	source, err := w.openFolder(path.Dir(from.Rel))
	if err != nil {
		return moved(from, err)
	}
	defer source.Close() //nolint:errcheck // every write was closed before
	f, _, err := source.openUnchanged(from, before)
	if err != nil {
		return err
	}
	temp, err := target.writeTemp(before, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return writeError(to, err)
	}
	defer target.dir.Remove(temp) //nolint:errcheck // a leftover is no failure of the move
	if err := target.take(temp, to); err != nil {
		return err
	}
	if err := remove(w, source, from, before); err != nil {
		return errors.Join(err, IgnoreMissing(target.dir.Remove(path.Base(to.Rel))))
	}
	return nil
}

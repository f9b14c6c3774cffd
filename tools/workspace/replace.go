package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"unicode/utf8"

	"github.com/assent-ls/assent/tools/workspace/tree"
)

// Replace changes the whole text of a file from before to after; before nil means that it must not exist yet (missing
// folders are made). An open buffer is changed through the editor, else the disk is written atomically; its mode,
// extended attributes and access list are kept, and its owner as far as the user may. ErrChanged: the text is not
// before any more, or the path leads elsewhere. ErrNotApplied: the editor did not take the change. ErrUnknown: whether
// it did is not known. ErrNotWritable, ErrNotRegular and ErrTooLarge: see Writable and MaxFile.
func (w *Workspace) Replace(ctx context.Context, p Path, before *string, after string) error {
	return w.replace(ctx, p, before, after, 0)
}

// Restore makes a file again that was deleted, with the mode that it had (0: that of a new file). It is Replace for a
// file that must not exist.
func (w *Workspace) Restore(ctx context.Context, p Path, text string, mode fs.FileMode) error {
	return w.replace(ctx, p, nil, text, mode)
}

func (w *Workspace) replace(ctx context.Context, p Path, before *string, after string, mode fs.FileMode) error {
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
	if len(after) > MaxFile {
		return tooLarge(p, int64(len(after)))
	}
	if name, text, open := w.openName(p); open {
		if before == nil && text != "" && plain(text) == plain(after) && !onDisk(w, p) {
			return create(w, p, after, mode) // the file was deleted, and the editor shows it still
		}
		return replaceBuffer(ctx, w, p, name, text, before, after)
	}
	if before == nil {
		return create(w, p, after, mode)
	}
	return overwrite(w, p, *before, after)
}

func replaceBuffer(ctx context.Context, w *Workspace, p Path, name, text string, before *string, after string) error {
	switch {
	case before == nil && (text != "" || onDisk(w, p)):
		return exists(p)
	case before != nil && text != *before:
		return changed(p)
	case !utf8.ValidString(after): // an editor would show, and save, other bytes
		return Fail(
			ErrNotApplied,
			"%q would hold bytes that are no text, which cannot be put into an editor: close the file there first.",
			p.Rel,
		)
	}
	err := w.buffers.Replace(ctx, name, text, after)
	if err == nil || errors.Is(err, ErrChanged) || errors.Is(err, ErrNotApplied) || errors.Is(err, ErrUnknown) {
		return err
	}
	return fmt.Errorf("%q was %w: %w", p.Rel, ErrNotApplied, err)
}

func exists(p Path) error { return Fail(ErrChanged, "%q exists already.", p.Rel) }

func changed(p Path) error {
	return Fail(ErrChanged, "%q changed meanwhile: read it again.", p.Rel)
}

// onDisk says whether a resolved path exists on disk.
func onDisk(w *Workspace, p Path) bool {
	_, err := w.dir.Lstat(p.Rel)
	return err == nil
}

// create writes a file that must not exist.
func create(w *Workspace, p Path, text string, mode fs.FileMode) error {
	if onDisk(w, p) {
		return exists(p)
	}
	folder, err := w.makeFolder(path.Dir(p.Rel))
	if err != nil {
		return createError(p, err)
	}
	defer folder.Close() //nolint:errcheck // every write was closed before
	if err := fileUnprotected(w, folder, p); err != nil {
		return err
	}
	temp, err := folder.writeTemp(text, nil)
	if err != nil {
		return writeError(p, err)
	}
	defer folder.dir.Remove(temp) //nolint:errcheck // a leftover is no failure of the edit
	if mode = mode.Perm(); mode != 0 {
		if err := folder.dir.Chmod(temp, mode); err != nil {
			return writeError(p, err)
		}
	}
	return folder.take(temp, p)
}

// take gives a file that was written its name, which must be free.
func (o opened) take(temp string, p Path) error {
	err := o.dir.Take(temp, path.Base(p.Rel))
	switch {
	case errors.Is(err, fs.ErrExist):
		return exists(p)
	case err != nil:
		return writeError(p, err)
	}
	return nil
}

func createError(p Path, err error) error {
	if errors.Is(err, tree.ErrSwapped) {
		return changed(p)
	}
	return fmt.Errorf("the folder of %q cannot be made: %w", p.Rel, Cause(err))
}

func writeError(p Path, err error) error {
	return fmt.Errorf("%q cannot be written: %w", p.Rel, Cause(err))
}

// overwrite changes a file on disk that still holds before.
func overwrite(w *Workspace, p Path, before, after string) error {
	folder, err := w.openFolder(path.Dir(p.Rel))
	if err != nil {
		return moved(p, err)
	}
	defer folder.Close() //nolint:errcheck // every write was closed before
	if err := fileUnprotected(w, folder, p); err != nil {
		return err
	}
	f, info, err := folder.openUnchanged(p, before)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	if err := writable(p, info); err != nil {
		return err
	}
	temp, err := folder.writeTemp(after, f)
	if err != nil {
		return writeError(p, err)
	}
	// Writing took a while: look again right before the rename.
	again, now, err := folder.openUnchanged(p, before)
	if err == nil {
		err = again.Close()
	}
	if err != nil || Identity(now) != Identity(info) {
		return errors.Join(changed(p), IgnoreMissing(folder.dir.Remove(temp)))
	}
	if err := folder.dir.Rename(temp, path.Base(p.Rel)); err != nil {
		return errors.Join(writeError(p, err), IgnoreMissing(folder.dir.Remove(temp)))
	}
	return nil
}

// moved says why a file that was there cannot be opened.
func moved(p Path, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, tree.ErrSwapped) || errors.Is(err, ErrNotRegular) {
		return changed(p)
	}
	return fmt.Errorf("%q cannot be read: %w", p.Rel, Cause(err))
}

// openUnchanged opens a file that holds a text, and nothing else.
func (o opened) openUnchanged(p Path, text string) (tree.File, fs.FileInfo, error) {
	f, info, err := o.file(path.Base(p.Rel))
	if err != nil {
		return nil, nil, moved(p, err)
	}
	data, err := readAll(p, f, info)
	if err == nil && string(data) != text {
		err = changed(p)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// writeTemp writes a new file with the mode, owner and attributes of like (nil: of a new file), and returns its name.
func (o opened) writeTemp(text string, like tree.File) (name string, err error) {
	mode := fs.FileMode(0o666) // less the user's own mask
	if like != nil {
		mode = 0o600 // until it has the right one
	}
	name = ".assent-" + rand.Text() + ".tmp"
	f, err := o.dir.Create(name, mode)
	if err != nil {
		return "", err
	}
	if like != nil {
		err = f.Like(like)
	}
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, IgnoreMissing(o.dir.Remove(name)))
	}
	return name, nil
}

func IgnoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

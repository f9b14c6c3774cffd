package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// Replace changes the whole text of a file from before to after; before nil means that it must not exist yet (missing
// folders are made). An open buffer is changed through the editor, else the disk is written atomically, its mode kept.
// ErrChanged: the text is not before any more, or the path leads elsewhere. ErrNotApplied: the editor did not take the
// change. ErrUnknown: nobody can tell whether it did. ErrNotWritable, ErrNotRegular and ErrTooLarge: see Writable and MaxFile.
func (w *Workspace) Replace(ctx context.Context, p Path, before *string, after string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p, err := w.again(p)
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
		return w.replaceBuffer(ctx, p, name, text, before, after)
	}
	if before == nil {
		return w.create(p, after)
	}
	return w.overwrite(p, *before, after)
}

func (w *Workspace) replaceBuffer(ctx context.Context, p Path, name, text string, before *string, after string) error {
	switch {
	case before == nil && (text != "" || w.onDisk(p)):
		return exists(p)
	case before != nil && text != *before:
		return changed(p)
	}
	err := w.buffers.Replace(ctx, name, text, after)
	if err == nil || errors.Is(err, ErrChanged) || errors.Is(err, ErrNotApplied) || errors.Is(err, ErrUnknown) {
		return err
	}
	return fmt.Errorf("%q was %w: %w", p.Rel, ErrNotApplied, err)
}

func exists(p Path) error { return fail(ErrChanged, "%q exists already.", p.Rel) }

func changed(p Path) error {
	return fail(ErrChanged, "%q changed meanwhile: read it again.", p.Rel)
}

// onDisk says whether a resolved path exists on disk.
func (w *Workspace) onDisk(p Path) bool {
	_, err := w.dir.Lstat(p.Rel)
	return err == nil
}

// create writes a file that must not exist.
func (w *Workspace) create(p Path, text string) error {
	if w.onDisk(p) {
		return exists(p)
	}
	if err := w.dir.MkdirAll(path.Dir(p.Rel), 0o755); err != nil {
		return fmt.Errorf("the folder of %q cannot be made: %w", p.Rel, cause(err))
	}
	temp, err := w.writeTemp(p, text, nil)
	if err != nil {
		return err
	}
	defer w.dir.Remove(temp) //nolint:errcheck // a leftover is no failure of the edit
	// A link takes the name only if it is free, which a rename would not.
	err = w.dir.Link(temp, p.Rel)
	switch {
	case errors.Is(err, fs.ErrExist):
		return exists(p)
	case err == nil:
		return nil
	}
	// The file system has no links: the name is taken first, and then what was written put there.
	f, err := w.dir.OpenFile(p.Rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return exists(p)
	}
	if err != nil {
		return fmt.Errorf("%q cannot be written: %w", p.Rel, cause(err))
	}
	if err := errors.Join(f.Close(), w.dir.Rename(temp, p.Rel)); err != nil {
		return fmt.Errorf("%q cannot be written: %w", p.Rel, cause(err))
	}
	return nil
}

// overwrite changes a file on disk that still holds before.
func (w *Workspace) overwrite(p Path, before, after string) error {
	data, info, err := w.readDisk(p)
	if errors.Is(err, ErrNotFound) || err == nil && string(data) != before {
		return changed(p)
	}
	if err != nil {
		return err
	}
	temp, err := w.writeTemp(p, after, info)
	if err != nil {
		return err
	}
	// Writing took a while: look again right before the name changes hands.
	data, now, err := w.readDisk(p)
	if err != nil || string(data) != before || identity(now) != identity(info) {
		return errors.Join(changed(p), ignoreMissing(w.dir.Remove(temp)))
	}
	if err := w.dir.Rename(temp, p.Rel); err != nil {
		return errors.Join(fmt.Errorf("%q cannot be written: %w", p.Rel, cause(err)), ignoreMissing(w.dir.Remove(temp)))
	}
	return nil
}

// writeTemp writes a new file beside p, with the mode and owner of like (nil: of a new file), and returns its name.
func (w *Workspace) writeTemp(p Path, text string, like fs.FileInfo) (name string, err error) {
	mode := fs.FileMode(0o666) // less the user's own mask
	name = path.Join(path.Dir(p.Rel), ".assent-"+rand.Text()+".tmp")
	f, err := w.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", fmt.Errorf("%q cannot be written: %w", p.Rel, cause(err))
	}
	if like != nil {
		keepOwner(f, like)
		err = f.Chmod(like.Mode())
	}
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("%q cannot be written: %w", p.Rel, cause(err)), ignoreMissing(w.dir.Remove(name)))
	}
	return name, nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

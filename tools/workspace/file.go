package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/assent-ls/assent/tools/workspace/tree"
)

// MaxFile is the largest file that is read or written, in bytes.
const MaxFile = 10 << 20

// File is the text of a file as the user sees it: the open buffer if there is one, else what is on disk.
type File struct {
	Text   string // as it is, line ends included; empty if Binary
	Buffer bool   // from an open buffer
	Binary bool   // holds NUL or is not UTF-8
	Data   []byte // what a binary file holds
	Size   int64  // in bytes
}

// Content is all that the file holds, whatever it is.
func (f File) Content() string {
	if f.Binary {
		return string(f.Data)
	}
	return f.Text
}

// Read returns a file's text. ErrNotFound, ErrNotRegular, ErrTooLarge and ErrChanged (the path leads elsewhere now)
// say what went wrong.
func (w *Workspace) Read(ctx context.Context, p Path) (File, error) {
	if err := ctx.Err(); err != nil {
		return File{}, err
	}
	p, err := w.resolveAgain(p)
	if err != nil {
		return File{}, err
	}
	if p.Dir {
		return File{}, Fail(ErrNotRegular, "%q is a folder, not a file.", p.Rel)
	}
	if text, open := w.Shown(p); open {
		if len(text) > MaxFile {
			return File{}, tooLarge(p, int64(len(text)))
		}
		return newFile([]byte(text), true), nil
	}
	data, err := w.readDisk(ctx, p)
	if err != nil {
		return File{}, err
	}
	return newFile(data, false), nil
}

func newFile(data []byte, buffer bool) File {
	f := File{Buffer: buffer, Size: int64(len(data))}
	if f.Binary = !IsText(data); f.Binary {
		f.Data = data
	} else {
		f.Text = string(data)
	}
	return f
}

// resolveAgain resolves a path anew: a link that was put in its way since must not be followed unseen.
func (w *Workspace) resolveAgain(p Path) (Path, error) {
	if err := checkCharacters(p.Rel); err != nil {
		return Path{}, err
	}
	now, err := w.at(p.Rel, p.Rel) // not Resolve: a new file may be named as the workspace is
	if err != nil {
		return Path{}, err
	}
	if now.Rel != path.Clean(p.Rel) {
		return Path{}, Fail(ErrChanged, "%q leads to %q now: look at it again.", p.Rel, now.Rel)
	}
	if now.Protected != "" && p.Protected == "" {
		return Path{}, Fail(ErrChanged, "%s Look at it again.", now.Protected)
	}
	now.Asked, now.named = p.Asked, p.named
	return now, nil
}

// readDisk returns what is on disk under a resolved path.
func (w *Workspace) readDisk(ctx context.Context, p Path) ([]byte, error) {
	folder, err := w.openFolder(path.Dir(p.Rel))
	if err != nil {
		return nil, w.openError(ctx, p, err)
	}
	defer folder.Close() //nolint:errcheck // only read
	if err := fileUnprotected(w, folder, p); err != nil {
		return nil, err
	}
	f, info, err := folder.file(path.Base(p.Rel))
	if err != nil {
		return nil, w.openError(ctx, p, err)
	}
	defer f.Close() //nolint:errcheck // only read
	return readAll(p, f, info)
}

// readAll reads an open file.
func readAll(p Path, f tree.File, info fs.FileInfo) ([]byte, error) {
	if info.Size() > MaxFile {
		return nil, tooLarge(p, info.Size())
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%q cannot be read: %w", p.Rel, Cause(err))
	}
	if len(data) > MaxFile {
		return nil, tooLarge(p, int64(len(data)))
	}
	return data, nil
}

// openError says why a resolved path could not be opened.
func (w *Workspace) openError(ctx context.Context, p Path, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return w.Missing(ctx, p.Rel)
	case errors.Is(err, tree.ErrSwapped):
		return Fail(ErrChanged, "%q leads elsewhere now: look at it again.", p.Rel)
	case errors.Is(err, ErrNotRegular):
		return Fail(ErrNotRegular, "%q is not a regular file.", p.Rel)
	}
	return fmt.Errorf("%q cannot be read: %w", p.Rel, Cause(err))
}

func tooLarge(p Path, size int64) error {
	return Fail(ErrTooLarge, "%q has %d MB: files of up to %d MB can be used.", p.Rel, (size+1<<20-1)>>20, MaxFile>>20)
}

// Writable says why a file cannot be written, or nil: it is a folder, read-only, a hard link, whose other name may lie
// outside, or a document that Buffers.Frozen holds back. A file that does not exist is writable. Errors wrap
// ErrNotWritable or ErrNotRegular.
func (w *Workspace) Writable(p Path) error {
	if p.Rel == "." || p.Dir {
		return Fail(ErrNotRegular, "%q is a folder, not a file.", p.Rel)
	}
	if name, _, open := w.openName(p); open && w.buffers.Frozen(name) {
		return Fail(
			ErrNotWritable,
			"The editor did not say what became of an edit of %q, so it is not changed now: "+
				"the user has to look at it, and to save it.",
			p.Rel,
		)
	}
	info, err := w.dir.Lstat(p.Rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%q cannot be written: %w", p.Rel, Cause(err))
	}
	return writable(p, info)
}

// writable is Writable of what is there.
func writable(p Path, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return Fail(ErrNotRegular, "%q is not a regular file.", p.Rel)
	case links(info) > 1:
		return Fail(
			ErrNotWritable,
			"%q is a hard link: another name of it may lie outside the workspace, so it is not written.", p.Rel,
		)
	case info.Mode().Perm()&0o200 == 0:
		return Fail(ErrNotWritable, "%q is read-only.", p.Rel)
	}
	return nil
}

// ReadSaved returns what is on disk at exactly this path, whatever an editor shows; found is false if nothing is there.
// A link in its way is ErrChanged: it would put a file that tools may write in the place of one that they may not.
func (w *Workspace) ReadSaved(ctx context.Context, rel string) (data []byte, found bool, err error) {
	if _, err := w.dir.Lstat(rel); errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err := checkCharacters(rel); err != nil {
		return nil, false, err
	}
	p, err := w.at(rel, rel)
	if err != nil {
		return nil, false, err
	}
	if p.Rel != rel {
		return nil, false, Fail(ErrChanged, "%q is a link to %q: put the file itself there.", rel, p.Rel)
	}
	data, err = w.readDisk(ctx, p)
	return data, err == nil, err
}

// Package diskfile is a text file on disk that other programs may change at any time: what they save is seen before each
// write and never overwritten. It also opens files of the user's own folders, where only regular files belong.
package diskfile

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"
)

// ErrNotRegular says that something else than a regular file has a file's name: a folder, a pipe, a device.
var ErrNotRegular = errors.New("it is not a regular file")

// ErrChanged says that somebody saved the file, so nothing was written: see Check.
var ErrChanged = errors.New("it was changed meanwhile")

// OpenRegular is os.OpenFile for regular files: it never waits for the other end of a pipe, nor reads a device. Anything
// else is ErrNotRegular.
func OpenRegular(path string, flag int, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|noBlock, mode)
	return regular(f, err, path)
}

// OpenRegularIn is OpenRegular within a folder, which no link leads out of.
func OpenRegularIn(root *os.Root, name string, flag int, mode fs.FileMode) (*os.File, error) {
	f, err := root.OpenFile(name, flag|noBlock, mode)
	return regular(f, err, filepath.Join(root.Name(), name))
}

// WriteRegular is os.WriteFile for regular files of the user's own, and their folder.
func WriteRegular(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := OpenRegular(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

func regular(f *os.File, err error, path string) (*os.File, error) {
	if err != nil {
		if info, statErr := os.Stat(path); statErr == nil && !info.Mode().IsRegular() {
			err = ErrNotRegular // a pipe or a socket cannot be opened for writing, a folder neither
		}
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// File is an open text file. It is used by one goroutine.
type File struct {
	path string // with links resolved
	file *os.File
	text []byte      // what was last read or written
	info fs.FileInfo // of the file then

	old     *os.File    // what was replaced: somebody who had it open may still save into it
	oldInfo fs.FileInfo // of old when it was replaced
}

// Open reads a file that exists, and writes nothing. Links are followed once, now.
func Open(path string) (*File, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	t := &File{path: path}
	if err := t.open(); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Create makes a file that must not exist. An error leaves none.
func Create(path string, text []byte) (*File, error) {
	f, err := writeNew(path, text, nil)
	if err != nil {
		return nil, err
	}
	t := &File{path: path, file: f, text: bytes.Clone(text)}
	if t.info, err = f.Stat(); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Path is the file's name with its links resolved.
func (t *File) Path() string { return t.path }

// Text is what the file held when it was last read or written. The caller does not change it.
func (t *File) Text() []byte { return t.text }

// Close gives the file up.
func (t *File) Close() error {
	var errs []error
	for _, f := range []*os.File{t.file, t.old} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	t.file, t.old = nil, nil
	return errors.Join(errs...)
}

// open reads what has the file's name now.
func (t *File) open() (err error) {
	f, err := OpenRegular(t.path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	if t.file != nil {
		_ = t.file.Close() // what was written to it is on its way to the disk
	}
	t.file = f
	t.text, t.info, err = read(f)
	return err
}

func read(f *os.File) ([]byte, fs.FileInfo, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	text, err := io.ReadAll(io.NewSectionReader(f, 0, math.MaxInt64))
	return text, info, err
}

// Times of a save by somebody else: many editors empty a file and then write it.
const (
	saveRest = 50 * time.Millisecond // a file that did not change for so long is saved
	saveTime = 2 * time.Second       // for longer no save is waited for
)

// settle waits until nobody writes a file any more.
func settle(f *os.File) error {
	for end := time.Now().Add(saveTime); time.Now().Before(end); {
		before, err := f.Stat()
		if err != nil {
			return err
		}
		if time.Since(before.ModTime()) > saveRest {
			return nil
		}
		time.Sleep(saveRest)
		if now, err := f.Stat(); err != nil || same(before, now) {
			return err
		}
	}
	return nil
}

// same reports whether a file was not written between two looks at it.
func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// Check looks whether somebody else saved the file since it was last read or written. Then changed is true and Text is
// what they saved. An error says that there is no such file any more, or no regular one.
func (t *File) Check() (changed bool, err error) {
	before := t.text
	if now, err := t.oldNow(); err != nil {
		return false, err
	} else if now != nil {
		if err := settle(t.old); err != nil {
			return false, err
		}
		t.text, t.oldInfo, err = read(t.old)
		return err == nil && !bytes.Equal(before, t.text), err
	}
	now, err := os.Stat(t.path)
	if err != nil {
		return false, err
	}
	if same(t.info, now) {
		return false, nil
	}
	if err := t.open(); err != nil {
		return false, err
	}
	if err := settle(t.file); err != nil {
		return false, err
	}
	if err := t.open(); err != nil { // a save by rename may have come since
		return false, err
	}
	return !bytes.Equal(before, t.text), nil
}

// oldNow is the state of what was replaced if somebody wrote it since, else nil.
func (t *File) oldNow() (fs.FileInfo, error) {
	if t.old == nil {
		return nil, nil
	}
	now, err := t.old.Stat()
	if err != nil || same(now, t.oldInfo) {
		return nil, err
	}
	return now, nil
}

// Append writes at the end of the file. After an error the file is as it was, if the disk lets it be; with ErrChanged
// somebody saved it at the same time, and the piece may stand in what Text is after a Check.
func (t *File) Append(piece []byte) error {
	before := t.info
	n, err := t.file.Write(piece)
	now, statErr := t.file.Stat()
	if statErr != nil {
		return errors.Join(err, statErr)
	}
	ours := now.Size() == before.Size()+int64(n)
	if err != nil && ours && n > 0 { // half a piece; somebody else's text is never cut off
		if cut := t.file.Truncate(before.Size()); cut != nil {
			return errors.Join(err, cut)
		}
		now, statErr = t.file.Stat()
	}
	if err != nil {
		if ours && statErr == nil {
			t.info = now
		}
		return err
	}
	if at, err := os.Stat(t.path); err != nil || !ours || !os.SameFile(at, now) {
		return ErrChanged
	}
	t.text, t.info = append(t.text, piece...), now
	return nil
}

// Replace puts a new file in the place of this one, with its mode and owner: all of the text or, after an error, nothing of
// it. ErrChanged: somebody saved the file meanwhile.
func (t *File) Replace(text []byte) error {
	temp := filepath.Join(filepath.Dir(t.path), ".assent-"+rand.Text()+".tmp")
	f, err := writeNew(temp, text, t.info)
	if err != nil {
		return err
	}
	changed, err := t.Check() // writing took a while
	if err == nil && changed {
		err = ErrChanged
	}
	if err == nil {
		err = os.Rename(temp, t.path)
	}
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(temp))
	}
	if t.old != nil {
		_ = t.old.Close() // nobody wrote it when Check looked
	}
	t.old, t.oldInfo = t.file, t.info
	t.file, t.text = f, bytes.Clone(text)
	if t.info, err = f.Stat(); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(t.path))
}

// Sync returns when what was written outlives a loss of power.
func (t *File) Sync() error { return t.file.Sync() }

// writeNew writes a new file with the mode and owner of like (nil: the user's own), and leaves none after an error.
func writeNew(path string, text []byte, like fs.FileInfo) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if like != nil {
		keepOwner(f, like)
		err = f.Chmod(like.Mode())
	}
	if err == nil {
		_, err = f.Write(text)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return f, nil
}

// syncFolder makes a rename outlive a loss of power.
func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return nil //nolint:nilerr // a folder that can be written but not read: the text itself is on disk
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("the folder %q: %w", path, err)
	}
	return nil
}

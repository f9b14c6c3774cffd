// Package diskfile is a text file on disk that other programs may change at any time: what they save is seen before
// each write and never overwritten. It also opens files of the user's own folders, where only regular files belong.
package diskfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrChanged says that somebody saved the file at the same time: Check reads what it holds now.
var ErrChanged = errors.New("it was changed meanwhile")

// MaxText is how many bytes a text file may have: far more than any that a person or a model writes.
const MaxText = 64 << 20

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
	if err = t.open(); err == nil && len(t.text) == 0 { // perhaps emptied to be saved
		if err = waitUntilWritten(t.file); err == nil {
			err = t.open()
		}
	}
	if err != nil {
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

// Close releases the file.
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
	text, err := io.ReadAll(io.NewSectionReader(f, 0, MaxText+1))
	if err == nil && len(text) > MaxText {
		err = fmt.Errorf("%w: more than %d MB", ErrTooLarge, MaxText>>20)
	}
	return text, info, err
}

// Times of a save by somebody else: many editors empty a file and then write it.
const (
	saveRest = 50 * time.Millisecond // a file that did not change for so long is saved
	saveTime = 2 * time.Second       // for longer no save is waited for
)

// waitUntilWritten waits until a file is no longer being written.
func waitUntilWritten(f *os.File) error {
	for end := time.Now().Add(saveTime); time.Now().Before(end); {
		before, err := f.Stat()
		if err != nil {
			return err
		}
		if time.Since(before.ModTime()) > saveRest {
			return nil
		}
		time.Sleep(saveRest)
		if now, err := f.Stat(); err != nil || Same(before, now) {
			return err
		}
	}
	return nil
}

// Same reports whether a file was not written between two looks at it.
func Same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// Check looks whether somebody else saved the file since it was last read or written. Then changed is true and Text is
// what they saved. An error says that there is no such file any more, or no regular one.
func (t *File) Check() (changed bool, err error) {
	before := t.text
	if now, err := t.oldNow(); err != nil {
		return false, err
	} else if now != nil {
		if err := waitUntilWritten(t.old); err != nil {
			return false, err
		}
		t.text, t.oldInfo, err = read(t.old)
		return err == nil && !bytes.Equal(before, t.text), err
	}
	now, err := os.Stat(t.path)
	if err != nil {
		return false, err
	}
	if Same(t.info, now) {
		return false, nil
	}
	if err := t.open(); err != nil {
		return false, err
	}
	if err := waitUntilWritten(t.file); err != nil {
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
	if err != nil || Same(now, t.oldInfo) {
		return nil, err
	}
	return now, nil
}

// Append writes at the end of the file. After an error the file is as it was, if the disk lets it be; with ErrChanged
// somebody saved it at the same time, and the piece may be in what Text is after a Check.
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

// Sync returns when what was written outlives a loss of power.
func (t *File) Sync() error { return t.file.Sync() }

package diskfile

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace puts a new file in the place of this one, with its mode and owner: all of the text or, after an error,
// nothing of it.
func (t *File) Replace(text []byte) error {
	temp := filepath.Join(filepath.Dir(t.path), ".assent-"+rand.Text()+".tmp")
	f, err := writeNew(temp, text, t.info)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && !t.isUnchanged() { // writing took a while
		err = ErrChanged
	}
	if err == nil {
		err = os.Rename(temp, t.path)
	}
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(temp))
	}
	if t.old != nil {
		_ = t.old.Close() // it is as it was when it was replaced
	}
	t.old, t.oldInfo = t.file, t.info
	t.file, t.text, t.info = f, bytes.Clone(text), info
	syncFolder(filepath.Dir(t.path))
	return nil
}

// isUnchanged looks for a save by somebody else, and leaves it to Check to take it over.
func (t *File) isUnchanged() bool {
	late, err := t.oldNow()
	if err != nil || late != nil {
		return false
	}
	now, err := os.Stat(t.path)
	return err == nil && Same(t.info, now)
}

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

// syncFolder makes a rename outlive a loss of power, as far as the file system can. The text itself is on disk either
// way, under the name or as the old file.
func syncFolder(path string) {
	if dir, err := os.Open(path); err == nil {
		_ = errors.Join(dir.Sync(), dir.Close())
	}
}

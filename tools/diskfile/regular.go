package diskfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotRegular says that something else than a regular file has a file's name: a folder, a pipe, a device.
var ErrNotRegular = errors.New("it is not a regular file")

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

package diskfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNotRegular says that something else than a regular file has a file's name: a folder, a pipe, a device.
var ErrNotRegular = errors.New("it is not a regular file")

// OpenRegular is os.OpenFile for regular files: it never waits for the other end of a pipe, nor reads a device.
// Anything else is ErrNotRegular.
func OpenRegular(path string, flag int, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|noBlock, mode)
	return regular(f, err, path)
}

// OpenRegularIn is OpenRegular within a folder, which no link leads out of.
func OpenRegularIn(root *os.Root, name string, flag int, mode fs.FileMode) (*os.File, error) {
	f, err := root.OpenFile(name, flag|noBlock, mode)
	return regular(f, err, filepath.Join(root.Name(), name))
}

// OpenFolderIn opens a folder within a folder, to be listed. It never waits for the other end of a pipe.
func OpenFolderIn(root *os.Root, name string) (*os.File, error) {
	return root.OpenFile(name, os.O_RDONLY|noBlock, 0)
}

// ReadDirIn lists a folder within a folder, sorted by name. It never waits for the other end of a pipe.
func ReadDirIn(root *os.Root, name string) ([]fs.DirEntry, error) {
	f, err := OpenFolderIn(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// ErrTooLarge says that a file has more bytes than are read.
var ErrTooLarge = errors.New("it is too large")

// ReadSmall reads a regular file of at most limit bytes; a missing one is empty.
func ReadSmall(path string, limit int64) ([]byte, error) {
	f, err := OpenRegular(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return readSmall(f, err, limit)
}

// ReadSmallIn reads a regular file of at most limit bytes within a folder.
func ReadSmallIn(root *os.Root, name string, limit int64) ([]byte, error) {
	f, err := OpenRegularIn(root, name, os.O_RDONLY, 0)
	return readSmall(f, err, limit)
}

func readSmall(f *os.File, err error, limit int64) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
	}
	return data, err
}

// Sum is the SHA-256 of a regular file of at most limit bytes, and its size. It ends with its context.
func Sum(ctx context.Context, path string, limit int64) (sum string, size int64, err error) {
	f, err := OpenRegular(path, os.O_RDONLY, 0)
	if err != nil {
		return "", 0, err
	}
	defer f.Close() //nolint:errcheck // only read
	hash := sha256.New()
	for err == nil {
		if info, statErr := f.Stat(); statErr != nil || info.Size() > limit || size > limit {
			return "", size, errors.Join(ErrTooLarge, statErr)
		}
		if err = ctx.Err(); err != nil {
			return "", size, err
		}
		var n int64
		n, err = io.CopyN(hash, f, 1<<20)
		size += n
	}
	if !errors.Is(err, io.EOF) {
		return "", size, err
	}
	return hex.EncodeToString(hash.Sum(nil)), size, nil
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

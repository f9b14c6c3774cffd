package diskfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// settled is how long after a file's last change another one shows in its time, on all file systems.
const settled = 2 * time.Second

// Watch tells whether a file has changed since it was last looked at. It is used by one goroutine.
type Watch struct {
	path   string
	last   fs.FileInfo // nil: there was none
	looked bool
}

// NewWatch watches a path. Nothing is read.
func NewWatch(path string) *Watch { return &Watch{path: path} }

// Changed reports whether the file may have changed since Changed was last called; the first time it says so.
func (w *Watch) Changed() bool {
	now, err := os.Stat(w.path)
	if err != nil {
		now = nil
	}
	before, looked := w.last, w.looked
	w.last, w.looked = now, true
	switch {
	case !looked || (before == nil) != (now == nil):
		return true
	case now == nil:
		return false
	}
	return !same(before, now) || time.Since(now.ModTime()) < settled
}

// ReadSmall reads a regular file of at most limit bytes; a missing one is empty.
func ReadSmall(path string, limit int64) ([]byte, error) {
	f, err := OpenRegular(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("it is larger than %d bytes", limit)
	}
	return data, err
}

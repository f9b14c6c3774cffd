package diskfile

import (
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
	return !Same(before, now) || time.Since(now.ModTime()) < settled
}

package host

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/assent-ls/assent/tools/diskfile"
)

// How many files of a folder are kept, the newest. Tables may be large.
const (
	maxPreviews = 50
	maxTables   = 10
)

// previews is a folder of the files that show what calls would do, what a model sees, or all rows of a query.
type previews struct {
	dir  string
	most int
}

// write puts a text into the file of this name, which it makes, and returns the file's path. Old files make room.
func (p previews) write(name, text string) (string, error) {
	path := filepath.Join(p.dir, name)
	half := path + ".new" // nobody shall read half of it
	if err := errors.Join(diskfile.WriteRegular(half, []byte(text)), os.Rename(half, path)); err != nil {
		return "", err
	}
	p.prune()
	return path, nil
}

// prune deletes all but the newest files. What cannot be deleted now can be the next time.
func (p previews) prune() {
	entries, err := os.ReadDir(p.dir)
	if err != nil || len(entries) <= p.most {
		return
	}
	age := func(e os.DirEntry) int64 {
		info, err := e.Info()
		if err != nil {
			return 0 // it is gone already
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(age(b), age(a)) })
	for _, old := range entries[p.most:] {
		_ = os.Remove(filepath.Join(p.dir, old.Name()))
	}
}

//go:build amd64 || arm64

// Package hidden finds the files of a workspace that a command does not see as they are: secrets, what rules deny, and
// what cannot be examined.
package hidden

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/assent-ls/assent/tools/changes"
)

// Names are what a command does not see as it is: paths relative to the root, sorted. A file with other names in the
// workspace is meant under all of them.
type Names struct {
	// not there: secrets by their names, what rules deny, and folders that cannot be examined, each for all in it
	Hidden   []string
	Covered  []string // empty: files that a person is asked about before they are read
	Settings []string // without what may hold passwords or name programs: git's
}

// Find finds out what a command does not see. Rules deny paths, absolute or relative to the root. covering says whether
// there are covered files and settings.
func (f *Finder) Find(root string, denied []string, covering bool) (Names, error) {
	found, err := f.walk(root)
	if err != nil {
		return Names{}, err
	}
	for _, path := range denied {
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
		for _, path := range []string{lexical(root, path), path} {
			rel, err := resolved(root, path)
			if err != nil {
				return Names{}, err
			}
			if rel != "" {
				found.Hidden = append(found.Hidden, rel)
			}
		}
	}
	lists := []*[]string{&found.Hidden, &found.Covered, &found.Settings}
	if !covering {
		found.Covered, found.Settings, lists = nil, nil, lists[:1]
	}
	for _, list := range lists {
		others, err := otherNames(root, *list)
		if err != nil {
			return Names{}, err
		}
		*list = append(*list, others...)
	}
	found.Hidden = outermost(found.Hidden)
	for _, list := range lists[1:] {
		slices.Sort(*list)
		*list = slices.DeleteFunc(slices.Compact(*list), func(rel string) bool { return InAny(found.Hidden, rel) })
	}
	return found, nil
}

// lexical is a path in the workspace of which only the folders above it were followed, so that a link is hidden itself.
func lexical(root, path string) string {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil || !changes.Within(root, dir) {
		return path
	}
	return filepath.Join(dir, filepath.Base(path))
}

// outermost sorts paths and drops those that lie in others.
func outermost(paths []string) []string {
	slices.SortFunc(paths, func(a, b string) int { return strings.Compare(a+"/", b+"/") })
	var out []string
	for _, p := range paths {
		if n := len(out); n == 0 || !changes.Within(out[n-1], p) {
			out = append(out, p)
		}
	}
	return out
}

// InAny reports whether a path is one of some folders or lies in one.
func InAny(folders []string, rel string) bool {
	return slices.ContainsFunc(folders, func(dir string) bool { return changes.Within(dir, rel) })
}

// resolved is what a path leads to in the workspace, relative to its root; empty: nothing that is in it.
func resolved(root, path string) (rel string, err error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil && (real == root || !changes.Within(root, real)) {
		return "", nil
	}
	if err == nil {
		if _, err = os.Lstat(real); err == nil {
			return strings.TrimPrefix(real, root+"/"), nil
		}
	}
	failed, known := errors.AsType[*fs.PathError](err)
	if isGone(err) || !known || !changes.Within(root, failed.Path) { // without a path it is a circle of links
		return "", nil
	}
	return "", unexamined(strings.TrimPrefix(failed.Path, root+"/"), failed.Err)
}

// otherNames finds the other names of hidden files: it looks at all files, but only if one of the hidden ones has
// several names.
func otherNames(root string, hidden []string) ([]string, error) {
	type inode struct{ device, number uint64 }
	wanted := map[inode]bool{}
	look := func(path string) (in inode, several bool) {
		var is unix.Stat_t
		if unix.Lstat(path, &is) != nil || is.Mode&unix.S_IFMT != unix.S_IFREG || is.Nlink < 2 {
			return inode{}, false
		}
		return inode{is.Dev, is.Ino}, true
	}
	for _, rel := range hidden {
		// what cannot be examined is hidden as a whole
		_ = filepath.WalkDir(filepath.Join(root, rel), func(path string, _ fs.DirEntry, err error) error {
			if in, several := look(path); several && err == nil {
				wanted[in] = true
			}
			return nil // so is its folder
		})
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	var found []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil //nolint:nilerr // a folder that cannot be read is hidden
		}
		if in, several := look(path); several && wanted[in] {
			found = append(found, strings.TrimPrefix(path, root+"/"))
		}
		return nil
	})
	return found, err
}

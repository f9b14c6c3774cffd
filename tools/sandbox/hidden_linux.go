//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/workspace"
)

// maxWalked is how many names of a workspace are looked at before a command. A larger one has no sandbox.
const maxWalked = 500_000

// masked is what a command does not see as it is: paths relative to the root, sorted. A file with other names in the workspace is meant under all of
// them.
type masked struct {
	hidden   []string // not there: secrets by their names, what rules deny, and folders that cannot be examined, each for all in it
	covered  []string // empty: files that a person is asked about before they are read
	settings []string // without what may hold passwords or name programs: git's
}

// masked finds out what a command does not see. covering says whether there are covered files.
func (s *Sandbox) masked(covering bool) (masked, error) {
	found, err := s.walked.masked(s.options.Root)
	if err != nil {
		return masked{}, err
	}
	var denied []string
	if s.options.Hidden != nil {
		denied = s.options.Hidden()
	}
	for _, path := range denied {
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.options.Root, path)
		}
		for _, path := range []string{lexical(s.options.Root, path), path} {
			rel, err := resolved(s.options.Root, path)
			if err != nil {
				return masked{}, err
			}
			if rel != "" {
				found.hidden = append(found.hidden, rel)
			}
		}
	}
	lists := []*[]string{&found.hidden, &found.covered, &found.settings}
	if !covering {
		found.covered, found.settings, lists = nil, nil, lists[:1]
	}
	for _, list := range lists {
		others, err := otherNames(s.options.Root, *list)
		if err != nil {
			return masked{}, err
		}
		*list = append(*list, others...)
	}
	found.hidden = outermost(found.hidden)
	for _, list := range lists[1:] {
		slices.Sort(*list)
		*list = slices.DeleteFunc(slices.Compact(*list), func(rel string) bool { return inAny(found.hidden, rel) })
	}
	return found, nil
}

func inAny(dirs []string, rel string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return within(dir, rel) })
}

// watch looks for names that are to be hidden or covered and were not, until ctx ends. In a large workspace it looks less often, so that it takes
// no more than a twentieth of a processor.
func (s *Sandbox) watch(ctx context.Context, before masked, covering bool, upper string) string {
	const often, share = 500 * time.Millisecond, 20
	wait := often
	for {
		select {
		case <-ctx.Done():
			return ""
		case <-time.After(wait):
		}
		began := time.Now()
		found, err := s.masked(covering)
		if err != nil {
			return err.Error() + "."
		}
		if most := s.options.Disk; most > 0 && changes.Size(upper) > most {
			return fmt.Sprintf("it wrote more than %d MB in the workspace, which is the setting commandDisk.", most/1e6)
		}
		for _, rel := range slices.Concat(found.hidden, found.covered, found.settings) {
			if !inAny(before.hidden, rel) && !slices.Contains(before.covered, rel) && !slices.Contains(before.settings, rel) {
				return rel + " is there since it began, and no command may see that. Run it again."
			}
		}
		wait = max(often, share*time.Since(began))
	}
}

// lexical is a path in the workspace of which only the folders above it were followed, so that a link is hidden itself.
func lexical(root, path string) string {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil || !within(root, dir) {
		return path
	}
	return filepath.Join(dir, filepath.Base(path))
}

// outermost sorts paths and drops those that lie in others.
func outermost(paths []string) []string {
	slices.SortFunc(paths, func(a, b string) int { return strings.Compare(a+"/", b+"/") })
	var out []string
	for _, p := range paths {
		if n := len(out); n == 0 || !within(out[n-1], p) {
			out = append(out, p)
		}
	}
	return out
}

// walked remembers what the folders of a workspace held, by their paths relative to the root.
type walked struct {
	mu      sync.Mutex
	folders map[string]folder
}

// folder is what one folder held when it was read. It holds for as long as the folder's change time is the same, which no command can set.
type folder struct {
	changed unix.Timespec
	inode   uint64
	count   int
	hidden  bool     // what it holds cannot be examined
	masked           // what is in it, by its names
	links   []link   // names of these kinds that are links: they are followed each time
	folders []string // what is to be walked
}

// link is a link with the name of a secret, or of a file that is covered.
type link struct {
	rel    string
	secret bool
}

// settled is how long a folder must have been unchanged when it was read: clocks of file systems are coarse.
const settled = 2 * time.Second

// masked lists what is masked because of its name, or because it cannot be examined, in every folder.
func (w *walked) masked(root string) (found masked, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.folders
	w.folders = map[string]folder{}
	left, todo := maxWalked, []string{""}
	for len(todo) > 0 {
		rel := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		var is unix.Stat_t
		if err := unix.Lstat(filepath.Join(root, rel), &is); isGone(err) {
			continue
		} else if err != nil {
			return masked{}, unexamined(rel, err)
		}
		f, known := before[rel]
		if known = known && f.changed == is.Ctim && f.inode == is.Ino; !known {
			if f, err = readFolder(root, rel); err != nil {
				return masked{}, err
			}
			f.changed, f.inode = is.Ctim, is.Ino
		}
		if known || time.Since(time.Unix(is.Ctim.Unix())) > settled {
			w.folders[rel] = f
		}
		if left -= f.count; left < 0 {
			return masked{}, fmt.Errorf("the workspace is too large for a sandbox: more than %d files", maxWalked)
		}
		if f.hidden {
			found.hidden = append(found.hidden, rel)
			continue
		}
		found.hidden = append(found.hidden, f.masked.hidden...)
		found.covered, found.settings = append(found.covered, f.covered...), append(found.settings, f.settings...)
		for _, l := range f.links {
			target, err := resolved(root, filepath.Join(root, l.rel))
			if err != nil {
				return masked{}, err
			}
			switch {
			case target == "":
			case l.secret:
				found.hidden = append(found.hidden, target)
			default:
				found.covered = append(found.covered, target)
			}
		}
		todo = append(todo, f.folders...)
	}
	return found, nil
}

// maxFolder is how long the path of a folder may be, in bytes, for the kernel to take the path of everything in it.
const maxFolder = unix.PathMax - 1 - len("/") - unix.NAME_MAX

// isGone says that something was taken away since its name was read.
func isGone(err error) bool { return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) }

// unexamined is the error for what cannot be looked at: nothing is known about it, so no command runs in a sandbox.
func unexamined(rel string, err error) error {
	return fmt.Errorf("%s cannot be examined (%w): give yourself the right to read it, or move it out of the workspace", rel, err)
}

// readFolder reads a folder. One that the user may not read or enter, or whose path is too long, is hidden: its names may be known all the
// same, and a command of the user could give itself the right.
func readFolder(root, rel string) (f folder, err error) {
	path := filepath.Join(root, rel)
	err = unix.Faccessat(unix.AT_FDCWD, path, unix.R_OK|unix.X_OK, unix.AT_EACCESS)
	switch {
	case isGone(err):
		return f, nil
	case rel != "" && (errors.Is(err, unix.EACCES) || err == nil && len(path) > maxFolder):
		return folder{count: 1, hidden: true}, nil
	case err != nil:
		return f, unexamined(rel, err)
	}
	entries, err := os.ReadDir(path)
	if isGone(err) {
		return f, nil
	} else if err != nil {
		return f, unexamined(rel, err)
	}
	return sorted(rel, entries), nil
}

// sorted says what is masked in a folder by its names.
func sorted(rel string, entries []fs.DirEntry) (f folder) {
	f.count = len(entries)
	for _, e := range entries {
		at := path.Join(rel, e.Name())
		kept, secret := workspace.Named(at, e.IsDir())
		asked := kept && !secret && workspace.Asked(at)
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			if secret || asked {
				f.links = append(f.links, link{at, secret})
			}
		case secret:
			f.masked.hidden = append(f.masked.hidden, at)
		case e.IsDir():
			f.folders = append(f.folders, at)
		case asked && e.Type().IsRegular():
			f.covered = append(f.covered, at)
		case kept && e.Type().IsRegular() && workspace.GitSettings(at):
			f.settings = append(f.settings, at)
		}
	}
	return f
}

// resolved is what a path leads to in the workspace, relative to its root; empty: nothing that is in it.
func resolved(root, path string) (rel string, err error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil && (real == root || !within(root, real)) {
		return "", nil
	}
	if err == nil {
		if _, err = os.Lstat(real); err == nil {
			return strings.TrimPrefix(real, root+"/"), nil
		}
	}
	failed, known := errors.AsType[*fs.PathError](err)
	if isGone(err) || !known || !within(root, failed.Path) { // without a path it is a circle of links
		return "", nil
	}
	return "", unexamined(strings.TrimPrefix(failed.Path, root+"/"), failed.Err)
}

// otherNames finds the other names of hidden files: it looks at all files, but only if one of the hidden ones has several names.
func otherNames(root string, hidden []string) ([]string, error) {
	type inode struct{ device, number uint64 }
	wanted := map[inode]bool{}
	look := func(path string, info fs.FileInfo) (inode, bool) {
		var is unix.Stat_t
		if !info.Mode().IsRegular() || unix.Lstat(path, &is) != nil || is.Nlink < 2 {
			return inode{}, false
		}
		return inode{is.Dev, is.Ino}, true
	}
	for _, rel := range hidden {
		_ = filepath.WalkDir(filepath.Join(root, rel), func(path string, entry fs.DirEntry, err error) error { // what cannot be examined is hidden as a whole
			if err != nil {
				return nil //nolint:nilerr // so is its folder
			}
			if info, err := entry.Info(); err == nil {
				if in, several := look(path, info); several {
					wanted[in] = true
				}
			}
			return nil
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
		if info, err := entry.Info(); err == nil {
			if in, several := look(path, info); several && wanted[in] {
				found = append(found, strings.TrimPrefix(path, root+"/"))
			}
		}
		return nil
	})
	return found, err
}

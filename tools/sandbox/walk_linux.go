//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assent-ls/assent/tools/workspace"
)

// maxWalked is how many names of a workspace are looked at before a command. A larger one has no sandbox.
const maxWalked = 500_000

// name is something in the workspace that a command must not change or see.
type name struct {
	rel  string
	dir  bool
	hide bool
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
	whole   bool     // it is protected as a whole: a repository of git without a working tree
	hidden  bool     // what it holds cannot be examined, so the command finds it empty
	found   []name   // what is protected in it
	links   []link   // protected names that are links: they are followed each time
	folders []string // what is to be walked
}

type link struct {
	rel    string
	secret bool
}

// settled is how long a folder must have been unchanged when it was read: clocks of file systems are coarse.
const settled = 2 * time.Second

// names lists what is there and protected, in every folder. Links are not followed: what they lead to has a name of its own.
func (w *walked) names(root string) ([]name, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.folders
	w.folders = map[string]folder{}
	var found []name
	left, todo := maxWalked, []string{""}
	for len(todo) > 0 {
		rel := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		var is unix.Stat_t
		if err := unix.Lstat(filepath.Join(root, rel), &is); isGone(err) {
			continue
		} else if err != nil {
			return nil, unexamined(rel, err)
		}
		f, known := before[rel]
		if known = known && f.changed == is.Ctim && f.inode == is.Ino; !known {
			var err error
			if f, err = readFolder(root, rel); err != nil {
				return nil, err
			}
			f.changed, f.inode = is.Ctim, is.Ino
		}
		if known || time.Since(time.Unix(is.Ctim.Unix())) > settled {
			w.folders[rel] = f
		}
		if f.whole && rel == "" {
			return nil, errors.New("the workspace is a git repository without a working tree, whose settings can start programs: there is no sandbox for it")
		}
		if left -= f.count; left < 0 {
			return nil, fmt.Errorf("the workspace is too large for a sandbox: more than %d files", maxWalked)
		}
		if f.whole || f.hidden {
			found = append(found, name{rel: rel, dir: true, hide: f.hidden})
			continue
		}
		found = append(found, f.found...)
		for _, l := range f.links {
			target, err := linked(root, l.rel, l.secret)
			if err != nil {
				return nil, err
			}
			found = append(found, target...)
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

// sorted says what is protected in a folder.
func sorted(rel string, entries []fs.DirEntry) (f folder) {
	f.count = len(entries)
	has := map[string]bool{}
	for _, e := range entries {
		switch n := e.Name(); n {
		case "HEAD", "objects", "refs", "commondir":
			has[n] = true
		}
	}
	f.whole = has["HEAD"] && (has["objects"] && has["refs"] || has["commondir"])
	for _, e := range entries {
		at := path.Join(rel, e.Name())
		protected, secret := workspace.Named(at, e.IsDir())
		switch kind := e.Type(); {
		case kind&fs.ModeSymlink != 0:
			if protected {
				f.links = append(f.links, link{at, secret})
			}
		case kind&(fs.ModeSocket|fs.ModeNamedPipe|fs.ModeDevice) != 0:
			f.found = append(f.found, name{rel: at, hide: true}) // somebody outside may hold its other end
		case protected:
			f.found = append(f.found, name{rel: at, dir: e.IsDir(), hide: secret})
		case e.IsDir():
			f.folders = append(f.folders, at)
		}
	}
	return f
}

// linked is what a link with a protected name leads to, if that is in the workspace: the broker keeps the link itself.
func linked(root, rel string, secret bool) ([]name, error) {
	target, dir, err := resolved(root, filepath.Join(root, rel))
	if err != nil || target == "" {
		return nil, err
	}
	return []name{{rel: target, dir: dir, hide: secret}}, nil
}

// resolved is what a path leads to in the workspace, relative to its root; empty: nothing that is in it.
func resolved(root, path string) (rel string, dir bool, err error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil && (real == root || !within(root, real)) {
		return "", false, nil
	}
	var info fs.FileInfo
	if err == nil {
		if info, err = os.Lstat(real); err == nil {
			return strings.TrimPrefix(real, root+"/"), info.IsDir(), nil
		}
	}
	failed, known := errors.AsType[*fs.PathError](err)
	if isGone(err) || !known || !within(root, failed.Path) { // without a path it is a circle of links
		return "", false, nil
	}
	return "", false, unexamined(strings.TrimPrefix(failed.Path, root+"/"), failed.Err)
}

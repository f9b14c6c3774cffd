//go:build amd64 || arm64

package hidden

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assent-ls/assent/tools/workspace"
)

// MaxWalked is how many names of a workspace are looked at before a command. A larger one has no sandbox.
const MaxWalked = 500_000

// Finder finds names, and remembers what the folders of one workspace held, by their paths relative to the root. It may
// be used concurrently.
type Finder struct {
	mu      sync.Mutex
	folders map[string]folder
}

// folder is what one folder held when it was read. It holds for as long as the folder's change time is the same, which
// no command can set.
type folder struct {
	changed unix.Timespec
	inode   uint64
	count   int
	names   Names    // what is in it
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

// walk lists what is not seen because of its name, or because it cannot be examined, in every folder.
func (f *Finder) walk(root string) (found Names, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := f.folders
	f.folders = make(map[string]folder, len(before))
	left := MaxWalked
	for level := []string{""}; len(level) > 0; {
		looked := lookAt(root, level, before)
		var next []string
		for i, l := range looked {
			if l.err != nil {
				return Names{}, l.err
			}
			if l.settled {
				f.folders[level[i]] = l.folder
			}
			if left -= l.count; left < 0 {
				return Names{}, fmt.Errorf("the workspace is too large for a sandbox: more than %d files", MaxWalked)
			}
			found.add(l.names)
			found.add(l.led)
			next = append(next, l.folders...)
		}
		level = next
	}
	return found, nil
}

func (n *Names) add(others Names) {
	n.Hidden = append(n.Hidden, others.Hidden...)
	n.Covered, n.Settings = append(n.Covered, others.Covered...), append(n.Settings, others.Settings...)
}

// looked is a folder as it is now.
type looked struct {
	folder
	led     Names // where its links lead
	settled bool  // it may be remembered
	err     error
}

// lookAt looks at folders, on all processors.
func lookAt(root string, folders []string, before map[string]folder) []looked {
	const few = 64 // for which no other processor is worth while
	all := make([]looked, len(folders))
	var wait sync.WaitGroup
	for from, share := 0, max(
		few, (len(folders)+runtime.NumCPU()-1)/runtime.NumCPU(),
	); from < len(folders); from += share {
		wait.Go(func() {
			for i := from; i < min(from+share, len(folders)); i++ {
				all[i] = look(root, folders[i], before)
			}
		})
	}
	wait.Wait()
	return all
}

// look looks at a folder, which is read only if it changed since it was read before.
func look(root, rel string, before map[string]folder) (l looked) {
	var is unix.Stat_t
	if err := unix.Lstat(filepath.Join(root, rel), &is); isGone(err) {
		return l
	} else if err != nil {
		return looked{err: unexamined(rel, err)}
	}
	f, known := before[rel]
	if known = known && f.changed == is.Ctim && f.inode == is.Ino; !known {
		if f, l.err = readFolder(root, rel); l.err != nil {
			return l
		}
		f.changed, f.inode = is.Ctim, is.Ino
	}
	l.folder = f
	l.settled = known || time.Since(time.Unix(is.Ctim.Unix())) > settled
	for _, link := range l.links {
		target, err := resolved(root, filepath.Join(root, link.rel))
		switch {
		case err != nil:
			return looked{err: err}
		case target == "":
		case link.secret:
			l.led.Hidden = append(l.led.Hidden, target)
		default:
			l.led.Covered = append(l.led.Covered, target)
		}
	}
	return l
}

// maxFolder is how long the path of a folder may be, in bytes, for the kernel to take the path of everything in it.
const maxFolder = unix.PathMax - 1 - len("/") - unix.NAME_MAX

// isGone says that something was taken away since its name was read.
func isGone(err error) bool { return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) }

// unexamined is the error for what cannot be looked at: nothing is known about it, so no command runs in a sandbox.
func unexamined(rel string, err error) error {
	return fmt.Errorf(
		"%s cannot be examined (%w): give yourself the right to read it, or move it out of the workspace", rel, err,
	)
}

// readFolder reads a folder. One that the user may not read or enter, or whose path is too long, is hidden: its names
// may be known all the same, and a command of the user could give itself the right.
func readFolder(root, rel string) (f folder, err error) {
	path := filepath.Join(root, rel)
	err = unix.Faccessat(unix.AT_FDCWD, path, unix.R_OK|unix.X_OK, unix.AT_EACCESS)
	switch {
	case isGone(err):
		return f, nil
	case rel != "" && (errors.Is(err, unix.EACCES) || err == nil && len(path) > maxFolder):
		return folder{count: 1, names: Names{Hidden: []string{rel}}}, nil
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

// sorted says what is not seen in a folder by its names.
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
			f.names.Hidden = append(f.names.Hidden, at)
		case e.IsDir():
			f.folders = append(f.folders, at)
		case asked && e.Type().IsRegular():
			f.names.Covered = append(f.names.Covered, at)
		case kept && e.Type().IsRegular() && workspace.GitSettings(at):
			f.names.Settings = append(f.names.Settings, at)
		}
	}
	return f
}

//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
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
		if unix.Lstat(filepath.Join(root, rel), &is) != nil {
			continue // it went away
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
		if left -= f.count; left < 0 {
			return nil, fmt.Errorf("the workspace is too large for a sandbox: more than %d files", maxWalked)
		}
		if f.whole {
			found = append(found, name{rel: rel, dir: true})
			continue
		}
		found = append(found, f.found...)
		for _, l := range f.links {
			found = append(found, linked(root, l.rel, l.secret)...)
		}
		todo = append(todo, f.folders...)
	}
	return found, nil
}

func readFolder(root, rel string) (f folder, err error) {
	dir, err := os.Open(filepath.Join(root, rel))
	if err != nil {
		return f, nil //nolint:nilerr // whoever cannot read it cannot read what is in it
	}
	entries, err := dir.ReadDir(-1)
	_ = dir.Close()
	if err != nil {
		return f, fmt.Errorf("the folder %s cannot be read: %w", rel, err)
	}
	f.count = len(entries)
	has := map[string]bool{}
	for _, e := range entries {
		switch n := e.Name(); n {
		case "HEAD", "objects", "refs", "commondir":
			has[n] = true
		}
	}
	f.whole = rel != "" && has["HEAD"] && (has["objects"] && has["refs"] || has["commondir"])
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
	return f, nil
}

// linked is what a link with a protected name leads to, if that is in the workspace: the broker keeps the link itself.
func linked(root, rel string, secret bool) []name {
	real, err := filepath.EvalSymlinks(filepath.Join(root, rel))
	if err != nil || real == root || !within(root, real) {
		return nil
	}
	info, err := os.Lstat(real)
	target, relErr := filepath.Rel(root, real)
	if err != nil || relErr != nil {
		return nil
	}
	return []name{{rel: target, dir: info.IsDir(), hide: secret}}
}

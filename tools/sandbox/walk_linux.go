//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"

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

// walked remembers what the folders of a workspace held.
type walked struct {
	mu sync.Mutex
}

// names lists what is there and protected, in every folder. Links are not followed: what they lead to has a name of its own.
func (w *walked) names(root string) ([]name, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []name
	left := maxWalked
	var walk func(rel string) error
	walk = func(rel string) error {
		dir, err := os.Open(filepath.Join(root, rel))
		if err != nil {
			return nil //nolint:nilerr // who cannot read it cannot, either
		}
		entries, err := dir.ReadDir(-1)
		_ = dir.Close()
		if err != nil {
			return fmt.Errorf("the folder %s cannot be read: %w", rel, err)
		}
		if left -= len(entries); left < 0 {
			return fmt.Errorf("the workspace is too large for a sandbox: more than %d files", maxWalked)
		}
		has := map[string]bool{}
		for _, e := range entries {
			if n := e.Name(); n == "HEAD" || n == "objects" || n == "refs" || n == "commondir" {
				has[n] = true
			}
		}
		if rel != "" && has["HEAD"] && (has["objects"] && has["refs"] || has["commondir"]) {
			found = append(found, name{rel: rel, dir: true})
			return nil
		}
		for _, e := range entries {
			at := path.Join(rel, e.Name())
			protected, secret := workspace.Named(at, e.IsDir())
			special := e.Type()&(fs.ModeSocket|fs.ModeNamedPipe|fs.ModeDevice) != 0
			switch {
			case e.Type()&fs.ModeSymlink != 0:
				if protected {
					found = append(found, linked(root, at, secret)...)
				}
			case special:
				found = append(found, name{rel: at, hide: true})
			case protected:
				found = append(found, name{rel: at, dir: e.IsDir(), hide: secret})
			case e.IsDir():
				if err := walk(at); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return found, walk("")
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

//go:build amd64 || arm64

package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/sandbox/toolchain"
)

// maxTemporary is how many bytes a command can keep in each of the folders that live in memory: /tmp and the home
// folder.
const maxTemporary = 4 << 30

// folders are those of the user's cache that a sandbox uses.
type folders struct {
	cache               string // the commands' own, shared by those of one workspace
	private             string // has a folder for each command that runs
	kept                string // has what commands replaced or removed
	layers              string // has the layers of chats
	emptyFile, emptyDir string
	executable          string
}

// folders makes them.
func (s *Sandbox) folders() (folders, error) {
	top, err := s.top()
	if err != nil {
		return folders{}, err
	}
	sum := sha256.Sum256([]byte(s.options.Root))
	f := folders{
		cache:     filepath.Join(top, filepath.Base(s.options.Root)+"-"+hex.EncodeToString(sum[:6])),
		private:   filepath.Join(top, "running"),
		kept:      filepath.Join(top, "kept", hex.EncodeToString(sum[:])),
		layers:    filepath.Join(top, layersName),
		emptyFile: filepath.Join(top, "empty-file"), emptyDir: filepath.Join(top, "empty-folder"),
	}
	for _, dir := range []string{f.cache, f.private, f.emptyDir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return folders{}, err
		}
	}
	if info, err := os.Lstat(f.emptyFile); err != nil || !info.Mode().IsRegular() || info.Size() > 0 {
		_ = os.Remove(f.emptyFile)
		if err := os.WriteFile(f.emptyFile, nil, 0o400); err != nil {
			return folders{}, err
		}
	}
	if entries, err := os.ReadDir(f.emptyDir); err != nil || len(entries) > 0 {
		return folders{}, fmt.Errorf("the folder %s must be empty: remove what is in it", f.emptyDir)
	}
	if f.executable, err = os.Executable(); err != nil {
		return folders{}, err
	}
	f.executable, err = filepath.EvalSymlinks(f.executable)
	return f, err
}

// addHome puts an empty home folder in the place of the user's, with the toolchains in it.
func (o *order) addHome(env []string, f folders) {
	defer o.add(doShare, f.cache, f.cache) // it may lie below home
	h := home()
	if h == "" {
		return
	}
	o.Own = append(o.Own, h)
	o.add(doMemory, "", h)
	o.shown = append(o.shown, toolchain.Add(toolchain.View{
		Root: o.Root, Home: h, Cache: f.cache, Shows: covered,
		Show: func(real, at string) { o.add(doShow, real, at) }, Hide: func(path string) { o.hide(path, f) },
	}, env)...)
}

// covered says whether a path is in the view already.
func covered(path string) bool {
	return slices.ContainsFunc(system, func(dir string) bool { return changes.Within(dir, path) })
}

package diagnosis

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gofrs/flock"
)

// Folder is what was found of the state folder.
type Folder struct {
	Path     string
	Missing  bool     // it is made when something is kept
	Bytes    int64    // of its files
	Open     []string // what others may read or write, relative to the folder; "." is the folder itself
	Left     []string // names of owners of locks that nobody holds, relative to the folder
	Free     uint64   // bytes on its disk
	Unwanted error    // why nothing can be written there; nil: it can
}

// State looks at a state folder, and leaves it as it is.
func State(path string) (f Folder, err error) {
	f.Path = path
	above := path
	for {
		if _, err := os.Stat(above); err == nil || filepath.Dir(above) == above {
			break
		}
		above, f.Missing = filepath.Dir(above), true
	}
	f.Free, err = free(above)
	if err != nil {
		return f, fmt.Errorf("how much space is left where %s is, cannot be told: %w", path, err)
	}
	f.Unwanted = writable(above)
	if f.Missing {
		return f, nil
	}
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // other processes work there
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Mode()&fs.ModeSymlink != 0 {
			return nil //nolint:nilerr // it is gone
		}
		rel, _ := filepath.Rel(path, name) // it is below
		if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 && private(rel, d) {
			f.Open = append(f.Open, rel)
		}
		if d.Type().IsRegular() {
			f.Bytes += info.Size()
		}
		if lock, ok := strings.CutSuffix(rel, ".owner"); ok && isFree(filepath.Join(path, lock+".lock")) {
			f.Left = append(f.Left, rel)
		}
		return nil
	})
	return f, err
}

// private reports whether a file of the state is to be private by itself: what is below a private folder is, too, but
// for the folders that programs of others fill.
func private(rel string, d fs.DirEntry) bool {
	return rel == "." || !strings.Contains(rel, string(filepath.Separator)) && d.Type().IsRegular()
}

// isFree reports whether nobody holds a lock.
func isFree(path string) bool {
	if _, err := os.Lstat(path); err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	lock := flock.New(path, flock.SetPermissions(0o600))
	held, err := lock.TryRLock()
	if err != nil || !held {
		return false
	}
	return lock.Unlock() == nil
}

// Mend makes the folder and its files private, and removes the names of owners of locks that nobody holds. It returns
// what it did, each in a few words.
func (f Folder) Mend() (done []string, err error) {
	for _, name := range f.Open {
		mode := fs.FileMode(0o600)
		if name == "." {
			mode = 0o700
		}
		if err := os.Chmod(filepath.Join(f.Path, name), mode); err != nil {
			return done, err
		}
		done = append(done, "made private: "+filepath.Join(f.Path, name))
	}
	for _, name := range f.Left {
		if !isFree(filepath.Join(f.Path, strings.TrimSuffix(name, ".owner")+".lock")) {
			continue // somebody took it meanwhile
		}
		if err := os.Remove(filepath.Join(f.Path, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return done, err
		}
		done = append(done, "removed, since nobody holds the lock: "+filepath.Join(f.Path, name))
	}
	return done, nil
}

// writable says why nothing can be made in a folder; nil: it can. It is tried: permissions alone do not tell.
func writable(folder string) error {
	made, err := os.MkdirTemp(folder, ".assent-")
	if err != nil {
		if wrong, ok := errors.AsType[*fs.PathError](err); ok {
			err = wrong.Err
		}
		return fmt.Errorf("%s cannot be written (%w)", folder, err)
	}
	return os.Remove(made)
}

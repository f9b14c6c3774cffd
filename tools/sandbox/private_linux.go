//go:build amd64 || arm64

package sandbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assent-ls/assent/tools/changes"
)

const lockName = "lock"

// newPrivate makes the private folder of a command in a folder. It is locked until remove is called, or until this
// process ends: then the next command removes it.
func newPrivate(in string) (private string, remove func(), err error) {
	removeAbandoned(in)
	private = filepath.Join(in, rand.Text())
	if err := os.Mkdir(private, 0o700); err != nil {
		return "", nil, fmt.Errorf("there is no private folder for a command: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(private, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	for _, dir := range []string{upperName, workName} {
		err = errors.Join(err, os.Mkdir(filepath.Join(private, dir), 0o700))
	}
	remove = func() {
		removeAll(private)
		_ = lock.Close() // nil is no file
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	return private, remove, nil
}

// removeAbandoned removes the private folders whose process has ended, once what was being applied is complete.
func removeAbandoned(in string) {
	entries, err := os.ReadDir(in)
	if err != nil {
		return
	}
	for _, e := range entries {
		private := filepath.Join(in, e.Name())
		lock, err := os.Open(filepath.Join(private, lockName))
		if err != nil {
			// it was never locked, or is nearly gone
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > time.Minute {
				removeAll(private)
			}
			continue
		}
		// else it is tried again before the next command
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil && changes.Finish(private) == nil {
			removeAll(private)
		}
		_ = lock.Close()
	}
}

// removeAll removes a private folder. A command may have taken the user's rights off folders in it, and so does the
// kernel.
func removeAll(private string) {
	if os.RemoveAll(private) == nil {
		return
	}
	_ = filepath.WalkDir(private, func(path string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // it is removed
		}
		return nil
	})
	_ = os.RemoveAll(private) // what is left is removed before the next command
}

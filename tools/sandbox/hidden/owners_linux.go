//go:build amd64 || arm64

package hidden

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Foreign lists, in a workspace, a few files and folders of another user or group, by their paths relative to the root.
// A command can only read them in its view: whoever is not root can give a namespace no other numbers than their own.
// Root has none such.
func Foreign(root string, most int) (found []string) {
	user, group := os.Getuid(), os.Getgid()
	if user == 0 {
		return nil
	}
	left := MaxWalked
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if left--; left < 0 || len(found) == most {
			return fs.SkipAll
		}
		if err != nil {
			return nil //nolint:nilerr // what cannot be read is hidden
		}
		info, err := entry.Info()
		if err != nil {
			return nil //nolint:nilerr // it is gone
		}
		if is, ok := info.Sys().(*syscall.Stat_t); ok && (int(is.Uid) != user || int(is.Gid) != group) {
			rel, _ := filepath.Rel(root, path)
			found = append(found, rel)
		}
		return nil
	})
	return found
}

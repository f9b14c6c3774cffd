//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// seed has a command see files otherwise than the disk has them: they are in its layer before it begins.
func seed(root, upper string, files []File) error {
	for _, f := range files {
		if err := seedFile(root, upper, f); err != nil {
			return fmt.Errorf("the command cannot see %q as it is now: %w", f.Rel, err)
		}
	}
	return nil
}

func seedFile(root, upper string, f File) error {
	if err := seedFolder(root, upper, path.Dir(f.Rel)); err != nil {
		return err
	}
	place := filepath.Join(upper, filepath.FromSlash(f.Rel))
	if f.Text == nil {
		return unix.Mknod(place, unix.S_IFCHR, 0) // an overlay takes it for a removal
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(f.Rel))); err == nil {
		mode = info.Mode().Perm()
	}
	return errors.Join(os.WriteFile(place, []byte(*f.Text), 0o600), os.Chmod(place, mode))
}

// seedFolder makes a folder in the layer, with the mode that it has on the disk.
func seedFolder(root, upper, rel string) error {
	if rel == "." {
		return nil
	}
	if err := seedFolder(root, upper, path.Dir(rel)); err != nil {
		return err
	}
	place, mode := filepath.Join(upper, filepath.FromSlash(rel)), fs.FileMode(0o755)
	if info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(rel))); err == nil && info.IsDir() {
		mode = info.Mode().Perm()
	}
	if err := os.Mkdir(place, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	}
	return os.Chmod(place, mode)
}

package changes

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// savedWhiteout is the attribute of an empty file that stands for nothing in a layer.
const savedWhiteout = overlayAttributes + "whiteout"

func isSavedWhiteout(dir int, name string) bool {
	n, err := unix.Lgetxattr(fmt.Sprintf("/proc/self/fd/%d/%s", dir, name), savedWhiteout, make([]byte, 8))
	return err == nil && n > 0
}

// Save copies a layer that lies in memory into a folder on the disk, where Read finds it. Nothing of the command may
// run any more. Both are named by descriptors, since the process that can see both has other roots.
func Save(layer, into int) error {
	from, to := tree{layer}, tree{into}
	return from.each(".", func(name string) error {
		if err := copyTree(from, name, to, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}

func rename(from tree, old string, to tree, name string, flags uint) error {
	return from.at(old, func(a int, one string) error {
		return to.at(name, func(b int, two string) error { return unix.Renameat2(a, one, b, two, flags) })
	})
}

// copyTree copies a file, link or folder to a name that is not there, with all that the overlay notes about it.
func copyTree(from tree, old string, to tree, name string) error {
	s, err := from.lstat(old)
	if err != nil {
		return err
	}
	switch s.kind() {
	case 0: // a whiteout
		return to.at(name, func(dir int, base string) error {
			fd, err := create(dir, base)
			if err != nil {
				return err
			}
			return errors.Join(unix.Fsetxattr(fd, savedWhiteout, []byte("y"), 0), unix.Close(fd))
		})
	case unix.S_IFLNK:
		return copyTo(from, old, to, name)
	case unix.S_IFREG, unix.S_IFDIR:
		one := copyTo
		if s.kind() == unix.S_IFDIR {
			one = copyFolder
		}
		if err := one(from, old, to, name); err != nil {
			return err
		}
		return to.at(name, func(dir int, base string) error { // Read says what becomes of the higher bits
			return errors.Join(setTimes(dir, base, s), unix.Fchmodat(dir, base, s.Mode&0o7777, 0))
		})
	}
	// Read leaves it out, as the original
	return to.at(name, func(dir int, base string) error { return unix.Mknodat(dir, base, unix.S_IFIFO|0o600, 0) })
}

// create makes a file under a name that is not there.
func create(dir int, name string) (fd int, err error) {
	const flags = unix.O_CREAT | unix.O_EXCL | unix.O_WRONLY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	return unix.Openat(dir, name, flags, 0o600)
}

func copyFolder(from tree, old string, to tree, name string) error {
	opaque, err := from.opaque(old)
	if err == nil {
		err = to.mkdir(name)
	}
	if err == nil {
		err = from.each(old, func(at string) error { return copyTree(from, at, to, path.Join(name, path.Base(at))) })
	}
	if err == nil && opaque {
		err = to.setOpaque(name)
	}
	return err
}

// copyTo copies a file or link to a name that is not there, with its mode and times.
func copyTo(from tree, old string, to tree, name string) error {
	s, err := from.lstat(old)
	if err != nil {
		return err
	}
	if s.kind() == unix.S_IFLNK {
		target, err := from.link(old)
		if err != nil {
			return err
		}
		return to.at(name, func(dir int, base string) error { return unix.Symlinkat(target, dir, base) })
	}
	in, err := from.file(old, unix.O_RDONLY)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // only read
	return to.at(name, func(dir int, base string) error {
		fd, err := create(dir, base)
		if err != nil {
			return err
		}
		out := os.NewFile(uintptr(fd), base)
		_, err = io.Copy(out, in)
		return errors.Join(err, unix.Fchmod(fd, s.Mode&0o777), out.Close(), setTimes(dir, base, s))
	})
}

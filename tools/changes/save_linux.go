package changes

import (
	"errors"
	"fmt"
	"path"

	"golang.org/x/sys/unix"
)

// savedWhiteout is the attribute of an empty file that stands for nothing in a layer.
const savedWhiteout = overlayAttributes + "whiteout"

func isSavedWhiteout(dir int, name string) bool {
	n, err := unix.Lgetxattr(fmt.Sprintf("/proc/self/fd/%d/%s", dir, name), savedWhiteout, make([]byte, 8))
	return err == nil && n > 0
}

// Save copies a layer that lies in memory into a folder on the disk, where Read finds it. Nothing of the command may run any more. Both are named
// by descriptors, since the process that can see both has other roots.
func Save(layer, into int) error {
	from, to := tree{layer}, tree{into}
	names, err := from.names(".")
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := save(from, name, to); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// save copies one name with all below it.
func save(from tree, rel string, to tree) error {
	s, err := from.lstat(rel)
	if err != nil {
		return err
	}
	switch s.kind() {
	case 0: // a whiteout
		return to.at(rel, func(dir int, name string) error {
			fd, err := unix.Openat(dir, name, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
			if err != nil {
				return err
			}
			return errors.Join(unix.Fsetxattr(fd, savedWhiteout, []byte("y"), 0), unix.Close(fd))
		})
	case unix.S_IFREG:
		if err := copyTo(from, rel, to, rel); err != nil {
			return err
		}
		return to.at(rel, func(dir int, name string) error { return unix.Fchmodat(dir, name, s.Mode&0o7777, 0) }) // Read says what becomes of the higher bits
	case unix.S_IFLNK:
		return copyTo(from, rel, to, rel)
	case unix.S_IFDIR:
		return saveFolder(from, rel, to, s)
	}
	return to.at(rel, func(dir int, name string) error { return unix.Mknodat(dir, name, unix.S_IFIFO|0o600, 0) }) // Read leaves it out, as the original
}

func saveFolder(from tree, rel string, to tree, s stat) error {
	opaque, err := from.opaque(rel)
	if err != nil {
		return err
	}
	names, err := from.names(rel)
	if err != nil {
		return err
	}
	if err := to.at(rel, func(dir int, name string) error { return unix.Mkdirat(dir, name, 0o700) }); err != nil {
		return err
	}
	for _, name := range names {
		if err := save(from, path.Join(rel, name), to); err != nil {
			return err
		}
	}
	if opaque {
		fd, err := to.folder(rel)
		if err != nil {
			return err
		}
		if err := errors.Join(unix.Fsetxattr(fd, overlayAttributes+"opaque", []byte("y"), 0), unix.Close(fd)); err != nil {
			return err
		}
	}
	return to.at(rel, func(dir int, name string) error {
		err := unix.UtimesNanoAt(dir, name, []unix.Timespec{s.Accessed, s.Modified}, unix.AT_SYMLINK_NOFOLLOW)
		return errors.Join(err, unix.Fchmodat(dir, name, s.Mode&0o7777, 0))
	})
}

package changes

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// tree is a folder whose names are reached by descriptors, without following a link.
type tree struct{ fd int }

func openTree(dir string) (tree, error) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return tree{}, fmt.Errorf("%s: %w", dir, err)
	}
	return tree{fd}, nil
}

func (t tree) close() { _ = unix.Close(t.fd) }

// openTrees opens several, which closeAll closes.
func openTrees(dirs ...string) (trees []tree, closeAll func(), err error) {
	closeAll = func() {
		for _, t := range trees {
			t.close()
		}
	}
	for _, dir := range dirs {
		t, err := openTree(dir)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		trees = append(trees, t)
	}
	return trees, closeAll, nil
}

// folder opens a folder of the tree, which is closed by the caller: O_RDONLY to read it, or O_PATH.
func (t tree) folder(rel string, how uint64) (int, error) {
	return unix.Openat2(t.fd, rel, &unix.OpenHow{
		Flags:   how | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
}

// at calls do with the folder of a path, and its name there.
func (t tree) at(rel string, do func(dir int, name string) error) error {
	if !strings.Contains(rel, "/") {
		return do(t.fd, rel)
	}
	dir, err := t.folder(path.Dir(rel), unix.O_PATH)
	if err != nil {
		return err
	}
	defer unix.Close(dir) //nolint:errcheck // only a place
	return do(dir, path.Base(rel))
}

// file opens a regular file.
func (t tree) file(rel string, flags int) (f *os.File, err error) {
	err = t.at(rel, func(dir int, name string) error {
		fd, err := unix.Openat(dir, name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		if err == nil {
			f = os.NewFile(uintptr(fd), rel)
		}
		return err
	})
	return f, err
}

// fileIn is file for a folder that is not open yet.
func fileIn(dir, rel string, flags int) (*os.File, error) {
	t, err := openTree(dir)
	if err != nil {
		return nil, err
	}
	defer t.close()
	return t.file(rel, flags)
}

// stat is what is known of a name; the zero value is that of nothing.
type stat struct {
	Mode          uint32 // as the kernel has it
	Inode, Device uint64
	Links         uint64
	Size          int64
	Blocks        uint64 // of 512 bytes on the disk
	Modified      unix.Timespec
	Changed       unix.Timespec // when the kernel last changed something about it, which nobody can set
	Accessed      unix.Timespec
}

func (s stat) kind() uint32 { return s.Mode & unix.S_IFMT }

func (s stat) missing() bool { return s.Mode == 0 }

// since reports whether something about it changed at a time or later.
func (s stat) since(t time.Time) bool { return !time.Unix(s.Changed.Unix()).Before(t) }

func statIn(dir int, name string) (stat, error) {
	var is unix.Stat_t
	err := unix.Fstatat(dir, name, &is, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case gone(err):
		return stat{}, nil
	case err != nil:
		return stat{}, err
	}
	s := stat{Mode: is.Mode, Inode: is.Ino, Device: is.Dev, Links: uint64(is.Nlink), Size: is.Size, Blocks: uint64(is.Blocks), Modified: is.Mtim, Changed: is.Ctim, Accessed: is.Atim} //nolint:unconvert // of other types on other processors
	if s.kind() == unix.S_IFCHR && is.Rdev == 0 ||
		s.kind() == unix.S_IFREG && s.Size == 0 && isSavedWhiteout(dir, name) {
		s.Mode = whiteout
	}
	return s, nil
}

// whiteout is the mode of what stands for nothing in a layer: a character device 0/0, or what Save makes of one.
const whiteout = 1

// lstat is what a path is; nothing if the folder that it would be in is none.
func (t tree) lstat(rel string) (s stat, err error) {
	err = t.at(rel, func(dir int, name string) error {
		s, err = statIn(dir, name)
		return err
	})
	if gone(err) {
		return stat{}, nil
	}
	return s, err
}

func gone(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP)
}

// names lists a folder.
func (t tree) names(rel string) ([]string, error) {
	fd, err := t.folder(rel, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), rel)
	defer f.Close() //nolint:errcheck // only read
	return f.Readdirnames(-1)
}

// each calls do with the path of each name in a folder.
func (t tree) each(rel string, do func(at string) error) error {
	names, err := t.names(rel)
	if err != nil {
		return fmt.Errorf("%s: %w", rel, err)
	}
	for _, name := range names {
		if err := do(path.Join(rel, name)); err != nil {
			return err
		}
	}
	return nil
}

// unlink removes a name; a folder's with AT_REMOVEDIR.
func (t tree) unlink(rel string, flags int) error {
	return t.at(rel, func(dir int, name string) error { return unix.Unlinkat(dir, name, flags) })
}

// removeAll removes a file, link or folder with all that is in it.
func (t tree) removeAll(rel string) error {
	return t.at(
		rel, func(dir int, name string) error { return os.RemoveAll(fmt.Sprintf("/proc/self/fd/%d/%s", dir, name)) },
	)
}

// setTimes gives a name the times of another one.
func setTimes(dir int, name string, s stat) error {
	return unix.UtimesNanoAt(dir, name, []unix.Timespec{s.Accessed, s.Modified}, unix.AT_SYMLINK_NOFOLLOW)
}

// link is where a link leads.
func (t tree) link(rel string) (to string, err error) {
	err = t.at(rel, func(dir int, name string) error {
		buffer := make([]byte, unix.PathMax)
		n, err := unix.Readlinkat(dir, name, buffer)
		to = string(buffer[:max(0, n)])
		return err
	})
	return to, err
}

// same reports whether two files have the same bytes.
func same(a tree, b tree, rel string) (bool, error) {
	x, err := a.file(rel, unix.O_RDONLY)
	if err != nil {
		return false, err
	}
	defer x.Close() //nolint:errcheck // only read
	y, err := b.file(rel, unix.O_RDONLY)
	if err != nil {
		return false, err
	}
	defer y.Close() //nolint:errcheck // only read
	one, two := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, errX := io.ReadFull(x, one)
		m, errY := io.ReadFull(y, two)
		switch {
		case string(one[:n]) != string(two[:m]):
			return false, nil
		case ended(errX) && ended(errY):
			return true, nil
		case errX != nil || errY != nil:
			return false, errors.Join(errX, errY)
		}
	}
}

func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// overlayAttributes are how the kernel notes in a layer what a file or folder stands for.
const overlayAttributes = "user.overlay."

// opaque reports whether a folder of the layer hides what lies below it.
func (t tree) opaque(rel string) (bool, error) {
	fd, err := t.folder(rel, unix.O_RDONLY)
	if err != nil {
		return false, err
	}
	defer unix.Close(fd) //nolint:errcheck // only read
	value := make([]byte, 8)
	n, err := unix.Fgetxattr(fd, overlayAttributes+"opaque", value)
	if errors.Is(err, unix.ENODATA) || errors.Is(err, unix.ENOTSUP) {
		return false, nil
	}
	return err == nil && n > 0 && value[0] == 'y', err
}

// plain takes the overlay's attributes off a file or folder of the layer.
func plain(dir int, name string) error {
	at := fmt.Sprintf("/proc/self/fd/%d/%s", dir, name)
	size, err := unix.Llistxattr(at, nil)
	if size == 0 || errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	buffer := make([]byte, max(0, size))
	n, err := unix.Llistxattr(at, buffer)
	if err != nil {
		return err
	}
	for attribute := range strings.SplitSeq(string(buffer[:n]), "\x00") {
		if strings.HasPrefix(attribute, overlayAttributes) {
			err = errors.Join(err, unix.Lremovexattr(at, attribute))
		}
	}
	return err
}

// mode is a mode as Go has it, without the bits that give a program other rights.
func (s stat) mode() fs.FileMode {
	m := fs.FileMode(s.Mode & 0o777)
	switch s.kind() {
	case unix.S_IFDIR:
		m |= fs.ModeDir
	case unix.S_IFLNK:
		m |= fs.ModeSymlink
	}
	return m
}

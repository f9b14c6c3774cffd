//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// place is a name in a folder that is held open.
type place struct {
	dir      int
	name     string
	brokered bool   // the command has no right of its own to make names there
	inside   bool   // in the workspace
	rel      string // there, relative to its root
}

func (p place) close() { _ = unix.Close(p.dir) }

// find opens the folder that a path of the command leads to. Links in it are followed, as the kernel does, but not those of
// /proc, which mean other files for the broker. Whatever the broker does not understand is left to the kernel: errNative.
func (b *broker) find(a asker, at int, address uint64) (place, error) {
	name, err := a.text(address)
	if err != nil {
		return place{}, err
	}
	base := "/"
	switch {
	case strings.HasPrefix(name, "/"):
	case at == cwd:
		base = fmt.Sprintf("/proc/%d/cwd", a.pid)
	default:
		base = fmt.Sprintf("/proc/%d/fd/%d", a.pid, at)
	}
	dir, err := unix.Open(base, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return place{}, errNative
	}
	defer unix.Close(dir) //nolint:errcheck // only a place
	return b.below(dir, name)
}

// below is find from an open folder.
func (b *broker) below(dir int, name string) (place, error) {
	folder, last := path.Split(strings.TrimRight(name, "/"))
	if last == "" || last == "." || last == ".." {
		return place{}, errNative // none of these can be made, moved or removed
	}
	if folder == "" {
		folder = "."
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	at, err := unix.Openat2(dir, folder, &how)
	if err != nil {
		return place{}, errNative
	}
	p := place{dir: at, name: last}
	buffer := make([]byte, unix.PathMax)
	n, err := unix.Readlink(fmt.Sprintf("/proc/self/fd/%d", at), buffer)
	if err != nil {
		p.close()
		return place{}, errNative
	}
	real := string(buffer[:n])
	if rest, ok := strings.CutPrefix(real+"/", b.root+"/"); ok {
		p.inside, p.rel = true, path.Join(rest, last)
	}
	p.brokered = p.inside || slices.ContainsFunc(b.around, func(dir string) bool { return within(dir, real) })
	return p, nil
}

// maxLinks is how many links in a row are followed.
const maxLinks = 20

// open opens a file that may have to be made.
func (b *broker) open(a asker, p place, c call) (*opened, error) {
	for range maxLinks {
		if !p.brokered || c.flags&(unix.O_PATH|unix.O_DIRECTORY) != 0 {
			return nil, errNative
		}
		var is unix.Stat_t
		err := unix.Fstatat(p.dir, p.name, &is, unix.AT_SYMLINK_NOFOLLOW)
		switch {
		case err == unix.ENOENT:
			return b.make(a, p, c)
		case err != nil:
			return nil, errNative
		case is.Mode&unix.S_IFMT == unix.S_IFLNK && c.flags&(unix.O_EXCL|unix.O_NOFOLLOW) == 0:
			next, err := b.follow(p)
			if err != nil {
				return nil, err
			}
			defer next.close()
			p = next
		case is.Mode&unix.S_IFMT == unix.S_IFREG && c.flags&unix.O_EXCL == 0:
			return openAt(p, c.flags&^unix.O_CREAT, 0)
		default:
			return nil, errNative
		}
	}
	return nil, unix.ELOOP
}

func (b *broker) make(a asker, p place, c call) (*opened, error) {
	var file *opened
	err := b.unlessHeld(p, false, func() (err error) {
		file, err = openAt(p, c.flags, c.mode&^a.umask()&0o7777)
		return err
	})
	return file, err
}

func openAt(p place, flags int, mode uint32) (*opened, error) {
	fd, err := unix.Openat(p.dir, p.name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NOCTTY, mode)
	if err != nil {
		return nil, err
	}
	return &opened{fd: fd, flags: flags}, nil
}

// follow is the place that a link leads to.
func (b *broker) follow(p place) (place, error) {
	buffer := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(p.dir, p.name, buffer)
	if err != nil {
		return place{}, err
	}
	return b.below(p.dir, string(buffer[:n]))
}

// move renames a name, or gives a file a second one.
func (b *broker) move(a asker, to place, c call) error {
	from, err := b.find(a, c.from, c.old)
	if err != nil {
		return err
	}
	defer from.close()
	switch {
	case !from.brokered && !to.brokered:
		return errNative
	case from.brokered != to.brokered || from.inside != to.inside:
		return unix.EXDEV // the workspace, and each folder of the command's own, is a mount
	case c.do == doLink && c.flags != 0, c.do == doRename && c.flags&unix.RENAME_WHITEOUT != 0:
		return unix.EPERM
	}
	var is unix.Stat_t
	if err := unix.Fstatat(from.dir, from.name, &is, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	dir := is.Mode&unix.S_IFMT == unix.S_IFDIR
	held := to.inside && (b.holds(from.rel, dir) || b.holds(to.rel, dir) || dir && (b.wouldHold(from, to.rel) || b.guards(from.rel)))
	if to.inside && c.do == doRename && c.flags&unix.RENAME_EXCHANGE != 0 {
		held = held || b.holds(from.rel, !dir) || b.holds(to.rel, !dir) || b.wouldHold(to, from.rel) || b.guards(to.rel)
	}
	switch {
	case held:
		b.refused(to.rel)
		return unix.EROFS
	case c.do == doLink:
		return unix.Linkat(from.dir, from.name, to.dir, to.name, 0)
	}
	return unix.Renameat2(from.dir, from.name, to.dir, to.name, uint(c.flags))
}

// guards says whether a guarded file lies below a folder: moved with it, it would be for other files.
func (b *broker) guards(rel string) bool {
	return slices.ContainsFunc(b.guarded, func(file string) bool { return within(rel, file) })
}

// wouldHold says whether something in a folder would be protected under another name of the folder. No protected name has more than
// two parts, so what lies deeper does not count.
func (b *broker) wouldHold(p place, rel string) bool {
	fd, err := unix.Openat(p.dir, p.name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err != unix.ENOTDIR && err != unix.ENOENT && err != unix.ELOOP
	}
	defer unix.Close(fd) //nolint:errcheck // only read
	buffer := make([]byte, 32<<10)
	for {
		n, err := unix.ReadDirent(fd, buffer)
		if err != nil {
			return true
		}
		if n <= 0 {
			return false
		}
		_, _, names := unix.ParseDirent(buffer[:n], -1, nil)
		for _, name := range names {
			if b.holds(path.Join(rel, name), true) || b.holds(path.Join(rel, name), false) {
				if !b.holds(path.Join(p.rel, name), true) && !b.holds(path.Join(p.rel, name), false) {
					return true
				}
			}
		}
	}
}

//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// broker does in a command's place what makes, moves or removes names in the workspace. It is one thread, so nothing that the
// command does comes between its look at a name and what it does there.
type broker struct {
	listener int
	root     string                  // the workspace
	around   []string                // the folders of the command's own that the workspace lies in
	guarded  []string                // the guarded files of the workspace, relative to its root: no folder moves with one
	holds    func(string, bool) bool // whether a path relative to the root is protected or guarded
	refused  func(rel string)        // told of each protected name that was asked for
}

// cwd stands for the folder that a process is in.
const cwd = unix.AT_FDCWD

// deed is what a call does.
type deed int

const (
	doOpen deed = iota
	doMkdir
	doMknod
	doLink
	doSymlink
	doRename
	doUnlink
)

// call is what a command asked for: paths are addresses in its memory, folders are its file descriptors.
type call struct {
	do        deed
	from, at  int
	old, path uint64
	flags     int
	mode      uint32
}

// decodeAt reads the calls that every processor has.
func decodeAt(nr int, a [6]uint64) (c call, ok bool) {
	switch nr {
	case unix.SYS_OPENAT:
		return call{do: doOpen, at: int(int32(a[0])), path: a[1], flags: int(uint32(a[2])), mode: uint32(a[3])}, true
	case unix.SYS_MKDIRAT:
		return call{do: doMkdir, at: int(int32(a[0])), path: a[1], mode: uint32(a[2])}, true
	case unix.SYS_MKNODAT:
		return call{do: doMknod, at: int(int32(a[0])), path: a[1], mode: uint32(a[2])}, true
	case unix.SYS_LINKAT:
		return call{do: doLink, from: int(int32(a[0])), old: a[1], at: int(int32(a[2])), path: a[3], flags: int(uint32(a[4]))}, true
	case unix.SYS_SYMLINKAT:
		return call{do: doSymlink, old: a[0], at: int(int32(a[1])), path: a[2]}, true
	case unix.SYS_RENAMEAT2:
		return call{do: doRename, from: int(int32(a[0])), old: a[1], at: int(int32(a[2])), path: a[3], flags: int(uint32(a[4]))}, true
	case unix.SYS_UNLINKAT:
		return call{do: doUnlink, at: int(int32(a[0])), path: a[1], flags: int(uint32(a[2]))}, true
	}
	return call{}, false
}

// notification is a call that waits, as the kernel describes it.
type notification struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

// response ends a call with an error, or lets the kernel do it.
type response struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

// gift ends a call that opens a file with a file of the broker.
type gift struct {
	id              uint64
	flags, file     uint32
	newFile, onExec uint32
}

// errNative says that a call is none of the broker's: the kernel does it, within the rights that Landlock gave.
var errNative = errors.New("done by the kernel")

// run is serve on a thread of its own, with no more rights than the command and its own umask: the modes that are asked for are narrowed
// by that of the process that asks.
func (b *broker) run() {
	runtime.LockOSThread()
	// A signal while a file is handed over would make the command's open return 0, with no file.
	all := unix.Sigset_t{}
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	if unix.PthreadSigmask(unix.SIG_SETMASK, &all, nil) != nil || unix.Unshare(unix.CLONE_FS) != nil || dropRights() != nil {
		_ = unix.Close(b.listener) // then all that it would do fails
		return
	}
	unix.Umask(0)
	b.serve()
}

// serve answers calls until none can come any more.
func (b *broker) serve() {
	for {
		var n notification
		switch errno := b.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); {
		case errno == unix.EINTR || errno == unix.ENOENT || errno == unix.EAGAIN:
			continue // who asked is gone
		case errno != 0:
			return
		}
		b.answer(&n)
	}
}

func (b *broker) ioctl(request uintptr, arg unsafe.Pointer) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(b.listener), request, uintptr(arg))
	return errno
}

func (b *broker) answer(n *notification) {
	file, err := b.do(n)
	r := response{id: n.id}
	switch errno := unix.Errno(0); {
	case errors.Is(err, errNative):
		r.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	case errors.As(err, &errno):
		r.errno = -int32(errno)
	case err != nil:
		r.errno = -int32(unix.EACCES)
	case file != nil:
		g := gift{id: n.id, flags: unix.SECCOMP_ADDFD_FLAG_SEND, file: uint32(file.fd), onExec: uint32(file.flags & unix.O_CLOEXEC)}
		errno = b.ioctl(unix.SECCOMP_IOCTL_NOTIF_ADDFD, unsafe.Pointer(&g))
		_ = unix.Close(file.fd)
		if errno == 0 || errno == unix.ENOENT {
			return
		}
		r.errno = -int32(errno)
	}
	_ = b.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r)) // who asked may be gone
}

// opened is a file that the broker opened for the command.
type opened struct{ fd, flags int }

func (b *broker) do(n *notification) (*opened, error) {
	c, ok := decode(int(n.nr), n.args)
	if !ok {
		return nil, unix.ENOSYS
	}
	a := asker{pid: int(n.pid)}
	target, err := b.find(a, c.at, c.path)
	if err != nil {
		return nil, err
	}
	defer target.close()
	switch {
	case c.do == doOpen:
		return b.open(a, target, c)
	case c.do == doRename || c.do == doLink:
		return nil, b.move(a, target, c)
	case !target.brokered:
		return nil, errNative
	}
	switch c.do {
	case doMkdir:
		return nil, b.unlessHeld(target, true, func() error { return unix.Mkdirat(target.dir, target.name, c.mode&^a.umask()) })
	case doMknod:
		if kind := c.mode & unix.S_IFMT; kind != 0 && kind != unix.S_IFREG && kind != unix.S_IFIFO {
			return nil, unix.EPERM
		}
		return nil, b.unlessHeld(target, false, func() error { return unix.Mknodat(target.dir, target.name, c.mode&^a.umask(), 0) })
	case doSymlink:
		to, err := a.text(c.old)
		if err != nil {
			return nil, err
		}
		return nil, b.unlessHeld(target, false, func() error { return unix.Symlinkat(to, target.dir, target.name) })
	default:
		return nil, b.unlessHeld(target, c.flags&unix.AT_REMOVEDIR != 0, func() error { return unix.Unlinkat(target.dir, target.name, c.flags) })
	}
}

// unlessHeld does something at a place whose name is not protected.
func (b *broker) unlessHeld(p place, dir bool, do func() error) error {
	if p.inside && b.holds(p.rel, dir) {
		b.refused(p.rel)
		return unix.EROFS // what is protected and exists lies on a read-only mount: it is the same error
	}
	return do()
}

// asker is the process that asks.
type asker struct{ pid int }

// text reads a string in the memory of the process.
func (a asker) text(address uint64) (string, error) {
	mem, err := unix.Open(fmt.Sprintf("/proc/%d/mem", a.pid), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(mem) //nolint:errcheck // only read
	var text []byte
	page := uint64(os.Getpagesize())
	for len(text) < unix.PathMax {
		piece := make([]byte, page-(address+uint64(len(text)))%page) // the next page may not be there
		n, err := unix.Pread(mem, piece, int64(address)+int64(len(text)))
		if n <= 0 {
			return "", errors.Join(unix.EFAULT, err)
		}
		before, _, ended := strings.Cut(string(piece[:n]), "\x00")
		text = append(text, before...)
		if ended {
			return string(text), nil
		}
	}
	return "", unix.ENAMETOOLONG
}

// umask are the permissions that the process gives nobody.
func (a asker) umask() uint32 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", a.pid))
	mask := uint32(0o077) // where it cannot be read
	if _, rest, ok := strings.Cut(string(status), "\nUmask:"); ok {
		_, _ = fmt.Sscanf(rest, "%o", &mask)
	}
	return mask
}

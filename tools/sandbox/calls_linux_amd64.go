package sandbox

import "golang.org/x/sys/unix"

const nativeArch = unix.AUDIT_ARCH_X86_64

// openCalls are the calls that may make a file, and which argument says whether they do.
var openCalls = map[int]int{unix.SYS_OPEN: 1, unix.SYS_OPENAT: 2}

// brokered are the calls that make, move or remove names.
var brokered = []int{
	unix.SYS_CREAT, unix.SYS_MKDIR, unix.SYS_MKDIRAT, unix.SYS_MKNOD, unix.SYS_MKNODAT, unix.SYS_LINK, unix.SYS_LINKAT, unix.SYS_SYMLINK,
	unix.SYS_SYMLINKAT, unix.SYS_RENAME, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_UNLINK, unix.SYS_UNLINKAT, unix.SYS_RMDIR,
}

// decode reads what a call asks for. ok is false for one that the broker does not know.
func decode(nr int, a [6]uint64) (c call, ok bool) {
	switch nr {
	case unix.SYS_OPEN:
		return call{do: doOpen, at: cwd, path: a[0], flags: int(uint32(a[1])), mode: uint32(a[2])}, true
	case unix.SYS_CREAT:
		return call{do: doOpen, at: cwd, path: a[0], flags: unix.O_CREAT | unix.O_WRONLY | unix.O_TRUNC, mode: uint32(a[1])}, true
	case unix.SYS_MKDIR:
		return call{do: doMkdir, at: cwd, path: a[0], mode: uint32(a[1])}, true
	case unix.SYS_MKNOD:
		return call{do: doMknod, at: cwd, path: a[0], mode: uint32(a[1])}, true
	case unix.SYS_LINK:
		return call{do: doLink, from: cwd, old: a[0], at: cwd, path: a[1]}, true
	case unix.SYS_SYMLINK:
		return call{do: doSymlink, old: a[0], at: cwd, path: a[1]}, true
	case unix.SYS_RENAME:
		return call{do: doRename, from: cwd, old: a[0], at: cwd, path: a[1]}, true
	case unix.SYS_RENAMEAT:
		return call{do: doRename, from: int(int32(a[0])), old: a[1], at: int(int32(a[2])), path: a[3]}, true
	case unix.SYS_UNLINK:
		return call{do: doUnlink, at: cwd, path: a[0]}, true
	case unix.SYS_RMDIR:
		return call{do: doUnlink, at: cwd, path: a[0], flags: unix.AT_REMOVEDIR}, true
	}
	return decodeAt(nr, a)
}

package sandbox

import "golang.org/x/sys/unix"

const nativeArch = unix.AUDIT_ARCH_AARCH64

// openCalls are the calls that may make a file, and which argument says whether they do.
var openCalls = map[int]int{unix.SYS_OPENAT: 2}

// brokered are the calls that make, move or remove names.
var brokered = []int{
	unix.SYS_MKDIRAT, unix.SYS_MKNODAT, unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_UNLINKAT,
}

// decode reads what a call asks for. ok is false for one that the broker does not know.
func decode(nr int, a [6]uint64) (c call, ok bool) {
	if nr == unix.SYS_RENAMEAT {
		return call{do: doRename, from: int(int32(a[0])), old: a[1], at: int(int32(a[2])), path: a[3]}, true
	}
	return decodeAt(nr, a)
}

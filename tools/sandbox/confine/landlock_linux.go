//go:build amd64 || arm64

package confine

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock is called by hand, since the library for it restricts all threads of a process: here only the thread that
// starts the command is bound, whose restrictions the command inherits.

const (
	rightsRead  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	rightsWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	rightsMake  = unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
)

// minLandlock is the first version that lets files move between folders at all (Linux 5.19).
const minLandlock = 2

// Landlock is the version of Landlock in this kernel, 0 if there is none.
func Landlock() int {
	const askVersion = 1
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, askVersion)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// HideLandlock is a variable for tests and for a person who searches for a fault: Kernel says then that there is no
// Landlock.
const HideLandlock = "ASSENT_SANDBOX_NO_LANDLOCK"

// Kernel says what the kernel lacks.
func Kernel() error {
	switch v := Landlock(); {
	case os.Getenv(HideLandlock) != "":
		return errors.New(HideLandlock + " hides Landlock")
	case v == 0:
		return errors.New("the kernel has no Landlock, or it is off")
	case v < minLandlock:
		return fmt.Errorf("the kernel's Landlock is too old (version %d; %d came with Linux 5.19)", v, minLandlock)
	}
	return nil
}

// landlock binds the calling thread, and all that it starts, to the rights given by folder. Without a rule for it
// nothing is allowed.
func landlock(rights map[string]uint64) error {
	version := Landlock()
	if version < minLandlock {
		return Kernel()
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: rightsRead | rightsWrite | rightsMake}
	if version < 3 {
		attr.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version < 5 {
		attr.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	fd, _, errno := unix.Syscall(
		unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0,
	)
	if errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	defer unix.Close(int(fd)) //nolint:errcheck // only used here
	for dir, allowed := range rights {
		if err := allow(int(fd), dir, allowed&attr.Handled_access_fs); err != nil {
			return fmt.Errorf("landlock: %s: %w", dir, err)
		}
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	return nil
}

func allow(ruleset int, dir string, rights uint64) error {
	at, err := unix.Open(dir, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(at) //nolint:errcheck // only used here
	const pathBeneath = 1
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(at)}
	_, _, errno := unix.Syscall6(
		unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), pathBeneath, uintptr(unsafe.Pointer(&attr)), 0, 0, 0,
	)
	if errno != 0 {
		return errno
	}
	return nil
}

//go:build amd64 || arm64

// Package confine takes rights from a thread before it starts a command: with Landlock, a filter of system calls,
// limits, and without capabilities.
package confine

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Thread takes from the calling thread, and from all that it starts, whatever a command shall not have. It may write in
// the workspace root and in its own folders alone.
func Thread(root string, own []string) error {
	if err := limit(); err != nil {
		return err
	}
	if err := dropRights(); err != nil {
		return err
	}
	rights := map[string]uint64{
		"/":    rightsRead,
		"/dev": unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV | unix.LANDLOCK_ACCESS_FS_TRUNCATE,
	}
	for _, dir := range append(own, root) {
		rights[dir] = rightsRead | rightsWrite | rightsMake
	}
	if err := landlock(rights); err != nil {
		return err
	}
	return filter().install(0)
}

// dropRights gives up, for the calling thread and what it starts, all rights over namespaces and all ways to new ones.
func dropRights() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) &&
			!errors.Is(err, unix.EPERM) {
			return fmt.Errorf("capability %d: %w", c, err)
		}
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	none := [2]unix.CapUserData{}
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	return nil
}

const maxFile = 2 << 30 // bytes in one file

// limit sets limits that no ordinary build or test meets.
func limit() error {
	for resource, n := range map[int]uint64{unix.RLIMIT_FSIZE: maxFile, unix.RLIMIT_CORE: 0} {
		var old unix.Rlimit
		if err := unix.Getrlimit(resource, &old); err != nil {
			return err
		}
		n = min(n, old.Cur)
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("limit %d: %w", resource, err)
		}
	}
	return nil
}

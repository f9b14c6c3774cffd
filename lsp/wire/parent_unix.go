//go:build unix

package wire

import (
	"errors"
	"syscall"
)

// processAlive asks with the null signal; a process of another user is alive too.
func processAlive(pid int) bool {
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

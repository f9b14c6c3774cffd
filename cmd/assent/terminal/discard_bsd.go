//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// discard throws away what was typed and not yet read.
func discard(in *os.File) error {
	const read = 1 // FREAD of sys/fcntl.h
	return unix.IoctlSetPointerInt(int(in.Fd()), unix.TIOCFLUSH, read)
}

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// discard throws away what was typed and not yet read.
func discard(in *os.File) error { return unix.IoctlSetInt(int(in.Fd()), unix.TCFLSH, unix.TCIFLUSH) }

//go:build unix

package diskfile

import (
	"io/fs"
	"os"
	"syscall"
)

// noBlock keeps the opening of a pipe from waiting for its other end.
const noBlock = syscall.O_NONBLOCK | syscall.O_NOCTTY

// keepOwner gives f the owner of the file that it will replace, as far as the user may.
func keepOwner(f *os.File, like fs.FileInfo) {
	if stat, ok := like.Sys().(*syscall.Stat_t); ok {
		// only root may in general: for others the file becomes the user's own
		_ = f.Chown(int(stat.Uid), int(stat.Gid))
	}
}

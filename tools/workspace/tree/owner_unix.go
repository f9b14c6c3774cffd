//go:build unix

package tree

import (
	"io/fs"
	"os"
	"syscall"
)

// noBlock keeps the opening of a FIFO from waiting for a writer.
const noBlock = syscall.O_NONBLOCK

// keepOwner gives f the owner and group of the file that it will replace, as far as the user may.
func keepOwner(f *os.File, like fs.FileInfo) {
	stat, ok := like.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	// Only root may give a file away: for others it becomes the user's own, in a group that the user is in.
	if err := f.Chown(int(stat.Uid), int(stat.Gid)); err != nil {
		_ = f.Chown(-1, int(stat.Gid))
	}
}

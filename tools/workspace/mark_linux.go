package workspace

import (
	"io/fs"
	"syscall"
	"time"
)

// markOf is the mark of a file or folder.
func markOf(info fs.FileInfo) mark {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return mark{}
	}
	return mark{stat.Dev, stat.Ino, time.Unix(stat.Ctim.Unix())}
}

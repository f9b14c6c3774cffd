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
	return markFrom(stat)
}

// markAt is the mark of what has an absolute path. A link is followed: what matters is which folder or file is reached.
func markAt(abs string) mark {
	var stat syscall.Stat_t
	if _, err := again(func() (int, error) { return 0, syscall.Stat(abs, &stat) }); err != nil {
		return mark{}
	}
	return markFrom(&stat)
}

func markFrom(stat *syscall.Stat_t) mark {
	return mark{stat.Dev, stat.Ino, time.Unix(stat.Ctim.Unix())}
}

package tree

import (
	"io/fs"
	"syscall"
	"time"
)

// MarkOf is the mark of a file or folder.
func MarkOf(info fs.FileInfo) Mark {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Mark{}
	}
	return markFrom(stat)
}

// markAt is the mark of what has an absolute path. A link is followed: what matters is which folder or file is reached.
func markAt(abs string) Mark {
	var stat syscall.Stat_t
	if _, err := again(func() (int, error) { return 0, syscall.Stat(abs, &stat) }); err != nil {
		return Mark{}
	}
	return markFrom(&stat)
}

func markFrom(stat *syscall.Stat_t) Mark {
	return Mark{stat.Dev, stat.Ino, time.Unix(stat.Ctim.Unix())}
}

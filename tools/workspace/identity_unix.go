//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// Identity names a file or folder itself, whatever its path, as long as it exists: inodes are used again.
func Identity(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "unknown"
	}
	return strconv.FormatUint(uint64(stat.Dev), 10) + ":" + strconv.FormatUint(stat.Ino, 10) //nolint:unconvert // the type of Dev differs between systems
}

// links counts the names of a file.
func links(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink) //nolint:unconvert // the type of Nlink differs between systems
	}
	return 1
}

// OwnedByUser says whether the user of this process owns a file.
func OwnedByUser(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

//go:build unix

package runner

import (
	"io/fs"
	"syscall"
)

// names counts the names that a file has.
func names(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink) //nolint:unconvert // it is smaller elsewhere
	}
	return 0
}

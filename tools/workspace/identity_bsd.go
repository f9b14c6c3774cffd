//go:build darwin || freebsd || netbsd

package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// lastingMarks distinguish a folder from all others that ever were or will be at its path: the time of birth. Empty
// if the file system does not record it.
func lastingMarks(_ *os.File, info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Birthtimespec.Sec <= 0 {
		return ""
	}
	return fmt.Sprintf("b%d.%09d", stat.Birthtimespec.Sec, stat.Birthtimespec.Nsec)
}

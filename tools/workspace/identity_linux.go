package workspace

import (
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// lastingMarks distinguish a folder from all others that ever were or will be on its file system: the file handle,
// which counts how often the inode was used, and the time of birth. Empty if the file system has neither.
func lastingMarks(folder *os.File, _ fs.FileInfo) string {
	var marks []string
	fd := int(folder.Fd())
	if handle, _, err := unix.NameToHandleAt(fd, "", unix.AT_EMPTY_PATH); err == nil && handle.Size() > 0 {
		marks = append(marks, fmt.Sprintf("h%d-%s", handle.Type(), hex.EncodeToString(handle.Bytes())))
	}
	var stat unix.Statx_t
	err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_BTIME, &stat)
	if err == nil && stat.Mask&unix.STATX_BTIME != 0 && stat.Btime.Sec != 0 {
		marks = append(marks, fmt.Sprintf("b%d.%09d", stat.Btime.Sec, stat.Btime.Nsec))
	}
	return strings.Join(marks, ":")
}

package probe

import "golang.org/x/sys/unix"

// Memory returns the machine's free and total memory in bytes.
func Memory() (free, total int64, err error) {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0, 0, err
	}
	unit := int64(info.Unit)
	return int64(info.Freeram+info.Bufferram) * unit, int64(info.Totalram) * unit, nil
}

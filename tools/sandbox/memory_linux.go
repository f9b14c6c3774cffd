//go:build amd64 || arm64

package sandbox

import "golang.org/x/sys/unix"

// memory is how many bytes the processes of a command may have together.
func (o Options) memory() uint64 {
	if o.Memory > 0 {
		return o.Memory
	}
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0 // then nothing bounds it
	}
	return uint64(info.Totalram) * uint64(info.Unit) / 2 //nolint:unconvert // of another type on other processors
}

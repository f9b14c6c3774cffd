//go:build unix

package diagnosis

import "golang.org/x/sys/unix"

// free is how many bytes this user can still write where a folder is.
func free(folder string) (uint64, error) {
	var now unix.Statfs_t
	if err := unix.Statfs(folder, &now); err != nil {
		return 0, err
	}
	return uint64(now.Bavail) * uint64(now.Bsize), nil //nolint:gosec,unconvert // the types differ between systems
}

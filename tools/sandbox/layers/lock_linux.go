package layers

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// lockOf opens the lock of a chat's folder, which must be there.
func lockOf(dir string) (*os.File, error) {
	if is, err := os.Lstat(dir); err != nil {
		return nil, err
	} else if !is.IsDir() {
		return nil, fmt.Errorf("%s is no folder: remove it", dir)
	}
	return os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
}

// exclusive makes a lock exclusive, if nobody else has it and it is still that of the folder.
func exclusive(lock *os.File) bool { return flock(lock, unix.LOCK_EX|unix.LOCK_NB) }

// shared is exclusive for a lock that others may share.
func shared(lock *os.File) bool { return flock(lock, unix.LOCK_SH|unix.LOCK_NB) }

func flock(lock *os.File, how int) bool {
	if unix.Flock(int(lock.Fd()), how) != nil {
		return false
	}
	one, err := lock.Stat()
	two, errNow := os.Lstat(lock.Name())
	return err == nil && errNow == nil && os.SameFile(one, two)
}

// identity tells a folder from another one in its place.
func identity(folder string) string {
	var is unix.Stat_t
	if unix.Lstat(folder, &is) != nil {
		return ""
	}
	return fmt.Sprintf("%d:%d", is.Dev, is.Ino)
}

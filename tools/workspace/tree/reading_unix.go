//go:build unix

package tree

import (
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// plainFile is a regular file that is only read, without what os.File does for those that may wait.
type plainFile int

// ToRead implements Directory.
func (d *disk) ToRead(name string) (f io.ReadCloser, size int64, err error) {
	fd, err := again(func() (int, error) {
		return unix.Openat(
			int(d.files.Fd()), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0,
		)
	})
	switch {
	case err == unix.ELOOP || err == unix.EMLINK: //nolint:errorlint // a number of the system; FreeBSD's for a link is the second
		return nil, 0, ErrSwapped
	case err != nil:
		return nil, 0, err
	}
	var stat syscall.Stat_t
	_, err = again(func() (int, error) { return 0, syscall.Fstat(fd, &stat) })
	if err == nil && stat.Mode&syscall.S_IFMT != syscall.S_IFREG {
		err = ErrSwapped
	}
	if err != nil {
		_ = plainFile(fd).Close()
		return nil, 0, err
	}
	return plainFile(fd), stat.Size, nil
}

// Read implements io.Reader.
func (f plainFile) Read(room []byte) (int, error) {
	n, err := again(func() (int, error) { return unix.Read(int(f), room) })
	if n == 0 && err == nil && len(room) > 0 {
		err = io.EOF
	}
	return max(n, 0), err
}

// Close implements io.Closer.
func (f plainFile) Close() error { return unix.Close(int(f)) }

// again asks the system once more after each signal that came in between.
func again(ask func() (int, error)) (n int, err error) {
	for n, err = ask(); err == unix.EINTR; n, err = ask() { //nolint:errorlint // a number of the system
	}
	return n, err
}

//go:build unix

package diskfiletest

import (
	"syscall"
	"testing"
)

// Limited runs do while no file can be written beyond a size: the kernel fails the write in the middle, as a full disk
// does. It holds for the whole process.
func Limited(t *testing.T, size int, do func()) {
	t.Helper()
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	now := was
	now.Cur = uint64(size)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &now); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
			t.Fatal(err)
		}
	}()
	do()
}

// Pipe makes a pipe with a name.
func Pipe(path string) error { return syscall.Mkfifo(path, 0o600) }

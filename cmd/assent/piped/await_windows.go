package piped

import (
	"context"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// look is how often a pipe is looked at: it cannot be waited for.
const look = 20 * time.Millisecond

// await returns once something can be read from a file, its end included; ready is false if nothing came in the time,
// of which 0 is no limit. It takes no byte. Only pipes are waited for.
func await(ctx context.Context, f *os.File, most time.Duration) (ready bool, err error) {
	handle := windows.Handle(f.Fd())
	if kind, err := windows.GetFileType(handle); err != nil || kind != windows.FILE_TYPE_PIPE {
		return true, nil //nolint:nilerr // reading it says what is wrong
	}
	peek := windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	var over <-chan time.Time
	if most > 0 {
		over = time.After(most)
	}
	for {
		var n uint32
		if ok, _, _ := peek.Call(uintptr(handle), 0, 0, 0, uintptr(unsafe.Pointer(&n)), 0); ok == 0 || n > 0 {
			return true, nil // without an answer it has ended
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-over:
			return false, nil
		case <-ticker.C:
		}
	}
}

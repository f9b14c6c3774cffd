//go:build unix

package piped

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// await returns once something can be read from a file, its end included; ready is false if nothing came in the time,
// of which 0 is no limit. It takes no byte. Unlike poll, select knows the terminals of macOS.
func await(ctx context.Context, f *os.File, most time.Duration) (ready bool, err error) {
	wake, end, err := os.Pipe()
	if err != nil {
		return false, fmt.Errorf("standard input cannot be waited for: %w", err)
	}
	defer wake.Close() //nolint:errcheck // nothing is written
	defer end.Close()  //nolint:errcheck // nothing is written
	defer context.AfterFunc(ctx, func() { _ = end.Close() })()
	in, until := int(f.Fd()), time.Now().Add(most)
	for {
		var fds unix.FdSet
		fds.Set(in)
		fds.Set(int(wake.Fd()))
		var left *unix.Timeval
		if most > 0 {
			t := unix.NsecToTimeval(max(0, time.Until(until)).Nanoseconds())
			left = &t
		}
		n, err := unix.Select(max(in, int(wake.Fd()))+1, &fds, nil, nil, left)
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return false, fmt.Errorf("standard input cannot be waited for: %w", err)
		default:
			return n > 0, nil
		}
	}
}

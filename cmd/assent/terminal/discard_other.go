//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd && !windows

package terminal

import (
	"errors"
	"os"
)

// discard cannot be done here, so nothing is asked.
func discard(*os.File) error { return errors.ErrUnsupported }

//go:build !linux && !darwin && !freebsd && !netbsd

package tree

import "os"

// keepAttributes does nothing: extended attributes are not known on this system.
func keepAttributes(_, _ *os.File) error { return nil }

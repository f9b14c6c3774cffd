//go:build !linux

package probe

import "errors"

// Memory is not known on this system.
func Memory() (free, total int64, err error) { return 0, 0, errors.ErrUnsupported }

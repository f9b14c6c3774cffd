//go:build !linux

package main

import "errors"

// memory is not known on this system.
func memory() (free, total int64, err error) { return 0, 0, errors.ErrUnsupported }

//go:build !unix && !windows

package terminal

import (
	"errors"
	"os"
)

func devices() (in, out *os.File, err error) { return nil, nil, errors.ErrUnsupported }

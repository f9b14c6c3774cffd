//go:build !linux

package network

import (
	"errors"
	"os/exec"
)

// alone is only there on Linux.
func alone(*exec.Cmd) error { return errors.New("only Linux does") }

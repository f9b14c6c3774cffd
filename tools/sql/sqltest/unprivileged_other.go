//go:build !linux

package sqltest

import "os/exec"

func unprivileged(c *exec.Cmd) *exec.Cmd { return c }

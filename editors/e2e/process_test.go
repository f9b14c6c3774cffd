//go:build e2e

package e2e

import (
	"os/exec"
	"syscall"
)

// ownGroup lets a program and its children be killed together.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a program that was started with ownGroup, and its children, at once.
func killGroup(c *exec.Cmd) {
	if c.Process == nil {
		return
	}
	_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
	_ = c.Wait()
}

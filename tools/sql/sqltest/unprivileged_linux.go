package sqltest

import (
	"os"
	"os/exec"
	"syscall"
)

// unprivileged lets a program run that refuses to run as root, as PostgreSQL does: root seems another user to it, and
// its files do, too.
func unprivileged(c *exec.Cmd) *exec.Cmd {
	if os.Geteuid() == 0 {
		other := []syscall.SysProcIDMap{{ContainerID: 1000, HostID: 0, Size: 1}}
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: other, GidMappings: other}
	}
	return c
}

//go:build unix

package mcp_test

import "syscall"

// alive says whether there is a process.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

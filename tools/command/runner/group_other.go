//go:build !linux

package runner

import (
	"os"
	"syscall"
)

// ownGroup leaves a program in the group of this process: without a keeper only the group is sure to be killed.
func ownGroup() *syscall.SysProcAttr { return nil }

// pass does nothing: the whole group got the signal.
func pass(*os.Process, syscall.Signal) {}

// ended does nothing: no signal is passed on.
func ended(*os.Process) {}

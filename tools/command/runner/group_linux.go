package runner

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup gives a program a process group of its own, as a shell at a terminal does: the signal for this process does
// not reach it. Its keeper finds it all the same.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// pass sends a signal to a program and its group.
func pass(process *os.Process, s syscall.Signal) { _ = syscall.Kill(-process.Pid, s) } // it may have ended

// ended returns when a program has ended. Its number is still its own then.
func ended(process *os.Process) {
	for {
		if err := unix.Waitid(
			unix.P_PID, process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil,
		); !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

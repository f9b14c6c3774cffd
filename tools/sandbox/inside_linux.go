//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/assent-ls/assent/tools/sandbox/bounds"
	"github.com/assent-ls/assent/tools/sandbox/confine"
)

// inside confines the command and starts it, from the first process of the sandbox, so that all others die with that
// one.
func (o order) inside() (pid int, over <-chan int, err error) {
	// The command may trace whom it likes among its own, but not this process, which has rights that the command lacks.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return 0, nil, err
	}
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if err := os.Chdir(o.Dir); err != nil {
		return 0, nil, err
	}
	started := make(chan startedCommand)
	go o.start(started)
	command := <-started
	if command.err != nil {
		return 0, nil, command.err
	}
	ends := make(chan int, 1)
	go func() {
		fmt.Fprintf(os.Stderr, "The sandbox ended the command: %s.\n", bounds.Exceeded(o.Memory))
		ends <- 128 + int(syscall.SIGKILL)
	}()
	return command.pid, ends, nil
}

type startedCommand struct {
	pid int
	err error
}

// start binds its own thread and starts the command from it. The thread is used for nothing else, and lives as long as
// the command.
func (o order) start(started chan<- startedCommand) {
	runtime.LockOSThread()
	if err := confine.Thread(o.Root, o.Own); err != nil {
		started <- startedCommand{err: err}
		return
	}
	pid, err := syscall.ForkExec(o.Argv[0], o.Argv, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	started <- startedCommand{pid, err}
	select {}
}

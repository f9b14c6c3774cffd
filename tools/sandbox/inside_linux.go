//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assent-ls/assent/tools/sandbox/confine"
)

// inside confines the command and starts it, from the first process of the sandbox, so that all others die with that one.
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
	go endAt(maxProcesses, o.Memory, ends)
	return command.pid, ends, nil
}

type startedCommand struct {
	pid int
	err error
}

// start binds its own thread and starts the command from it. The thread is used for nothing else, and lives as long as the command.
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

const maxProcesses = 1_000

// endAt says when the sandbox holds more than so many processes, or when they have more than so many bytes of memory together. The limits that the
// kernel has count no processes of root, and each process alone.
func endAt(most int, memory uint64, ends chan<- int) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		processes, bytes, err := inUse()
		var why string
		switch {
		case err != nil:
			why = fmt.Sprintf("its processes cannot be counted any more (%v)", err)
		case processes > most:
			why = fmt.Sprintf("it had more than %d processes", most)
		case memory > 0 && bytes > memory:
			why = fmt.Sprintf("it used more than %d MB of memory", memory>>20)
		default:
			continue
		}
		fmt.Fprintf(os.Stderr, "The sandbox ended the command: %s.\n", why)
		ends <- 128 + int(syscall.SIGKILL)
		return
	}
}

// inUse counts the processes of the sandbox, and the bytes of memory that are theirs alone.
func inUse() (processes int, bytes uint64, err error) {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return 0, 0, err
	}
	for _, name := range names {
		if first := name.Name()[0]; first < '0' || first > '9' {
			continue
		}
		processes++
		text, err := os.ReadFile("/proc/" + name.Name() + "/statm")
		if err != nil {
			continue // it has ended
		}
		var size, resident, shared uint64
		if _, err := fmt.Sscan(string(text), &size, &resident, &shared); err == nil && resident > shared {
			bytes += (resident - shared) * uint64(os.Getpagesize())
		}
	}
	return processes, bytes, nil
}

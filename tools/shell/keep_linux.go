package shell

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Keep is the main function of a keeper: it runs the command line args (what Shell gave it, a program by its absolute
// path, and its arguments) in its own folder and environment and with its own output, and ends it with everything that
// descends from it when the process that started the keeper closes its pipe or dies, or when a signal says so. It
// returns when nothing of the command is left. inside starts commands that have a sandbox; nil: there is none. Only a
// process that a Shell started may call it, and from the main goroutine; an error says that it was called otherwise.
func Keep(args []string, inside Inside) error {
	life, report := os.NewFile(3, "life"), os.NewFile(4, "report")
	if len(args) == 0 || !isPipe(life) || !isPipe(report) {
		return errors.New("a keeper of commands is started by Assent itself, never by hand")
	}
	args, err := bound(args)
	if err != nil {
		return err
	}
	told := json.NewEncoder(report)
	end := keep(args, inside, life, func(shell int) { _ = told.Encode(reported{Shell: shell}) })
	return told.Encode(reported{End: &end})
}

// bound limits the memory of this process and of those that it starts, if the first argument says so, and gives the
// others.
func bound(args []string) ([]string, error) {
	said, ok := strings.CutPrefix(args[0], memoryOption)
	if !ok {
		return args, nil
	}
	n, err := strconv.ParseUint(said, 10, 64)
	if err != nil || len(args) == 1 {
		return nil, fmt.Errorf("%s is no bound of the memory of a program", args[0])
	}
	var now unix.Rlimit
	err = unix.Getrlimit(unix.RLIMIT_DATA, &now)
	if err == nil {
		n = min(n, now.Max) // nobody may raise what the system allows
		err = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: n, Max: n})
	}
	if err != nil {
		return nil, fmt.Errorf("the memory of a program cannot be bounded: %w", err)
	}
	return args[1:], nil
}

// isPipe reports whether a file is a pipe, and makes sure that the command does not inherit it.
func isPipe(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return false
	}
	unix.CloseOnExec(int(f.Fd()))
	return true
}

// keep runs a command line until nothing of it is left, and tells the number of its first process.
func keep(args []string, inside Inside, life io.Reader, started func(shell int)) ending {
	// Descendants whose parent dies become children of this process, whatever session, group or environment they have.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return ending{Problem: fmt.Sprintf("descendants cannot be kept: %v", err)}
	}
	// Nor does the command inherit files that the parent of this program left open. Before Linux 5.11 it does.
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = io.Copy(io.Discard, life) // nothing is ever written: it ends when the other end is closed
	}()

	d, err := begin(args, inside)
	if err != nil {
		return ending{Problem: err.Error()}
	}
	started(d.shell)
	letGo()
	go d.reap()
	var crowded <-chan struct{}
	if !d.inside {
		crowded = d.tooMany()
	}
	select {
	case end := <-d.exited:
		end.Left, end.Alive = d.kill()
		return d.finish(end)
	case status := <-d.ended:
		_, alive := d.kill()
		return d.finish(ending{Status: status, Alive: alive})
	case <-crowded:
		_, alive := d.kill()
		return ending{Status: -1, Crowded: true, Alive: alive}
	case <-over:
	case <-stop:
	}
	return d.finish(d.stop())
}

// begin starts the command.
func begin(args []string, inside Inside) (d descendants, err error) {
	d = descendants{exited: make(chan ending, 1), gone: make(chan struct{})}
	if inside != nil {
		if d.shell, d.ended, d.end, err = inside(args); d.shell != 0 || err != nil {
			d.inside = true
			return d, err
		}
	}
	limitProcesses()
	runtime.LockOSThread() // if the keeper is killed, the shell dies with the thread that started it
	d.shell, err = syscall.ForkExec(args[0], args, &syscall.ProcAttr{
		// Where each session has its share of the processors, a command with very many processes leaves this one its
		// own.
		Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{
			Setsid: true, Pdeathsig: syscall.SIGKILL,
		},
	})
	return d, err
}

// letGo gives up the keeper's own input and output: while it holds them, nobody at their other ends sees that the
// command closed its own.
func letGo() {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return // then the end is seen when the command ends
	}
	defer null.Close() //nolint:errcheck // nothing is written
	for fd := range 2 {
		_ = unix.Dup3(int(null.Fd()), fd, 0)
	}
}

// descendants are all processes that a command started, itself among them.
type descendants struct {
	shell  int         // also the number of its group and its session
	exited chan ending // gets how the shell ended
	gone   chan struct{}

	inside bool         // this process is the first one of the command's sandbox
	ended  <-chan int   // see Inside
	end    func() error // see Inside
}

// finish ends the sandbox of the command, of which nothing runs any more.
func (d descendants) finish(e ending) ending {
	if d.end == nil || e.Alive > 0 {
		return e
	}
	if err := d.end(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		e.Status = 1
	}
	return e
}

// reap waits for every child. Orphans become children, so that there is no descendant left when there is no child.
func (d descendants) reap() {
	defer close(d.gone)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return // no child
		case pid == d.shell && d.inside && status.Signaled():
			d.exited <- ending{Status: 128 + int(status.Signal())} // as a shell says it
		case pid == d.shell:
			d.exited <- ended(status)
		}
	}
}

// stop asks the command to end, gives it a moment, and kills it with all that it started.
func (d descendants) stop() ending {
	_ = syscall.Kill(-d.shell, syscall.SIGTERM)
	select {
	case end := <-d.exited:
		end.Left, end.Alive = d.kill()
		return end
	case <-time.After(grace):
	}
	_, alive := d.kill()
	select {
	case end := <-d.exited:
		end.Alive = alive
		return end
	default:
		return ending{Status: -1, Alive: alive} // not even the shell could be killed
	}
}

// kill kills every descendant. Whole groups are killed at once, so that no process survives by starting others. All
// groups but that of the keeper belong to descendants.
func (d descendants) kill() (found, left int) {
	self, group := os.Getpid(), unix.Getpgrp()
	return killAll(
		func() []process {
			if alive := living(func(p process) bool { return p.parent == self }); len(alive) > 0 {
				return alive
			}
			return children()
		},
		func(p process) {
			if p.group > 1 && p.group != group { // 0 would be the keeper's own
				_ = syscall.Kill(-p.group, syscall.SIGKILL)
			}
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		},
		func([]process) bool {
			select {
			case <-d.gone:
				return true
			default:
				return false
			}
		},
	)
}

//go:build amd64 || arm64

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/assent-ls/assent/tools/workspace"
)

// order is what the process inside is told.
type order struct {
	Root  string     // the workspace
	Own   []string   // the folders that are the command's own
	Dir   string     // where it starts
	Found []identity // what was found when the view was made
}

// identity is a file or folder that must be the one that it was.
type identity struct {
	Path     string
	Dev, Ino uint64
}

// inside confines the command and runs it to its end, as the first process of the sandbox, so that all others die with it. It
// returns its exit status.
func inside(args []string) (int, error) {
	var o order
	if len(args) < 3 || args[1] != "--" || json.Unmarshal([]byte(args[0]), &o) != nil {
		return 0, errByHand
	}
	if os.Getpid() != 1 {
		return 0, errByHand
	}
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	for _, is := range o.Found {
		var now unix.Stat_t
		if err := unix.Lstat(is.Path, &now); err != nil || now.Dev != is.Dev || now.Ino != is.Ino {
			return 0, fmt.Errorf("%s was replaced while the sandbox was made: run the command again", is.Path)
		}
	}
	if err := os.Chdir(o.Dir); err != nil {
		return 0, err
	}
	return o.run(args[2:])
}

func (o order) run(argv []string) (int, error) {
	started, listener := make(chan startedCommand, 1), make(chan int, 1)
	go o.start(argv, listener, started)
	var b broker
	select {
	case fd := <-listener:
		b = broker{listener: fd, root: o.Root, refused: func(string) {}, holds: func(rel string, dir bool) bool {
			protected, _ := workspace.Named(rel, dir)
			return protected
		}}
		go func() {
			runtime.LockOSThread()
			// A umask of its own: the modes that the command asks for are narrowed by the command's.
			if unix.Unshare(unix.CLONE_FS) != nil || dropRights() != nil {
				_ = unix.Close(fd) // all that the broker would do fails
				return
			}
			unix.Umask(0)
			b.serve()
		}()
	case s := <-started:
		return 0, s.err
	}
	s := <-started
	if s.err != nil {
		return 0, s.err
	}
	return reap(s.pid)
}

type startedCommand struct {
	pid int
	err error
}

// start binds its own thread and starts the command from it. The thread is used for nothing else, and lives as long as the command.
func (o order) start(argv []string, listener chan<- int, started chan<- startedCommand) {
	runtime.LockOSThread()
	fd, err := o.bind()
	if err != nil {
		started <- startedCommand{err: err}
		return
	}
	listener <- fd
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	started <- startedCommand{pid, err}
	select {}
}

// bind takes from the calling thread whatever the command shall not have.
func (o order) bind() (listener int, err error) {
	if err := limit(); err != nil {
		return 0, err
	}
	if err := dropRights(); err != nil {
		return 0, err
	}
	rights := map[string]uint64{
		"/":    rightsRead,
		"/dev": unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV | unix.LANDLOCK_ACCESS_FS_TRUNCATE,
		o.Root: rightsRead | rightsWrite,
	}
	for _, dir := range o.Own {
		rights[dir] = rightsRead | rightsWrite | rightsMake
	}
	if err := landlock(rights); err != nil {
		return 0, err
	}
	return listen()
}

// dropRights gives up, for the calling thread and what it starts, all rights over namespaces and all ways to new ones.
func dropRights() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.EPERM) {
			return fmt.Errorf("capability %d: %w", c, err)
		}
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	none := [2]unix.CapUserData{}
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	return nil
}

const (
	maxFile      = 2 << 30 // bytes in one file
	maxProcesses = 4096
)

// limit sets limits that no ordinary build or test meets. The number of processes counts all of the user's, where it counts at all:
// root has no such limit.
func limit() error {
	for resource, n := range map[int]uint64{unix.RLIMIT_FSIZE: maxFile, unix.RLIMIT_NPROC: maxProcesses, unix.RLIMIT_CORE: 0} {
		var old unix.Rlimit
		if err := unix.Getrlimit(resource, &old); err != nil {
			return err
		}
		n = min(n, old.Cur)
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("limit %d: %w", resource, err)
		}
	}
	return nil
}

// reap waits for the command, and for all processes whose parent is gone.
func reap(command int) (int, error) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 0, err
		case pid == command && status.Signaled():
			return 128 + int(status.Signal()), nil
		case pid == command && status.Exited():
			return status.ExitStatus(), nil
		}
	}
}

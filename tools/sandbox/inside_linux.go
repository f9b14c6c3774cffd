//go:build amd64 || arm64

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

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
	// The command may trace whom it likes among its own; this process is not to be traced, since its broker may do more than the command.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return 0, err
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
	bound, started := make(chan boundThread), make(chan startedCommand)
	go o.start(argv, bound, started)
	thread := <-bound
	if thread.err != nil {
		return 0, thread.err
	}
	b := broker{listener: thread.listener, root: o.Root, around: o.around(), guarded: o.guarded(), refused: func(string) {}, holds: func(rel string, dir bool) bool {
		kept, _ := workspace.Named(rel, dir)
		return kept
	}}
	go b.run()
	command := <-started
	if command.err != nil {
		return 0, command.err
	}
	forward(command.pid)
	go endAt(maxProcesses)
	return reap(command.pid)
}

// guarded are the files of the workspace that no command changes but everyone reads, relative to its root.
func (o order) guarded() (all []string) {
	for _, is := range o.Found {
		if rel, ok := strings.CutPrefix(is.Path, o.Root+"/"); ok && workspace.NamedGuarded(rel) {
			all = append(all, rel)
		}
	}
	return all
}

// forward passes on to the command and its group what asks it to end.
func forward(command int) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		for s := range asked {
			if number, ok := s.(syscall.Signal); ok {
				_ = syscall.Kill(-command, number) // it may have ended
			}
		}
	}()
}

type boundThread struct {
	listener int // where the broker listens
	err      error
}

type startedCommand struct {
	pid int
	err error
}

// start binds its own thread and starts the command from it. The thread is used for nothing else, and lives as long as the command.
func (o order) start(argv []string, bound chan<- boundThread, started chan<- startedCommand) {
	runtime.LockOSThread()
	fd, err := o.bind()
	bound <- boundThread{fd, err}
	if err != nil {
		return
	}
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
		// A right holds for all that lies below, so where the workspace does the broker makes what the command asks for.
		if rights[dir] = rightsRead | rightsWrite; !within(dir, o.Root) {
			rights[dir] |= rightsMake
		}
	}
	if err := landlock(rights); err != nil {
		return 0, err
	}
	return listen()
}

// around are the command's own folders that the workspace lies in.
func (o order) around() []string {
	return slices.DeleteFunc(slices.Clone(o.Own), func(dir string) bool { return !within(dir, o.Root) })
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
	maxProcesses = 1024
)

// endAt ends the sandbox when it holds more than so many processes. The limit that the kernel has counts no processes of root.
func endAt(most int) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		names, err := os.ReadDir("/proc")
		if err != nil {
			continue
		}
		n := 0
		for _, name := range names {
			if first := name.Name()[0]; first >= '0' && first <= '9' {
				n++
			}
		}
		if n > most {
			fmt.Fprintf(os.Stderr, "The sandbox ended the command: it had more than %d processes.\n", most)
			os.Exit(128 + int(syscall.SIGKILL)) // the kernel kills the others with this one
		}
	}
}

// limit sets limits that no ordinary build or test meets.
func limit() error {
	for resource, n := range map[int]uint64{unix.RLIMIT_FSIZE: maxFile, unix.RLIMIT_CORE: 0} {
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

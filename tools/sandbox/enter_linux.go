//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// This is what bubblewrap does, for where it is not: it understands those of bubblewrap's arguments that a view is made of.

// enter starts this program as the first process of new namespaces, and ends as it ends.
func enter(args []string) (int, error) {
	own, err := ownArguments(wordEnter)
	if err != nil {
		return 0, err
	}
	cmd := exec.Command("/proc/self/exe", append(append(own, wordFirst), args...)...) //nolint:noctx,gosec // whoever started this one ends it
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS |
			unix.CLONE_NEWCGROUP,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}},
		// Whoever is not root loses all rights over the new namespaces when this program is started in them, unless they are ambient.
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP},
		Pdeathsig:   syscall.SIGKILL,
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM) // the command has them too, and ends in its own time
	ready, write, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	cmd.ExtraFiles = []*os.File{write}
	runtime.LockOSThread() // the death that Pdeathsig means is this thread's
	err = cmd.Start()
	_ = write.Close()
	if err != nil {
		return 0, fmt.Errorf("namespaces cannot be made: %w", err)
	}
	go endEarly(cmd.Process, ready, asked)
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return 128 + int(status.Signal()), nil
		}
		return exit.ExitCode(), nil
	}
	return 0, err
}

// endEarly kills the first process of new namespaces if it is asked to end before it can know: the kernel drops the signals that such a
// process has not asked for.
func endEarly(first *os.Process, ready *os.File, asked <-chan os.Signal) {
	knows := make(chan struct{})
	go func() {
		defer close(knows)
		_, _ = ready.Read(make([]byte, 1)) // nothing is written: the other end is closed
	}()
	select {
	case <-knows:
		if len(asked) == 0 {
			return
		}
	case <-asked:
	}
	_ = first.Kill() // it may have ended
}

// readyFile is what the first process closes once it gets signals.
const readyFile = 3

// ownArguments are the arguments of this process before a word: those with which this program calls Help.
func ownArguments(word string) ([]string, error) {
	for i, arg := range os.Args {
		if i > 0 && arg == word {
			return append([]string(nil), os.Args[1:i]...), nil
		}
	}
	return nil, errByHand
}

// first makes the view that its arguments describe, and goes on as the process inside.
func first(args []string) (int, error) {
	if os.Getpid() != 1 {
		return 0, errByHand
	}
	_ = unix.Close(readyFile)
	end := -1
	for i, arg := range args {
		if arg == "--" {
			end = i
			break
		}
	}
	if end < 0 {
		return 0, errByHand
	}
	if err := makeView(args[:end]); err != nil {
		return 0, err
	}
	if err := loopback(); err != nil {
		return 0, fmt.Errorf("the loopback interface: %w", err)
	}
	inner := args[end+1:]
	for i, arg := range inner { // the program, and the arguments with which it calls Help
		if arg == wordInside {
			return inside(inner[i+1:])
		}
	}
	return 0, errByHand
}

// loopback switches on the one interface of a new network namespace.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // only used here
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}

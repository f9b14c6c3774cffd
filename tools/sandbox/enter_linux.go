//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// enter starts this program as the first process of new namespaces, and ends as it ends. It is what bubblewrap does.
func enter(file string) (int, error) {
	own, err := ownArguments(wordEnter)
	if err != nil {
		return 0, err
	}
	how, err := namespaceAttributes()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command("/proc/self/exe", append(own, wordFirst, file)...) //nolint:noctx,gosec // whoever started this one ends it
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = how
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

// Enter is a [shell.Shortcut] for the command lines that Wrap returns: the process that makes the namespaces does nothing else until their end.
func Enter(argv []string) (next []string, how *syscall.SysProcAttr, ok bool) {
	if n := len(argv); n < 3 || argv[n-2] != wordEnter {
		return nil, nil, false
	}
	how, err := namespaceAttributes()
	if err != nil {
		return nil, nil, false
	}
	next = slices.Clone(argv)
	next[len(next)-2] = wordFirst
	return next, how, true
}

// namespaceAttributes make the first process of new namespaces.
func namespaceAttributes() (*syscall.SysProcAttr, error) {
	users, err := mappings("uid_map", os.Getuid())
	if err != nil {
		return nil, err
	}
	groups, err := mappings("gid_map", os.Getgid())
	if err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS |
			unix.CLONE_NEWCGROUP,
		UidMappings: users, GidMappings: groups, GidMappingsEnableSetgroups: os.Getuid() == 0,
		// Whoever is not root loses all rights over the new namespaces when this program is started in them, unless they are ambient.
		AmbientCaps: ambient(),
		Pdeathsig:   syscall.SIGKILL,
	}, nil
}

// ambient are the rights over the new namespaces that making a view needs.
func ambient() []uintptr {
	return []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_CHOWN, unix.CAP_FOWNER, unix.CAP_DAC_OVERRIDE}
}

// mappings give the new user namespace the same numbers: root has all that there are here, since files of others keep their owners then, and
// anybody else may only have their own.
func mappings(table string, own int) ([]syscall.SysProcIDMap, error) {
	if os.Getuid() != 0 {
		return []syscall.SysProcIDMap{{ContainerID: own, HostID: own, Size: 1}}, nil
	}
	text, err := os.ReadFile("/proc/self/" + table)
	if err != nil {
		return nil, err
	}
	var all []syscall.SysProcIDMap
	for line := range strings.Lines(string(text)) {
		var first, outside, size int
		if _, err := fmt.Sscan(line, &first, &outside, &size); err != nil {
			return nil, fmt.Errorf("%s: %w", table, err)
		}
		all = append(all, syscall.SysProcIDMap{ContainerID: first, HostID: first, Size: size})
	}
	return all, nil
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
	case <-asked:
		_ = first.Kill() // it may have ended
		return
	}
	select {
	case s := <-asked: // it may have come before: it is seen here a moment later than the kernel dropped it there
		_ = first.Signal(s)
	case <-time.After(time.Second):
	}
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

// first makes the view of an order, and runs the command in it.
func first(file string) (int, error) {
	if os.Getpid() != 1 {
		return 0, errByHand
	}
	asked := make(chan os.Signal, 1) // what comes before there is a command reaches it when there is
	signal.Notify(asked, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	_ = unix.Close(readyFile)
	o, err := readOrder(file)
	if err != nil {
		return 0, err
	}
	if err := makeView(&o); err != nil {
		return 0, err
	}
	if err := loopback(); err != nil {
		return 0, fmt.Errorf("the loopback interface: %w", err)
	}
	status, err := o.inside(asked)
	return status, errors.Join(err, o.save())
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

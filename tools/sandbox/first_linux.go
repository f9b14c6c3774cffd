//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	reach "github.com/assent-ls/assent/internal/network"
)

// namespaceAttributes make the first process of new namespaces.
func namespaceAttributes() (*syscall.SysProcAttr, error) {
	users, err := reach.IDs("uid_map", os.Getuid())
	if err != nil {
		return nil, err
	}
	groups, err := reach.IDs("gid_map", os.Getgid())
	if err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
			unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP,
		UidMappings: users, GidMappings: groups, GidMappingsEnableSetgroups: os.Getuid() == 0,
		// Whoever is not root loses all rights over the new namespaces when this program is started in them, unless
		// they are ambient.
		AmbientCaps: ambient(),
	}, nil
}

// ambient are the rights over the new namespaces that making a view needs.
func ambient() []uintptr {
	return []uintptr{
		unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_CHOWN, unix.CAP_FOWNER,
		unix.CAP_DAC_OVERRIDE,
	}
}

// Inside is a [shell.Inside]: in the first process of new namespaces it makes the view that the end of a command line
// of Wrap names, and starts the command in it. pid is 0 if the process is no such one. over gets the status with which
// the command counts as ended when the sandbox ends it, which is said on standard error. save keeps what the command
// wrote; it is called when nothing of the command runs any more.
func Inside(argv []string) (pid int, over <-chan int, save func() error, err error) {
	if n := len(argv); os.Getpid() != 1 || n < 3 || argv[n-2] != wordFirst {
		return 0, nil, nil, nil
	}
	o, err := readOrder(argv[len(argv)-1])
	if err == nil {
		err = o.network() // the private folder is in no view
	}
	if err == nil {
		err = makeView(&o)
	}
	if err == nil {
		pid, over, err = o.inside()
	}
	if err != nil {
		return 0, nil, nil, fmt.Errorf("sandbox: %w", err)
	}
	return pid, over, o.save, nil
}

// first is Inside where no keeper starts in the namespaces: it runs the command to its end, and returns its status.
func first(file string) (int, error) {
	pid, over, save, err := Inside([]string{"", wordFirst, file})
	if err == nil && pid == 0 {
		err = errByHand
	}
	if err != nil {
		return 0, err
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	ended := make(chan int, 1)
	go func() { ended <- reap(pid) }()
	for {
		select {
		case s := <-asked:
			if number, ok := s.(syscall.Signal); ok {
				_ = syscall.Kill(-pid, number) // it may have ended
			}
			continue
		case status := <-ended:
			_ = unix.Kill(-1, unix.SIGKILL) // what it started writes nothing more
			reap(0)
			return status, save()
		case status := <-over:
			return status, nil // the kernel kills the others with this process
		}
	}
}

// reap waits for the command, or for the last process if there is no command, and for all whose parent is gone. It
// returns the command's status.
func reap(command int) int {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 0
		case pid == command && status.Signaled():
			return 128 + int(status.Signal())
		case pid == command && status.Exited():
			return status.ExitStatus()
		}
	}
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

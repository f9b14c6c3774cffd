//go:build unix

package runner

import (
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/assent-ls/assent/tools/command"
)

// become makes this process the program of a line that has only one, so that how it ends and what stops it are its own.
// It returns only if that cannot be done.
func become(root string, part command.Part) (status int) {
	s := given()
	opened, err := s.redirect(part.Redirects)
	if err != nil {
		complain(s[2], err)
		return 1
	}
	file, err := Find(part.Argv[0], os.Getenv("PATH"), root)
	if err != nil {
		return s.notStarted(part.Argv[0], err)
	}
	if err := s.take(); err != nil {
		complain(given()[2], err)
		return 1
	}
	runtime.KeepAlive(opened)
	if err := os.Chdir(part.In); part.In != "" && err != nil {
		complain(given()[2], err)
		return 1
	}
	return given().notStarted(part.Argv[0], syscall.Exec(file, command.Hardened(part.Argv), environ(part))) //nolint:gosec // it was judged
}

// take makes the streams those of this process. They are moved out of the way first: one may be where another
// belongs.
func (s *streams) take() error {
	var moved [3]int
	for i, f := range s {
		fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, len(s))
		if err != nil {
			return err
		}
		moved[i] = fd
	}
	for i, fd := range moved {
		if err := unix.Dup2(fd, i); err != nil {
			return err
		}
	}
	return nil
}

// wait waits for a program, and returns its status as a shell says it.
func wait(process *os.Process) (status int) {
	state, err := process.Wait()
	if err != nil {
		complain(given()[2], err)
		return 1
	}
	if end, ok := state.Sys().(syscall.WaitStatus); ok && end.Signaled() {
		return 128 + int(end.Signal())
	}
	return state.ExitCode()
}

//go:build unix && !linux

package shell

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// ownProgram is the file of the running program.
func ownProgram() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

// job is a command that runs in a process group of its own.
type job struct {
	group int    // the shell's, and its own number
	mark  string // in the environment of every descendant that kept it
	done  chan ending
}

// start starts a command. There is no keeper here: see the documentation of the package.
func (s Shell) start(cmd *exec.Cmd, mark string) (*job, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.launch(cmd); err != nil {
		return nil, err
	}
	j := &job{group: cmd.Process.Pid, mark: mark, done: make(chan ending, 1)}
	go func() {
		var end ending
		if exit, ok := errors.AsType[*exec.ExitError](cmd.Wait()); ok {
			status, _ := exit.Sys().(syscall.WaitStatus)
			end = ended(status)
		}
		end.Left, end.Alive = j.kill()
		j.done <- end
	}()
	return j, nil
}

// stop asks the command to end, gives it a moment, and kills it with all that it started.
func (j *job) stop() ending {
	_ = syscall.Kill(-j.group, syscall.SIGTERM)
	select {
	case end := <-j.done:
		return end
	case <-time.After(grace):
		j.kill()
		return <-j.done
	}
}

// kill kills the members of the group and the session, those with the mark, and the descendants of all of them.
func (j *job) kill() (found, left int) {
	_ = syscall.Kill(-j.group, syscall.SIGKILL)
	is := func(p process) bool {
		return p.group == j.group || p.session == j.group || (!p.dead && marked(p.pid, j.mark))
	}
	return killAll(
		func() []process { return living(is) }, func(p process) { _ = syscall.Kill(p.pid, syscall.SIGKILL) }, none,
	)
}

// Keep is for Linux alone.
func Keep([]string, Inside) error { return ErrUnsupported }

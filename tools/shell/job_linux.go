package shell

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// keeperLimit is how long a keeper has to end the command after it was asked to.
const keeperLimit = grace + killLimit + 2*time.Second

// maxReport is above the length of any report.
const maxReport = 4 << 10

// memoryOption begins the first argument of a keeper whose command is bounded. The path of a program begins otherwise.
const memoryOption = "--memory="

// ownProgram is the running program, also after its file was replaced.
func ownProgram() string { return "/proc/self/exe" }

var errNoKeeper = errors.New("commands need a keeper: make the shell with New")

// job is a command under a keeper.
type job struct {
	keeper *exec.Cmd
	life   *os.File // the keeper ends the command when this is closed, by stop or because this process died
	report *os.File // how the command ended, as JSON
	mark   string
	done   chan ending
}

// start starts a keeper that starts the command.
func (s Shell) start(cmd *exec.Cmd, mark string) (*job, error) {
	if s.keep == "" {
		return nil, errNoKeeper
	}
	if err := adopt(); err != nil {
		return nil, err
	}
	lifeRead, life, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	report, reportWrite, err := os.Pipe()
	if err != nil {
		_, _ = lifeRead.Close(), life.Close()
		return nil, err
	}
	defer func() { _, _ = lifeRead.Close(), reportWrite.Close() }()
	args := []string{s.keep}
	if s.memory > 0 {
		args = append(args, memoryOption+strconv.FormatUint(s.memory, 10))
	}
	keeper := exec.Command(ownProgram(), append(args, cmd.Args...)...) //nolint:noctx,gosec // stop ends it
	keeper.Dir, keeper.Env, keeper.Stdin, keeper.Stdout, keeper.Stderr = cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr
	keeper.ExtraFiles = []*os.File{lifeRead, reportWrite}
	// A session of its own has no terminal: a command reads no answers from it and writes nothing over its questions.
	keeper.SysProcAttr = &syscall.SysProcAttr{}
	if cmd.SysProcAttr != nil {
		*keeper.SysProcAttr = *cmd.SysProcAttr
	}
	keeper.SysProcAttr.Setsid = true
	if err := s.launch(keeper); err != nil {
		_, _ = life.Close(), report.Close()
		return nil, err
	}
	j := &job{keeper: keeper, life: life, report: report, mark: mark, done: make(chan ending, 1)}
	go func() { j.done <- j.wait() }()
	return j, nil
}

// stop asks the keeper to end the command. A keeper that does not answer, perhaps because the command stopped it, is
// killed.
func (j *job) stop() ending {
	_ = j.life.Close()
	select {
	case end := <-j.done:
		return end
	case <-time.After(keeperLimit):
		_ = j.keeper.Process.Kill()
		return <-j.done
	}
}

// wait returns when the keeper has ended. If it wrote no report, the command killed it: then the processes that it left
// are killed from here.
func (j *job) wait() ending {
	_ = j.keeper.Wait() // what there is to know is in the report
	defer func() { _, _ = j.life.Close(), j.report.Close() }()
	said := j.read()
	if said.End != nil {
		return *said.End
	}
	end := ending{Status: -1, Signal: "its keeper was killed"}
	end.Left, end.Alive = killOrphans(said.Shell, j.mark, j.keeper.Args[1])
	return end
}

// reported is what a keeper tells, in two parts: the number of the first process of the command, and how it ended.
type reported struct {
	Shell int
	End   *ending // nil: the keeper did not come so far
}

// read reads the report of a keeper that has ended. It does not block, since a command may hold the other end open.
func (j *job) read() (said reported) {
	raw, err := j.report.SyscallConn()
	if err != nil {
		return said
	}
	buffer, n := make([]byte, maxReport), 0
	if err := raw.Read(
		func(fd uintptr) bool { n, err = unix.Read(int(fd), buffer); return true },
	); err != nil || n <= 0 {
		return said
	}
	for parts := json.NewDecoder(bytes.NewReader(buffer[:n])); parts.Decode(&said) == nil; {
	}
	return said
}

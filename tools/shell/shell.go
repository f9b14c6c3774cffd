// Package shell runs commands: with a clean environment, without input and terminal, with bounded output, and so that
// no process of a command outlives it. It does not confine what a command may touch: a person decides that before.
//
// A line that was understood is run from its parts by package runner, in a process of its own; any other line by a
// shell.
//
// On Linux a command runs under a keeper, a process of this program that adopts all orphans of the command. It kills
// every descendant at the end of the command, at its time-out, when it is stopped, and when this process dies, however
// it dies. If a keeper is killed, this process adopts the processes that it leaves, and kills them. A command that is
// stopped gets SIGTERM and a moment to clean up. No further part of it begins then: the runner and a shell have the
// signal before they can see a program end by it, and whoever has to be killed is killed before what it started. A
// shell line that catches the signal itself may go on for that moment.
//
// On other systems there is no keeper: the process group is killed, on macOS also processes with the mark in their
// environment, a command goes on when this process is killed, and the next part of a line may begin at the very moment
// of a stop.
package shell

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/assent-ls/assent/tools/command"
)

// Shell runs commands. It may be used concurrently. Where commands need a keeper the zero value runs none.
type Shell struct {
	keep, run string
	memory    uint64                // see Bounded
	starts    func(*exec.Cmd) error // see StartedBy; nil: as any program
}

// New makes a shell. The keeper of a command, and the runner of a line that was understood, are this same program,
// started with the argument given here and then those that it has to pass to Keep, and to runner.Main.
func New(keep, run string) Shell { return Shell{keep: keep, run: run} }

// StartedBy is the shell for programs that are started by a function, which may take rights from them. Commands that a
// sandbox confines are started as ever: it has taken more.
func (s Shell) StartedBy(start func(*exec.Cmd) error) Shell {
	s.starts = start
	return s
}

func (s Shell) launch(cmd *exec.Cmd) error {
	if s.starts == nil {
		return cmd.Start()
	}
	return s.starts(cmd)
}

// Bounded is the shell for programs of which each process may have at most so many bytes of memory of its own: one that
// asks for more is refused it, which ends most. On Linux alone: elsewhere there is no such bound.
func (s Shell) Bounded(bytes uint64) Shell {
	s.memory = bytes
	return s
}

// Command is one command line and how to run it.
type Command struct {
	Line    string        // for a shell
	Parsed  *command.Line // the line if it was understood: instead of a shell
	Argv    []string      // a program by its absolute path, and its arguments: instead of Line, and no shell reads them
	Input   []byte        // on standard input; nil: none
	Dir     string        // absolute
	Confine Confine       // puts the command into a sandbox; nil: it is not confined
	Env     []string      // the environment it is taken from; nil: this process's. Only the allowed names are passed on
	Timeout time.Duration // 0: DefaultTimeout
	Live    func(string)  // gets the output as it comes, as Plain shows it, from another goroutine; nil: not wanted
	Head    int           // bytes kept of the beginning of the output; 0: DefaultKept
	Tail    int           // bytes kept of its end; 0: DefaultKept
}

// Confine makes of a program by its absolute path (or "/proc/self/exe" for this program), its arguments, environment
// and folder what to run instead, so that it can do less.
type Confine func(argv, env []string, dir string) (Confined, error)

// Confined is what runs a program so that it can do less.
type Confined struct {
	Argv, Env []string
	How       *syscall.SysProcAttr // how the keeper is to be started, such as in new namespaces; nil: as any other
}

// Inside starts a command from within its sandbox: the keeper calls it, which was started as Confined says. over gets
// the status with which the command counts as ended when the sandbox ends it. end is called when nothing of the command
// runs any more. pid is 0 for a command line that begins no sandbox: the keeper starts that one itself.
type Inside func(argv []string) (pid int, over <-chan int, end func() error, err error)

// Defaults of Command.
const (
	DefaultTimeout = 120 * time.Second
	DefaultKept    = 4 << 10
)

// MaxProcesses is how many processes one command may have at once, on Linux: a program that starts itself would take
// the machine with it.
const MaxProcesses = 1_000

// Outcome says how a command ended.
type Outcome struct {
	Output   Output
	Status   int    // exit status; -1 if it was killed
	Signal   string // what killed it, if not this package
	TimedOut bool
	Canceled bool
	Crowded  bool // it had more than MaxProcesses, and was killed with all of them
	Left     int  // processes that it had left behind, killed
	Alive    int  // processes that could not be killed, such as those of another user
	Took     time.Duration
}

// ending is how a command ended, as its keeper reports it.
type ending struct {
	Status      int
	Signal      string
	Left, Alive int
	Crowded     bool   // it had more than MaxProcesses
	Problem     string // why it was not started
}

// ErrUnsupported says that commands cannot run on this system.
var ErrUnsupported = errors.New("commands cannot run on this system yet")

const (
	// grace is how long a command has to clean up after SIGTERM; drain is how long its output may stay open after its
	// end.
	grace = 200 * time.Millisecond
	drain = time.Second
)

// Run runs a command to its end, its time-out or the end of ctx, and kills whatever is left of it then, processes that
// left its group included. An error means that it was not started.
func (s Shell) Run(ctx context.Context, c Command) (Outcome, error) {
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	cmd, err := s.program(c)
	if err != nil {
		return Outcome{}, err
	}
	mark := newMark()
	input, err := inputFile(c.Input)
	if err != nil {
		return Outcome{}, err
	}
	defer input.Close() //nolint:errcheck // it was only read; nil is none
	if input != nil {
		cmd.Stdin = input
	}
	cmd.Dir, cmd.Env = c.Dir, append(Allowed(env), mark)
	if c.Confine != nil {
		confined, err := c.Confine(cmd.Args, cmd.Env, c.Dir)
		if err != nil {
			return Outcome{}, err
		}
		cmd.Args, cmd.Env, cmd.SysProcAttr = confined.Argv, confined.Env, confined.How
		s.starts = nil
	}
	read, write, err := os.Pipe()
	if err != nil {
		return Outcome{}, fmt.Errorf("make a pipe: %w", err)
	}
	cmd.Stdout, cmd.Stderr = write, write
	start := time.Now()
	j, err := s.start(cmd, mark)
	_ = write.Close()
	if err != nil {
		_ = read.Close()
		return Outcome{}, fmt.Errorf("start the shell: %w", err)
	}
	out := newOutput(orDefault(c.Head, DefaultKept), orDefault(c.Tail, DefaultKept))
	live := &plainStream{to: c.Live}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(io.MultiWriter(out, live), read)
		live.end()
	}()
	o, err := wait(ctx, j, orDefault(c.Timeout, DefaultTimeout))
	select {
	case <-copied:
	case <-time.After(drain):
	}
	_ = read.Close() // ends the copy, whoever still holds the other end
	<-copied
	o.Output, o.Took = out.result(), time.Since(start)
	return o, err
}

// wait returns once the command and everything that it started are gone.
func wait(ctx context.Context, j *job, timeout time.Duration) (Outcome, error) {
	var o Outcome
	var end ending
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case end = <-j.done:
		o.Signal, o.Left, o.Crowded = end.Signal, end.Left, end.Crowded
	case <-timer.C:
		o.TimedOut = true
		end = j.stop()
	case <-ctx.Done():
		o.Canceled = true
		end = j.stop()
	}
	if end.Problem != "" {
		return Outcome{}, errors.New("start the shell: " + end.Problem)
	}
	o.Status, o.Alive = end.Status, end.Alive
	return o, nil
}

func orDefault[T int | time.Duration](v, def T) T {
	if v <= 0 {
		return def
	}
	return v
}

// newMark is a variable in the environment of a command, which identifies descendants that have no keeper.
func newMark() string {
	return "ASSENT_COMMAND=" + strconv.Itoa(os.Getpid()) + "." + rand.Text()
}

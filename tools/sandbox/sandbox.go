// Package sandbox runs shell commands: with a clean environment, without input, with bounded output, and so that nothing
// of a command outlives it. It does not confine what a command may touch: a person decides that before.
package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// Command is one command line and how to run it.
type Command struct {
	Line    string        // for the shell
	Dir     string        // absolute
	Env     []string      // the environment it is taken from; nil: this process's. Only the allowed names are passed on
	Timeout time.Duration // 0: DefaultTimeout
	Head    int           // bytes kept of the beginning of the output; 0: DefaultKept
	Tail    int           // bytes kept of its end; 0: DefaultKept
}

// Defaults of Command.
const (
	DefaultTimeout = 120 * time.Second
	DefaultKept    = 4 << 10
)

// Outcome says how a command ended.
type Outcome struct {
	Output   Output
	Status   int    // exit status; -1 if it was killed
	Signal   string // what killed it, if not this package
	TimedOut bool
	Canceled bool
	Left     int // processes that it had left behind, killed
	Took     time.Duration
}

// ErrUnsupported says that commands cannot run on this system.
var ErrUnsupported = errors.New("commands cannot run on this system yet")

const (
	// grace is how long a command has to clean up after SIGTERM, drain how long its output may stay open after its end.
	grace = 200 * time.Millisecond
	drain = time.Second
)

// Run runs a command to its end, its time-out or the end of ctx, and kills whatever is left of it then, processes that
// left its group included. An error means that it was not started.
func Run(ctx context.Context, c Command) (Outcome, error) {
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	mark := newMark()
	cmd, err := shell(c.Line)
	if err != nil {
		return Outcome{}, err
	}
	cmd.Dir = c.Dir
	cmd.Env = append(Allowed(env), mark)
	name, tagged, err := tag(cmd)
	if err != nil {
		return Outcome{}, fmt.Errorf("tag the command: %w", err)
	}
	defer tagged()
	read, write, err := os.Pipe()
	if err != nil {
		return Outcome{}, fmt.Errorf("make a pipe: %w", err)
	}
	cmd.Stdout, cmd.Stderr = write, write
	start := time.Now()
	err = cmd.Start()
	_ = write.Close()
	if err != nil {
		_ = read.Close()
		return Outcome{}, fmt.Errorf("start the shell: %w", err)
	}
	out := newOutput(orDefault(c.Head, DefaultKept), orDefault(c.Tail, DefaultKept))
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(out, read)
	}()

	o := wait(ctx, cmd, group{pid: cmd.Process.Pid, mark: mark, tag: name}, orDefault(c.Timeout, DefaultTimeout))
	select {
	case <-copied:
	case <-time.After(drain):
	}
	_ = read.Close() // ends the copy, whoever still holds the other end
	<-copied
	o.Output, o.Took = out.result(), time.Since(start)
	return o, nil
}

// wait returns once the command and everything that it started are gone.
func wait(ctx context.Context, cmd *exec.Cmd, g group, timeout time.Duration) Outcome {
	var o Outcome
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var err error
	select {
	case err = <-ended:
		o.Left = g.kill()
	case <-timer.C:
		o.TimedOut = true
		err = stop(g, ended)
	case <-ctx.Done():
		o.Canceled = true
		err = stop(g, ended)
	}
	o.Status = 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		o.Status = exit.ExitCode()
		if !o.TimedOut && !o.Canceled {
			o.Signal = signalOf(exit)
		}
	} else if err != nil {
		o.Status = -1
	}
	return o
}

// stop asks a command to end, gives it a moment, and kills it with all that it started.
func stop(g group, ended <-chan error) error {
	g.terminate()
	select {
	case err := <-ended:
		g.kill()
		return err
	case <-time.After(grace):
		g.kill()
		return <-ended
	}
}

func orDefault[T int | time.Duration](v, def T) T {
	if v <= 0 {
		return def
	}
	return v
}

// newMark is a variable in the environment of a command, by which its descendants are known even after they left its
// group and its session.
func newMark() string {
	return "ASSENT_COMMAND=" + strconv.Itoa(os.Getpid()) + "." + rand.Text()
}

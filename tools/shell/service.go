package shell

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// leave is how long a service has to end by itself after its input was closed.
const leave = 300 * time.Millisecond

// Service is a program that runs beside this one until it is stopped: the other ends of its input and output are the
// caller's. It is kept as a command is, so that nothing of it outlives Stop or this process.
type Service struct {
	In, Out, Errors *os.File

	stop        sync.Once
	stops, over chan struct{}
	end         ending // valid once over is closed
}

// Serve starts a program by its absolute path, with its arguments, in a folder. env is all of its environment.
func (s Shell) Serve(argv, env []string, dir string) (*Service, error) {
	var pipes [3][2]*os.File // of input, output and errors: where it is read, where it is written
	closeAll := func() {
		for _, pipe := range pipes {
			_, _ = pipe[0].Close(), pipe[1].Close() // a nil file is none
		}
	}
	for i := range pipes {
		var err error
		if pipes[i][0], pipes[i][1], err = os.Pipe(); err != nil {
			closeAll()
			return nil, fmt.Errorf("make a pipe: %w", err)
		}
	}
	mark := newMark()
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:noctx,gosec // Stop ends it
	cmd.Dir, cmd.Env = dir, append(slices.Clip(env), mark)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pipes[0][0], pipes[1][1], pipes[2][1]
	j, err := s.start(cmd, mark)
	if err != nil {
		closeAll()
		return nil, err
	}
	_, _, _ = pipes[0][0].Close(), pipes[1][1].Close(), pipes[2][1].Close()
	service := &Service{
		In: pipes[0][1], Out: pipes[1][0], Errors: pipes[2][0], stops: make(chan struct{}), over: make(chan struct{}),
	}
	go service.keep(j)
	return service, nil
}

// keep waits until nothing of the service is left.
func (s *Service) keep(j *job) {
	defer close(s.over)
	select {
	case s.end = <-j.done:
	case <-s.stops:
		s.end = j.stop()
	}
}

// Over is closed once nothing of the service runs any more.
func (s *Service) Over() <-chan struct{} { return s.over }

// Stop closes the input of the service, gives it a moment to end, and ends it with all that it started.
func (s *Service) Stop() {
	_ = s.In.Close()
	select {
	case <-s.over:
	case <-time.After(leave):
	}
	s.stop.Do(func() { close(s.stops) })
	<-s.over
}

// How says how the service ended, to go on after "it": "ended with status 3". It waits for the end.
func (s *Service) How() string {
	<-s.over
	switch {
	case s.end.Problem != "":
		return "cannot be started: " + s.end.Problem
	case s.end.Crowded:
		return fmt.Sprintf("was killed, since it had more than %d processes", MaxProcesses)
	case s.end.Signal != "":
		return "was ended by a signal: " + s.end.Signal
	}
	return fmt.Sprintf("ended with status %d", s.end.Status)
}

package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// Phase is what a server does.
type Phase string

// The phases.
const (
	Inert      Phase = "inert" // it is not trusted
	Disabled   Phase = "disabled"
	Stopped    Phase = "stopped" // by a person: it starts when they start it
	NotStarted Phase = "not started"
	Starting   Phase = "starting"
	Running    Phase = "running"
	Failed     Phase = "failed"
)

// State is a server as it is now, for people.
type State struct {
	Phase Phase
	Last  error    // why it failed last; a sentence that begins with the server as "it"
	Tools []string // those that it lists, as it calls them; only while it runs
}

// State looks at a server, and starts nothing.
func (s *Source) State(d Declared) State {
	switch {
	case d.Disabled:
		return State{Phase: Disabled}
	case d.Why != "":
		return State{Phase: Inert}
	}
	s.mu.Lock()
	known, stopped := s.servers[d.Name], s.stopped[d.Name]
	s.mu.Unlock()
	switch {
	case stopped:
		return State{Phase: Stopped}
	case known == nil || !known.same(d.Declaration):
		return State{Phase: NotStarted}
	}
	return known.state()
}

func (s *server) state() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.starting != nil:
		return State{Phase: Starting, Last: s.last}
	case s.live != nil && s.live.over():
		return State{Phase: Failed, Last: s.live.why}
	case s.live != nil:
		out := State{Phase: Running}
		for _, t := range s.live.listed.Load().tools {
			out.Tools = append(out.Tools, t.Own)
		}
		return out
	case s.last != nil:
		return State{Phase: Failed, Last: s.last}
	}
	return State{Phase: NotStarted}
}

// Program is what the command of a server is on this machine; empty: it is elsewhere.
func (s *Source) Program(d Declared) (string, error) {
	if d.Kind != Stdio {
		return "", nil
	}
	return d.program(s.folder())
}

// Start starts a server that counts, also one that was stopped or failed, and waits until it lists its tools. The error
// is a sentence without its end.
func (s *Source) Start(ctx context.Context, name string) error { return s.start(ctx, name, false) }

// Restart ends a server, if it runs, and starts it.
func (s *Source) Restart(ctx context.Context, name string) error { return s.start(ctx, name, true) }

func (s *Source) start(ctx context.Context, name string, again bool) error {
	d, err := s.counting(ctx, name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return errClosed
	}
	delete(s.stopped, name)
	old := s.servers[name]
	now := old
	// whoever asks for it does not wait for a pause after failures
	if again || old == nil || !old.same(d) || old.state().Phase == Failed {
		now = newServer(d, s)
	}
	s.servers[name] = now
	s.mu.Unlock()
	if old != nil && old != now {
		old.close() // first: two of them may not bear each other
	}
	for {
		_, err := now.connected(ctx)
		s.mu.Lock()
		newer := s.servers[name]
		s.mu.Unlock()
		if err == nil || newer == nil || newer == now {
			if err != nil {
				err = fmt.Errorf("the server %s %w", name, err)
			}
			return err
		}
		now = newer // somebody restarted it meanwhile: that one counts
	}
}

// counting is the declaration of a server that may start.
func (s *Source) counting(ctx context.Context, name string) (Declaration, error) {
	list, _ := s.Declared(ctx)
	at := slices.IndexFunc(list, func(d Declared) bool { return d.Name == name })
	switch {
	case at < 0:
		return Declaration{}, fmt.Errorf("there is no server %q", name)
	case list[at].Disabled:
		return Declaration{}, fmt.Errorf("the server %s is disabled where it is declared", name)
	case list[at].Why != "":
		return Declaration{}, errors.New(list[at].Why)
	case os.Getenv(served) != "":
		return Declaration{}, errors.New("this is itself a server that Assent started, and starts none")
	}
	return list[at].Declaration, nil
}

// Stop ends a server. Until a person starts it, or this program ends, nothing else does.
func (s *Source) Stop(name string) {
	s.mu.Lock()
	s.stopped[name] = true
	s.mu.Unlock()
	s.end(name, func(*server) bool { return true })
}

// end ends a server that fits.
func (s *Source) end(name string, fits func(*server) bool) {
	s.mu.Lock()
	running := s.servers[name]
	if running == nil || !fits(running) {
		s.mu.Unlock()
		return
	}
	delete(s.servers, name)
	s.mu.Unlock()
	running.close()
}

package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assent-ls/assent/tools/mcp/login"
	"github.com/assent-ls/assent/tools/mcp/tooldef"
)

const (
	callLimit  = 2 * time.Minute
	openAfter  = 5               // failures one after the other, after which the longest pause is made
	shortPause = 5 * time.Second // what is waited for instead of telling it
	wellFor    = time.Minute     // a connection that lived so long was no failure
)

// times are how long a server has to start, from its process to its list of tools; to read a message; to answer a call;
// and the pauses after its failures.
type times struct{ start, write, call, first, longest time.Duration }

// usual are the times of a program that is no test.
var usual = times{start: 60 * time.Second, write: 10 * time.Second, call: callLimit, first: time.Second, longest: 5 * time.Minute} //nolint:gochecknoglobals // never changed

// server is one declared server and what became of it. It may be used concurrently.
type server struct {
	Declaration
	folder  string // of the workspace
	options Options
	log     *serverLog
	times   times
	dialer  dialer        // one for all connections: it remembers where they led
	allowed func() string // why it must not start now; empty: it may
	resolve func() (launch, error)
	logins  *login.Store
	login   string                     // under which the login there is kept
	latest  atomic.Pointer[connection] // the last that listed tools, also once it ended; nil: there was none

	mu       sync.Mutex
	life     context.Context //nolint:containedctx // guarded by mu: that of the server's starts; it ends with close
	end      context.CancelFunc
	live     *connection // guarded by mu; nil: there is none
	starting *start      // guarded by mu; nil: none is under way
	failures int         // guarded by mu: one after the other
	next     time.Time   // guarded by mu: before that it is not started again
	last     error       // guarded by mu: why it ended or did not start last; nil: it did
}

// start is one attempt to start a server, for which several may wait.
type start struct {
	done    chan struct{}
	cancel  context.CancelFunc
	stopped bool // guarded by the server's mu
	c       *connection
	err     error
}

// newServer makes a server and starts nothing.
func newServer(d Declaration, s *Source) *server {
	life, end := context.WithCancel(context.Background())
	return &server{
		Declaration: d, folder: s.folder(), options: s.options, times: s.times, life: life, end: end,
		log: &serverLog{path: s.logPath(d.Name)}, allowed: func() string { return s.judged(d).Why },
		resolve: func() (launch, error) { return d.resolve(s.folder()) }, logins: s.logins, login: s.loginKey(d),
	}
}

// connected is the live connection of a server, which is started if it has none. The error is the end of a sentence
// that begins with the server.
func (s *server) connected(ctx context.Context) (*connection, error) {
	for {
		c, begun, wait, err := s.current()
		switch {
		case c != nil || err != nil:
			return c, err
		case begun != nil:
			select {
			case <-begun.done:
				return begun.c, begun.err
			case <-ctx.Done():
				return nil, notYet(ctx)
			}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, notYet(ctx)
		}
	}
}

func notYet(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return errStarting
}

// errStarting says that a server takes longer to start than somebody could wait.
var errStarting = errors.New("is still starting: its tools are there from a later message on")

// current is the live connection; or the start that is under way, or was begun now; or how long to wait before one may
// begin.
func (s *server) current() (c *connection, begun *start, wait time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() != nil {
		return nil, nil, 0, errors.New("is not used any more")
	}
	if s.live != nil && !s.live.over() {
		return s.live, nil, 0, nil
	}
	if s.starting != nil {
		return nil, s.starting, 0, nil
	}
	if s.live != nil {
		s.ended(s.live)
	}
	wait = time.Until(s.next)
	switch {
	case wait > 0 && s.failures >= openAfter:
		return nil, nil, 0, fmt.Errorf(
			"failed %d times one after the other: %w; it is tried again after a pause of %v", s.failures, s.last,
			s.times.longest,
		)
	case wait > shortPause:
		return nil, nil, 0, fmt.Errorf("does not work: %w", s.last)
	case wait > 0:
		return nil, nil, wait, nil
	}
	ctx, cancel := context.WithTimeoutCause(s.life, s.times.start, context.DeadlineExceeded)
	s.starting = &start{done: make(chan struct{}), cancel: cancel}
	go s.begin(ctx, s.starting)
	return nil, s.starting, 0, nil
}

// ended takes note of a connection that ended by itself; mu is held.
func (s *server) ended(c *connection) {
	if time.Since(c.since) > wellFor {
		s.failures = 0
	}
	s.failed(c.why)
	s.live = nil
}

// failed takes note of a failure; mu is held.
func (s *server) failed(err error) {
	s.failures++
	s.last = err
	pause := min(s.times.first<<(min(s.failures, openAfter)-1), s.times.longest)
	if s.failures >= openAfter {
		pause = s.times.longest
	}
	s.next = time.Now().Add(pause)
}

// begin starts the server and asks for its tools.
func (s *server) begin(ctx context.Context, a *start) {
	defer a.cancel()
	defer close(a.done)
	a.c, a.err = s.launch(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting = nil
	if a.stopped { // no failure: the next call starts it at once
		if a.c != nil {
			a.c.close()
		}
		a.c, a.err = nil, errors.New("was stopped while it started")
		return
	}
	if wantsLogin(a.err) { // no failure: it is asked again at once when a person has logged in
		a.err = needsLoginError{s.Name}
		s.last, s.failures, s.next = fmt.Errorf("it %w", a.err), 0, time.Time{}
		s.log.say(s.last.Error())
		return
	}
	if a.err != nil {
		s.log.say(a.err.Error())
		s.failed(a.err)
		a.err = fmt.Errorf("does not work: %w", a.err)
		return
	}
	s.live, s.last = a.c, nil
}

func (s *server) launch(ctx context.Context) (*connection, error) {
	if why := s.allowed(); why != "" { // what was trusted when the run began may be something else now
		return nil, errors.New(why)
	}
	l, err := s.resolve()
	if err != nil {
		return nil, err
	}
	if l.account = s.account(l); l.account != nil {
		l.secrets.more = l.account.Secrets
	}
	s.log.hides(l.secrets.hide)
	s.log.say("it is started")
	c, err := s.dial(ctx, l)
	if err != nil {
		return nil, err
	}
	if err := c.list(ctx); err != nil {
		c.close()
		return nil, fmt.Errorf("it does not list its tools: %w", err)
	}
	s.latest.Store(c)
	return c, nil
}

// now is a tool as the server listed it last; nil: it does not any more. It asks nobody.
func (s *server) now(d *tooldef.Definition) *tooldef.Definition {
	c := s.latest.Load()
	if c == nil {
		return nil
	}
	return c.listed.Load().named(d.Own)
}

// worked takes note that a server answers: it may fail again before it is given up.
func (s *server) worked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures, s.next = 0, time.Time{}
}

// tools are what the server lists now. A list that is out of date is asked for again.
func (s *server) tools(ctx context.Context) (*connection, listing, error) {
	c, err := s.connected(ctx)
	if err != nil {
		return nil, listing{}, err
	}
	if err := c.fresh(ctx); err != nil {
		return nil, listing{}, fmt.Errorf("does not list its tools: %w", err)
	}
	return c, *c.listed.Load(), nil
}

// stop ends the connection, and a start that is under way. The next call starts the server again.
func (s *server) stop() {
	s.mu.Lock()
	live, begun := s.live, s.starting
	s.live = nil
	if begun != nil {
		begun.stopped = true
		begun.cancel()
	}
	s.mu.Unlock()
	if begun != nil {
		<-begun.done
	}
	if live != nil && !live.over() {
		live.close()
	}
}

// close stops the server for good.
func (s *server) close() {
	s.end()
	s.mu.Lock()
	c, begun := s.live, s.starting
	s.mu.Unlock()
	if begun != nil {
		<-begun.done
		c = begun.c
	}
	if c != nil && !c.over() {
		c.close()
	}
	s.log.end()
}

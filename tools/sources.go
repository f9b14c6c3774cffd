package tools

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Source offers tools: those of a server, of the user, of a program. It may be used concurrently.
type Source interface {
	// Name names the source to people.
	Name() string
	// Tools lists what the source offers now, in an order that stays the same. changed is closed once the list is out of
	// date; nil says that a list never is. After an error with a nil channel the source is asked again for the next run.
	Tools(ctx context.Context) (list []Tool, changed <-chan struct{}, err error)
}

// Sources are all tools of one workspace: the built-in ones and those of the sources, in that order. They may be used
// concurrently.
type Sources struct {
	builtin []Tool
	known   atomic.Pointer[Registry]

	mu       sync.Mutex      // held while the sources are asked
	sources  []*listing      // guarded by mu
	reported map[string]bool // guarded by mu: the problems of the last time
}

// listing is a source and its last list of tools.
type listing struct {
	Source
	asked   bool
	list    []Tool
	changed <-chan struct{}
	err     error
}

// NewSources combines the built-in tools, which never change, with those of other sources, which cannot have the name of a
// built-in one.
func NewSources(builtin []Tool, more ...Source) *Sources {
	s := &Sources{builtin: builtin}
	for _, source := range more {
		s.sources = append(s.sources, &listing{Source: source})
	}
	r, problems := s.registry()
	if len(problems) > 0 {
		panic(problems[0]) // the list of built-in tools is wrong; every test finds it
	}
	s.known.Store(r)
	return s
}

// Known returns the tools as they were listed last, without asking a source, since asking may start programs.
func (s *Sources) Known() *Registry { return s.known.Load() }

// Now returns the tools for a new run, after asking the sources whose lists are out of date. A source that fails has no tools,
// and of two tools with one name the first is kept. The error says so in sentences for the user, each only once until the
// problem has gone and come back.
func (s *Sources) Now(ctx context.Context) (*Registry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var asking sync.WaitGroup
	for _, l := range s.sources {
		if l.outdated() {
			asking.Go(func() { l.ask(ctx) })
		}
	}
	asking.Wait()
	if err := ctx.Err(); err != nil {
		return s.Known(), err // what failed may have failed because of that
	}
	r, problems := s.registry()
	s.known.Store(r)
	var fresh []error
	now := map[string]bool{}
	for _, problem := range problems {
		if !s.reported[problem] && !now[problem] {
			fresh = append(fresh, errors.New(problem))
		}
		now[problem] = true
	}
	s.reported = now
	return r, errors.Join(fresh...)
}

// registry combines the last lists of the sources; mu is held, or s is not shared yet.
func (s *Sources) registry() (r *Registry, problems []string) {
	r = &Registry{byName: map[string]Tool{}}
	owner := map[string]string{}
	add := func(from string, list []Tool) {
		for _, t := range list {
			switch name := t.Spec().Name; {
			case name == "":
				problems = append(problems, fmt.Sprintf("A tool of %s has no name, so it is left out.", from))
			case r.byName[name] != nil:
				problems = append(problems, fmt.Sprintf("The tool %q of %s is left out, because %s has a tool of this name already.", name, from, owner[name]))
			default:
				r.tools, r.byName[name], owner[name] = append(r.tools, t), t, from
			}
		}
	}
	add("Assent", s.builtin)
	for _, l := range s.sources {
		if l.err != nil {
			problems = append(problems, fmt.Sprintf("The tools of %s cannot be used: %s", l.Name(), sentence(l.err.Error())))
			continue
		}
		add(l.Name(), l.list)
	}
	return r, problems
}

// outdated reports whether the source must be asked.
func (l *listing) outdated() bool {
	if !l.asked {
		return true
	}
	select {
	case <-l.changed:
		return true
	default:
		return l.err != nil && l.changed == nil
	}
}

// ask asks the source for its tools; a panic in it becomes its error.
func (l *listing) ask(ctx context.Context) {
	defer func() {
		if v := recover(); v != nil {
			l.err = fmt.Errorf("the source failed: %v", v)
		}
		l.asked = ctx.Err() == nil // else the error may be only that ctx ended
	}()
	l.list, l.changed, l.err = nil, nil, nil
	list, changed, err := l.Tools(ctx)
	for _, t := range list {
		l.list = append(l.list, listed{t, t.Spec()})
	}
	l.changed, l.err = changed, err
}

// listed is a tool with what it said of itself when it was listed: that is asked of it once, and never changes in a run.
type listed struct {
	Tool
	spec Spec
}

func (l listed) Spec() Spec { return l.spec }

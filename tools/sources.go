package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/assent-ls/assent/internal/ranking"
)

// Source offers tools: those of a server, of the user, of a program. It may be used concurrently.
type Source interface {
	// Name names the source to people.
	Name() string
	// Tools lists what the source offers now, in an order that stays the same. changed is closed once the list is out
	// of date; nil says that a list never is. The error says which tools are missing in the list. After one with a nil
	// channel the source is asked again for the next run.
	Tools(ctx context.Context) (list []Tool, changed <-chan struct{}, err error)
}

// Outdated is the channel of a list that may change unseen: each run asks the source again.
func Outdated() <-chan struct{} {
	closed := make(chan struct{})
	close(closed)
	return closed
}

// Sources are all tools of one workspace: the built-in ones and those of the sources, in that order. They may be used
// concurrently.
type Sources struct {
	builtin []Tool
	sources []*listing // guarded by mu, but for the Source of each
	known   atomic.Pointer[Registry]
	rates   rates
	results results

	mu       sync.Mutex      // not held while a source is waited for
	choice   func() Choice   // guarded by mu; nil: all tools by their own names
	meaning  ranking.Meaning // guarded by mu; nil: calls find things by words alone
	reported map[string]bool // guarded by mu: the problems of the last time
}

// askLimit is how long runs wait for the answer of a source: later ones do not wait for it again.
const askLimit = 10 * time.Second

// listing is a source and its last list of tools.
type listing struct {
	Source
	answer
	asked   bool
	pending *question // under way; nil: none
}

// answer is what a source said.
type answer struct {
	list    []Tool
	changed <-chan struct{}
	err     error
}

// question is one asking of a source. Several runs may wait for it.
type question struct {
	answer // valid once done is closed
	done   chan struct{}
	late   <-chan struct{} // closed after askLimit, or soon after done
}

// NewSources combines the built-in tools, which never change, with those of other sources, which cannot have the name
// of a built-in one.
func NewSources(builtin []Tool, more ...Source) *Sources {
	s := &Sources{builtin: builtin, rates: rates{tools: map[toolName]*rate.Limiter{}}}
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

// RankBy makes calls find things also by what they mean. It is called before the sources are used.
func (s *Sources) RankBy(m ranking.Meaning) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meaning = m
	r, _ := s.registry() // the first run tells the problems
	s.known.Store(r)
}

// Known returns the tools as they were listed last, without asking a source, since asking may start programs.
func (s *Sources) Known() *Registry { return s.known.Load() }

// Now returns the tools for a new run, after asking the sources whose lists are out of date. Of a source that fails
// only what it lists is there, and of two tools with one name the first is kept. The error says so in sentences for the
// user, each only once until the problem has gone and come back.
func (s *Sources) Now(ctx context.Context) (*Registry, error) {
	if err := s.ask(ctx); err != nil {
		return s.Known(), err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.sources {
		if l.take() {
			s.results.forget()
		}
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

// ask asks the sources whose lists are out of date, and waits for them, askLimit at most. The error is that of ctx.
func (s *Sources) ask(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var questions []*question
	s.mu.Lock()
	for _, l := range s.sources {
		if l.pending == nil && l.outdated() {
			l.pending = newQuestion(ctx, l.Source)
		}
		if l.pending != nil {
			questions = append(questions, l.pending)
		}
	}
	s.mu.Unlock()
	for _, q := range questions {
		select {
		case <-q.done:
		case <-q.late:
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// Close ends the sources that have something to end.
func (s *Sources) Close() {
	for _, l := range s.sources {
		if c, ok := l.Source.(io.Closer); ok {
			_ = c.Close() // there is nobody left to tell
		}
	}
}

// registry combines the last lists of the sources; mu is held, or s is not shared yet.
func (s *Sources) registry() (r *Registry, problems []string) { return s.combine(s.sources) }

// combine combines lists of the sources; mu is held, or s is not shared yet.
func (s *Sources) combine(sources []*listing) (r *Registry, problems []string) {
	r = &Registry{byName: map[string]Tool{}, rates: &s.rates, results: &s.results, meaning: s.meaning}
	say := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	owner := map[string]string{}
	add := func(from string, list []Tool) {
		for _, t := range list {
			switch name := t.Spec().Name; {
			case name == "":
				say("A tool of %s has no name, so it is left out.", from)
			case r.byName[name] != nil:
				say(
					"The tool %q of %s is left out, because %s has a tool of this name already.",
					name, from, owner[name],
				)
			default:
				r.tools, r.byName[name], owner[name] = append(r.tools, t), t, from
			}
		}
	}
	add("Assent", s.builtin)
	for _, l := range sources {
		if l.err != nil {
			say("%s of %s cannot be used: %s", whichTools(l.list), l.Name(), Sentence(few(l.err)))
		}
		add(l.Name(), l.list)
	}
	for _, t := range r.tools {
		r.all = append(r.all, Choosable{Spec: t.Spec(), Setting: t.Spec().Name})
	}
	if s.choice != nil {
		complete := !slices.ContainsFunc(sources, func(l *listing) bool { return !l.asked || l.err != nil })
		problems = append(problems, s.choice().apply(r, complete)...)
	}
	r.index = indexOf(r.Specs(), s.Known())
	return r, problems
}

// whichTools begins the sentence that tools are missing in a list.
func whichTools(list []Tool) string {
	if len(list) > 0 {
		return "Some tools"
	}
	return "The tools"
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

// newQuestion asks a source. It goes on when the run that asked is stopped, since others may wait for it.
func newQuestion(ctx context.Context, source Source) *question {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askLimit)
	q := &question{done: make(chan struct{}), late: ctx.Done()}
	go func() {
		defer cancel()
		defer close(q.done) // before late: then the answer counts
		defer func() {
			if v := recover(); v != nil {
				q.answer = answer{err: fmt.Errorf("the source failed: %v", v)}
			}
		}()
		list, changed, err := source.Tools(ctx)
		for _, t := range list {
			q.list = append(q.list, listed{t, t.Spec()})
		}
		q.changed, q.err = changed, err
	}()
	return q
}

// take takes the answer of the source, if it came, and reports whether the list may be another one. Until then it has
// no tools.
func (l *listing) take() (changed bool) {
	if l.pending == nil {
		return false
	}
	select {
	case <-l.pending.done:
		l.answer, l.asked, l.pending = l.pending.answer, true, nil
	default:
		l.answer = answer{err: fmt.Errorf("no answer came within %d seconds", int(askLimit.Seconds()))}
	}
	return true
}

// listed is a tool with what it said about itself when it was listed: that is asked of it once, and never changes in a
// run.
type listed struct {
	Tool
	spec Spec
}

func (l listed) Spec() Spec { return l.spec }

// few is what an error says, on one line; of many joined errors it is the first ones.
func few(err error) string {
	const most = 3
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, ".")
	}
	if more := len(lines) - most; more > 0 {
		lines = append(lines[:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "; ")
}

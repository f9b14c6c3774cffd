// Package background has the tools for commands that go on running while a chat does something else, such as servers
// and watchers: start_command and command_output. A command runs as run_command would run it, on a copy of the
// workspace where there is a sandbox, and ends by itself, by Stop, with its chat, or with the program.
//
// A copy tells nobody of changes on the disk. So a command on one is ended and started again on a fresh copy after
// files changed. What it wrote on the old one is dropped: nobody asked for half of its work. What it wrote when it ends
// by itself, or because the model ends it, waits as the one question about a tried command, which the next call of
// command_output puts. In all other cases nobody may be there to answer, and it is dropped.
package background

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
)

// The bounds of a chat.
const (
	maxRunning = 4  // commands that run
	maxEnded   = 16 // that are remembered after their end
)

// Options of New.
type Options struct {
	// Run is run_command as [runcommand.Options.Background] makes it.
	Run tools.Tool
	// Decide says whether a command that was approved may be started again; nil: it may.
	Decide func(policy.Request) policy.Decision
	Key    string // of the workspace, for Decide
	// Off says that the user wants no commands; nil: they do.
	Off func() bool
}

// Source has the tools, and the commands of one workspace. Its methods may be called concurrently, also of a nil one,
// which has no commands.
type Source struct {
	options Options
	ctx     context.Context //nolint:containedctx // the life of all commands
	cancel  context.CancelFunc
	tasks   sync.WaitGroup // the commands that have not ended

	mu     sync.Mutex
	closed bool               // guarded by mu
	of     map[place][]*entry // guarded by mu: in the order in which they were started
	tell   func(chat string)  // guarded by mu; nil: nobody wants to know
}

// entry is a command with the name that its chat has for it.
type entry struct {
	id string
	*command
}

// place is what a command belongs to: a chat by its path or, without one, whoever has read what this set says.
type place struct {
	chat  string
	reads *tools.ReadSet
}

func placeOf(call tools.Call) place {
	if call.Chat != "" {
		return place{chat: call.Chat}
	}
	return place{reads: call.Reads}
}

// New makes the source. It starts nothing.
func New(o Options) *Source {
	s := &Source{options: o, of: map[place][]*entry{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Name implements tools.Source.
func (*Source) Name() string { return "commands in the background" }

// Quiet implements tools.Quiet: to list the tools starts nothing.
func (*Source) Quiet() {}

// Tools implements tools.Source.
func (s *Source) Tools(context.Context) ([]tools.Tool, <-chan struct{}, error) {
	outdated := tools.Outdated() // the settings may change
	if s.options.Off != nil && s.options.Off() {
		return nil, outdated, nil
	}
	return s.List(), outdated, nil
}

// List are the tools.
func (s *Source) List() []tools.Tool { return []tools.Tool{s.startTool(), s.outputTool()} }

// OnChange has a function called, from any goroutine, when a command of a chat runs in another way than before.
func (s *Source) OnChange(tell func(chat string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell = tell
}

// changed says that a command of a place runs in another way than before.
func (s *Source) changed(at place) {
	s.mu.Lock()
	tell := s.tell
	s.mu.Unlock()
	if tell != nil && at.chat != "" {
		tell(at.chat)
	}
}

// Close implements io.Closer: it ends all commands, and returns when none of their processes is left.
func (s *Source) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.tasks.Wait()
	return nil
}

// add takes a command into its place and starts it. The error is a sentence for the model.
func (s *Source) add(c *command, run run) (*entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fmt.Errorf("nothing is started any more: Assent ends")
	}
	all := s.of[c.at]
	if err := tooMany(all); err != nil {
		return nil, err
	}
	e := &entry{id: freeID(all, c.call), command: c}
	all = slices.DeleteFunc(all, func(old *entry) bool { return old.id == e.id }) // it has ended
	for ended := endedOf(all); len(ended) > maxEnded; ended = ended[1:] {
		all = slices.DeleteFunc(all, func(old *entry) bool { return old == ended[0] })
	}
	s.of[c.at] = append(all, e)
	s.tasks.Go(func() { c.keep(run) })
	return e, nil
}

// tooMany is an error if no further command may run beside these.
func tooMany(all []*entry) error {
	var names []string
	for _, e := range all {
		if e.status().State != Ended {
			names = append(names, e.id)
		}
	}
	if len(names) < maxRunning {
		return nil
	}
	return fmt.Errorf(
		"%d commands run in the background already (%s), which is the most: end one with command_output and stop",
		len(names), strings.Join(names, ", "),
	)
}

func endedOf(all []*entry) (ended []*entry) {
	for _, e := range all {
		if e.status().State == Ended {
			ended = append(ended, e)
		}
	}
	return ended
}

// freeID is what a chat calls a new command: as the call that starts it, which is in the chat, or by a number.
func freeID(all []*entry, call tools.Call) string {
	runs := func(id string) bool {
		return slices.ContainsFunc(all, func(e *entry) bool { return e.id == id && e.status().State != Ended })
	}
	if id := call.ID; id != "" && !strings.HasPrefix(id, byHand) && !runs(id) {
		return id
	}
	for n := 1; ; n++ {
		id := fmt.Sprintf("b%d", n)
		if !slices.ContainsFunc(all, func(e *entry) bool { return e.id == id }) {
			return id
		}
	}
}

// byHand begins the IDs of calls that a person makes, which are in no chat.
const byHand = "by-hand-"

// entries are the commands of a place.
func (s *Source) entries(at place) []*entry {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.of[at])
}

// everywhere are the commands of all places.
func (s *Source) everywhere() []*entry {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Concat(slices.Collect(maps.Values(s.of))...)
}

// Commands says how the commands of a chat are, in the order in which they were started.
func (s *Source) Commands(chat string) (list []Status) {
	for _, e := range s.entries(place{chat: chat}) {
		status := e.status()
		status.ID = e.id
		list = append(list, status)
	}
	return list
}

// Output is what a command of a chat printed, as far as it is kept, with how it is in a last line.
func (s *Source) Output(chat, id string) (string, bool) {
	for _, e := range s.entries(place{chat: chat}) {
		if e.id == id {
			return e.shown(), true
		}
	}
	return "", false
}

// Follow shows what a command of a chat printed, and again whenever there is more, until ctx or the command ends.
func (s *Source) Follow(ctx context.Context, chat, id string, show func(text string)) {
	for _, e := range s.entries(place{chat: chat}) {
		if e.id == id {
			e.follow(ctx, show)
		}
	}
}

// Stop ends a command of a chat for the user, or all of them if id is empty, and drops what they wrote on their copies.
// It does not wait for the end, and reports whether one ran.
func (s *Source) Stop(chat, id string) (stopped bool) {
	if chat == "" {
		return false
	}
	for _, e := range s.entries(place{chat: chat}) {
		if id == "" || e.id == id {
			stopped = e.end("by the user") || stopped
		}
	}
	return stopped
}

// Leave ends the commands of a chat whose session is over, and forgets them. It does not wait for the end, and names
// those that ran.
func (s *Source) Leave(chat string) (lines []string) {
	if s == nil || chat == "" {
		return nil
	}
	return s.leave(place{chat: chat})
}

// LeaveReader is Leave for a caller that is in no chat.
func (s *Source) LeaveReader(reads *tools.ReadSet) {
	if s != nil {
		s.leave(place{reads: reads})
	}
}

func (s *Source) leave(at place) (lines []string) {
	s.mu.Lock()
	all := s.of[at]
	delete(s.of, at)
	s.mu.Unlock()
	for _, e := range all {
		if e.end("with its chat") {
			lines = append(lines, visible.Line(e.line))
		}
	}
	return lines
}

// Changed starts the commands that run on copies again on fresh ones, once for changes that come close together.
func (s *Source) Changed() {
	for _, e := range s.everywhere() {
		e.refresh()
	}
}

// Running names the commands that run, sorted.
func (s *Source) Running() (lines []string) {
	for _, e := range s.everywhere() {
		if e.status().State != Ended {
			lines = append(lines, visible.Line(e.line))
		}
	}
	slices.Sort(lines)
	return lines
}

// State says how a command is.
type State int

// The states.
const (
	Runs    State = iota + 1
	Settles       // it has ended, and what it changed waits for an answer
	Ended
)

// Status is how a command is.
type Status struct {
	ID      string // as the chat calls it
	Line    string
	State   State
	Outside bool // of the sandbox, on the files themselves
	Started time.Time
	How     string // how it ended, in sentences; empty: it did not
}

// Sentence says it in a sentence.
func (s Status) Sentence() string {
	switch where := "on a copy of the workspace"; s.State {
	case Settles:
		return "It has ended. What it changed on its copy waits until its output is read, and is dropped by Stop."
	case Ended:
		return "It does not run any more. " + s.How
	default:
		if s.Outside {
			where = "outside the sandbox"
		}
		return fmt.Sprintf("It runs in the background, %s.", where)
	}
}

package background

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
)

// pause is how long files have to be left alone before a command is started again.
const pause = 300 * time.Millisecond

// run runs a command to its end.
type run func(ctx context.Context, report tools.Reporter) tools.Result

// command is a command in the background. Its first fields never change.
type command struct {
	source   *Source
	at       place
	call     tools.Call // of run_command
	line     string
	outside  bool
	approved tools.Plan
	pick     func(tools.Plan) run // how it runs, of a plan; nil if it cannot any more
	started  time.Time

	asked chan question // what is asked about what it changed, for whoever attends

	mu         sync.Mutex
	news       chan struct{} // guarded by mu: closed, and made anew, when something below changes
	all, fresh kept          // guarded by mu: what it printed, and what of that the model did not read
	state      State         // guarded by mu
	halt       func()        // guarded by mu: ends the process; then its changes are asked about
	drop       func()        // guarded by mu: ends the process, and drops its changes
	due        bool          // guarded by mu: files changed since it was started
	again      bool          // guarded by mu: it is started again when the process has ended
	timer      *time.Timer   // guarded by mu: starts it again; nil: nothing changed yet
	restarts   int           // guarded by mu: since the model read the output
	ending     bool          // guarded by mu: somebody ended it
	ended      string        // guarded by mu: who ended it, if its changes are dropped
	result     tools.Result  // guarded by mu: how it ended, in the state Ended
}

func newCommand(s *Source, call tools.Call, line string, plan tools.Plan, pick func(tools.Plan) run) *command {
	return &command{
		source: s, at: placeOf(call), call: call, line: line, outside: !plan.Confined, approved: plan, pick: pick,
		started: time.Now(), asked: make(chan question), news: make(chan struct{}), state: Runs,
		all: newKept(headForPeople, tailForPeople), fresh: newKept(headForModel, tailForModel),
	}
}

// keep runs the command until it is not started again.
func (c *command) keep(next run) {
	for next != nil {
		next = c.after(c.once(next))
	}
}

// once runs the command until its process has ended, and what it changed is decided on or dropped.
func (c *command) once(run run) (result tools.Result) {
	ctx, drop := context.WithCancel(c.source.ctx)
	defer drop()
	c.change(func() {
		c.state, c.halt, c.drop = Runs, drop, drop
		if c.ending {
			drop()
		}
	})
	defer func() {
		if v := recover(); v != nil { // as the dispatcher does for a call
			result = tools.Failed(fmt.Sprintf("[The command failed: %v.]", v))
		}
	}()
	return run(ctx, courier{c})
}

// after decides how it goes on after a process has ended; nil: not at all.
func (c *command) after(result tools.Result) (next run) {
	c.mu.Lock()
	again := c.again && !c.ending && c.source.ctx.Err() == nil
	c.again = false
	c.mu.Unlock()
	if again {
		next, err := c.afresh()
		if err == nil {
			c.change(func() {
				c.restarts, c.due = c.restarts+1, false
				c.fresh.clear()
				c.all.add("\n[" + restarted + "]\n")
			})
			return next
		}
		result = tools.Failed("[It was ended, since files changed, and was not started again: " + err.Error() + ".]")
	}
	c.change(func() {
		if c.source.ctx.Err() != nil {
			c.ended = "with Assent"
		}
		if c.ended != "" {
			said := "[It was ended " + c.ended + ".]"
			if !c.outside {
				said += "\n[" + dropped + "]"
			}
			result = tools.Result{Failed: true, Parts: tools.Text(said).Parts, Changes: result.Changes}
		}
		c.state, c.result = Ended, result
		if c.timer != nil {
			c.timer.Stop()
		}
	})
	return nil
}

const (
	dropped   = "What it wrote on its copy was dropped."
	restarted = "It was ended and started again on a fresh copy of the workspace, since files changed. " + dropped
)

// afresh plans the command again. The error says why what was approved is not what would run now.
func (c *command) afresh() (run, error) {
	plan, err := c.source.options.Run.Plan(c.source.ctx, c.call)
	if err != nil {
		return nil, err
	}
	run := c.pick(plan)
	if run == nil || plan.Binding != c.approved.Binding || plan.Protected != c.approved.Protected {
		return nil, fmt.Errorf("it would run in another way than before, so start it again")
	}
	if decide := c.source.options.Decide; decide != nil {
		if d := decide(c.request(plan)); d.Verdict == policy.Refuse {
			return nil, fmt.Errorf("%s", strings.TrimSuffix(d.Reason, "."))
		}
	}
	return run, nil
}

// request is the command as policy sees it.
func (c *command) request(plan tools.Plan) policy.Request {
	var mode policy.Mode
	if c.call.Mode != nil {
		mode = c.call.Mode()
	}
	return policy.Request{
		Mode: mode, Tool: c.source.options.Run.Spec().Own(), Effect: c.source.options.Run.Spec().Effect,
		Target: plan.Target, Protected: plan.Protected, Paths: plan.Paths, Command: plan.Command,
		Confined: plan.Confined, Tried: plan.TryUnasked != nil, Caller: c.call.Caller, Chat: c.call.Chat,
		Workspace: c.source.options.Key,
	}
}

// change changes what mu guards, and tells everybody: it wakes those who wait for news.
func (c *command) change(do func()) {
	c.mu.Lock()
	state := c.state
	do()
	close(c.news)
	c.news = make(chan struct{})
	differs := state != c.state
	c.mu.Unlock()
	if differs {
		c.source.changed(c.at)
	}
}

// end ends the command and drops what it wrote on its copy. It does not wait, and reports whether it ran.
func (c *command) end(how string) (ran bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == Ended {
		return false
	}
	if ran = c.ended == ""; ran {
		c.ended = how
	}
	c.ending = true
	if c.drop != nil {
		c.drop()
	}
	return ran
}

// finish ends the command, and lets what it wrote on its copy be asked about. It does not wait.
func (c *command) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ending = true
	if c.state == Runs && c.halt != nil {
		c.halt()
	}
}

// refresh starts the command again if it runs on a copy, once nothing has changed for a moment.
func (c *command) refresh() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.outside || c.ending || c.state == Ended {
		return
	}
	c.due = true
	if c.timer == nil {
		c.timer = time.AfterFunc(pause, c.restart)
		return
	}
	c.timer.Reset(pause)
}

func (c *command) restart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending || c.state != Runs {
		return
	}
	c.again = true
	c.drop()
}

func (c *command) status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Status{Line: visible.Line(c.line), State: c.state, Outside: c.outside, Started: c.started}
	if c.state == Ended {
		for line := range strings.Lines(c.result.Text()) {
			s.How += " " + strings.Trim(strings.TrimSpace(line), "[]")
		}
		s.How = strings.TrimSpace(visible.Line(s.How))
	}
	return s
}

// showPause is the time between two looks of somebody who follows the output.
const showPause = 500 * time.Millisecond

// follow shows it whenever there is more, until ctx or the command ends.
func (c *command) follow(ctx context.Context, show func(text string)) {
	for {
		c.mu.Lock()
		news, over := c.news, c.state == Ended
		c.mu.Unlock()
		show(c.shown())
		if over {
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(showPause):
		case <-ctx.Done():
			return
		}
	}
}

// shown is what people see of it.
func (c *command) shown() string {
	c.mu.Lock()
	text := strings.TrimRight(visible.Text(c.all.String()), "\n")
	c.mu.Unlock()
	return strings.TrimLeft(text+"\n\n"+c.status().Sentence(), "\n")
}

package agent

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/images"
	"github.com/assent-ls/assent/agent/toolbox"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
)

// loop is the state of one run; only the run's own goroutine touches it.
type loop struct {
	agent *Agent
	run   *Run
	job   Job

	compose.Conversation
	toolbox  toolbox.Box
	calls    *executor
	exchange *exchange
	context  *attacher

	asked     bool // a request was sent
	reloaded  bool // the server had to load the model for the request
	nextID    int
	malformed int      // replies in a row
	retry     string   // the next reply must call this tool: its last call could not be read
	guidance  Guidance // nil: the model is not guided
	dotted    bool     // the document says that the model reads control marks with a dot
	shown     bool     // the request is only shown: the model is asked nothing
	explained bool     // the model read that a call in its reply was only shown, not made
}

func newLoop(a *Agent, r *Run, job Job) *loop {
	c := &loop{agent: a, run: r, job: job}
	c.calls = &executor{loop: c, repeats: repeats{}, output: r.output}
	c.exchange, c.context = &exchange{loop: c, off: 1}, &attacher{loop: c}
	return c
}

func (c *loop) emit(e event.Event) {
	if p, ok := e.(event.Progress); ok {
		p.Mode = c.mode()
		e = p
	}
	c.job.Sink.Emit(e)
}

// progress says what goes on.
func (c *loop) progress(stage event.Stage, note string) {
	c.emit(event.Progress{Stage: stage, Note: note})
}

// mode is the user's, or less if the chat asks for less.
func (c *loop) mode() policy.Mode { return engine.ModeOf(c.job.Document, c.job.Options) }

// Run is one run of the agent. Its methods are safe for concurrent use.
type Run struct {
	cancel   context.CancelFunc
	yields   atomic.Bool // it ends after its current step
	requests chan request
	changes  atomic.Int64 // how often Recheck was called
	done     chan struct{}
	output   *output // of calls that run
	answered *loop   // set before done is closed, if the model has answered

	mu        sync.Mutex
	questions []event.Question // guarded by mu: what waits now, in the model's order
	end       event.Finished   // guarded by mu: valid once done is closed
	model     string           // guarded by mu: the model that answers; empty until it is chosen
}

// Stop ends the run: the request to the model server is closed at once and nothing is applied later.
func (r *Run) Stop() { r.cancel() }

// Halt stops the command that runs if its changes can still be asked about, and ends the run once that is done. False:
// there is no such command, and nothing was done.
func (r *Run) Halt() bool { return r.output.halt() }

// Yield ends the run after its current step, completed: something else is to be sent next.
func (r *Run) Yield() { r.yields.Store(true) }

// Done is closed after the sink has got its Finished.
func (r *Run) Done() <-chan struct{} { return r.done }

// Wait blocks until the run is over and says how it ended.
func (r *Run) Wait() event.Finished {
	<-r.done
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.end
}

// Model names the model that answers; empty until it is chosen.
func (r *Run) Model() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.model
}

// Questions lists what waits for a person now, in the model's order.
func (r *Run) Questions() []event.Question {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.questions)
}

// executor has the calls of a reply decided and executes them.
type executor struct {
	*loop

	repeats repeats
	output  *output // of calls that run
}

// exchange sends the requests of a run and reads what comes back. What does not fit is shortened first.
type exchange struct {
	*loop

	sent    []event.Asked // the newest of them
	summary *event.Asked  // the request for it that a Send would make; of a request that is only shown
	looked  bool          // the server was asked with how much context it loaded the model

	off       float64 // by how much the estimates of texts are off, by what the server counted last
	uncounted string  // why the server counts no requests of this run, as [engine.Engine.Count] says it
}

// attacher attaches context to the turn that is sent.
type attacher struct {
	*loop

	lookup images.Lookup // the images of the document
}

// note writes a block into the document that is for people alone.
func (c *loop) note(name, text string) {
	parts := content.Texts(strings.TrimRight(text, "\n"))
	c.emit(event.ContextAdded{Block: attach.Block{Name: name, Parts: parts}, NotSent: true})
}

// effect is what a tool does to the world; the zero value for an unknown tool.
func (c *loop) effect(name string) effect.Effect {
	spec, _ := c.spec(name)
	return spec.Effect
}

// spec is the tool of a name.
func (c *loop) spec(name string) (tools.Spec, bool) {
	if c.job.Tools == nil {
		return tools.Spec{}, false
	}
	return c.job.Tools.Registry().Named(name)
}

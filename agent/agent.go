// Package agent runs conversations: it composes a prompt, streams a reply, decodes its calls, has them decided by
// policy or by a person, executes them and goes on until the model has answered. It knows neither LSP nor HTTP nor
// files.
package agent

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/guidance"
	"github.com/assent-ls/assent/agent/guidance/relevant"
	"github.com/assent-ls/assent/agent/guidance/schema"
	"github.com/assent-ls/assent/agent/images"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/opencalls"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools"
)

// Agent starts runs against one model server. It is safe for concurrent use.
type Agent struct {
	*engine.Engine
	guides func(toolcall.Format) bool // whether a model that calls tools so is guided
	raws   *engine.RawReplies
	sent   *lastSent
}

// New returns an agent for one backend.
func New(backend model.Backend, profiles *model.Profiles) *Agent {
	return &Agent{
		Engine: engine.New(backend, profiles), raws: engine.NewRawReplies(),
		sent: &lastSent{chats: map[string]sentChat{}}, guides: guidance.Guides,
	}
}

// Job is one Send: a document up to its last turn of the user, and what the run may use.
type Job struct {
	Chat string // identity of the chat, for grants "in this chat"
	// its last turn is the user's, or with Resume the assistant's
	Document *transcript.Chat
	System   string // the system prompt
	// the system prompt for the model that was chosen; nil: System
	Prompt func(ctx context.Context, model, family string) string
	// a sentence that says what takes the place of the chat's own prompt; the document shows it. Empty: nothing
	Override string
	Tools    *tools.Dispatcher
	// what this chat has read
	Reads *tools.ReadSet
	// what a message has to do with the workspace; nil: not known
	About func(ctx context.Context, request string, bring relevant.Bringing) relevant.About
	// the text of a short file, which counts as read from then on
	Show  func(ctx context.Context, path string) (text string, exists, ok bool)
	Place func(ctx context.Context, request string) schema.Place // what a call would find; nil: not known
	// reads resources of MCP servers that the message mentions; nil: there are no servers
	Resource Resource
	Images   images.Files    // nil: links of images are only text, and those of results are not kept
	Sources  []attach.Source // of the context that is attached to the turn
	Options  engine.Options
	Begun    opencalls.Begins // nil: nothing is remembered beyond this run
	Resume   bool             // run the calls of the last turn that have no result, asking afresh
	Bundle   bool             // one question for all calls of a reply that wait and can be decided together
	// whether there is anybody to answer; nil: nobody, and the run ends as Unanswered
	CanAsk func(event.Question) bool
	Sink   event.Sink
}

// Run is one run of the agent. Its methods are safe for concurrent use.
type Run struct {
	cancel   context.CancelFunc
	yields   atomic.Bool // it ends after its current step
	requests chan any
	changes  atomic.Int64 // how often Recheck was called
	done     chan struct{}
	output   *output // of calls that run
	answered *loop   // set before done is closed, if the model has answered

	mu        sync.Mutex
	questions []event.Question // guarded by mu: what waits now, in the model's order
	end       event.Finished   // guarded by mu: valid once done is closed
	model     string           // guarded by mu: the model that answers; empty until it is chosen
}

// Start begins a run and returns at once. The run ends when ctx does, on Stop, or by itself; the sink's last event is
// its one Finished.
func (a *Agent) Start(ctx context.Context, job Job) *Run {
	ctx, cancel := context.WithCancel(ctx)
	r := &Run{cancel: cancel, requests: make(chan any), done: make(chan struct{}), output: newOutput()}
	go r.own(ctx, a, job)
	return r
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
	return append([]event.Question(nil), r.questions...)
}

// UseProfiles takes other profiles for the runs that begin from now on. Replies are then rendered afresh instead of as
// they were written: in another format their own words would teach the model the old one.
func (a *Agent) UseProfiles(p *model.Profiles) {
	a.Engine.UseProfiles(p)
	a.raws.Forget()
}

// Guided reports whether the model that is named for a document is guided, as far as its name tells. It asks no server.
func (a *Agent) Guided(document *transcript.Chat, o engine.Options) bool {
	name := engine.Named(document, o)
	if name == "" && o.Format == "" {
		return false
	}
	profile, _ := a.Profiles.Load().For(model.Info{Name: name})
	format, err := a.ChooseFormat(o, profile, "")
	return err == nil && guidance.Guides(format)
}

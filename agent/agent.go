// Package agent runs conversations: it composes a prompt, streams a reply, decodes its calls, has them decided by
// policy or by a person, executes them and goes on until the model has answered. It knows neither LSP nor HTTP nor
// files.
package agent

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/guidance"
	"github.com/assent-ls/assent/agent/guidance/relevant"
	"github.com/assent-ls/assent/agent/guidance/schema"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
)

// Options are the user's settings for runs. The zero value of a field means its default.
type Options struct {
	Model       string   // empty: the best installed one
	ModelFlag   string   // named on the command line: it comes before the document's, that before Model
	UserModels  []string // those that the user named where nobody else can: only these may run elsewhere unasked
	ContextSize int      // tokens; 0: chosen, see model.ChooseContext
	KeepAlive   time.Duration
	MaxSteps    int // replies of the model in one run; 0: 25
	Temperature *float64
	Sampling    model.Sampling     // before that of the model's profile, and after the document's
	Mode        func() policy.Mode // what the user chose, asked for each call; nil: policy.ModeAsk
	Format      string             // tool-call format; empty: the model's profile
	ToolPrompt  string             // takes the place of the words of the format that say how tools are called; empty: they stand
	Another     bool               // the question was answered before: another answer is wanted
	Titles      bool               // the model finds a title for a chat that has none, see [Run.Title]
	Summarize   bool               // the user wants a summary in the place of the turns above the question
}

// Agent starts runs against one model server. It is safe for concurrent use; requests to the server queue up, one at a
// time.
type Agent struct {
	backend       model.Backend
	profiles      atomic.Pointer[model.Profiles]
	pins          *model.Pins
	meter         *model.Meter
	knowledge     Knowledge                  // nil: nothing is kept
	guides        func(toolcall.Format) bool // whether a model that calls tools so is guided
	raws          *rawReplies
	sent          *lastSent
	consents      *consents
	queue         Queue // who has its turn may send a request to the server
	interruptible interruptible
	evicts        atomic.Bool // a model that was loaded for the vectors of texts took another one out of memory

	mu       sync.Mutex
	stopped  time.Time         // guarded by mu: when a run was stopped while the server read its prompt
	families map[string]string // guarded by mu, by model: the names of their profiles, by what the server said of the models
}

// New returns an agent for one backend.
func New(backend model.Backend, profiles *model.Profiles) *Agent {
	a := &Agent{backend: backend, pins: &model.Pins{}, meter: model.NewMeter(), raws: newRawReplies(), sent: &lastSent{chats: map[string]sentChat{}}, consents: newConsents(), queue: NewQueue(), families: map[string]string{}, guides: guidance.Guides}
	a.profiles.Store(profiles)
	return a
}

// Job is one Send: a document up to its last turn of the user, and what the run may use.
type Job struct {
	Chat     string                                                 // identity of the chat, for grants "in this chat"
	Document *transcript.Chat                                       // its last turn is the user's, or with Resume the assistant's
	System   string                                                 // the system prompt
	Prompt   func(ctx context.Context, model, family string) string // the system prompt for the model that was chosen; nil: System
	Override string                                                 // a sentence that says what takes the place of the chat's own prompt; the document shows it. Empty: nothing
	Tools    *tools.Dispatcher
	Reads    *tools.ReadSet                                                                    // what this chat has read
	About    func(ctx context.Context, request string, bring relevant.Bringing) relevant.About // what a message has to do with the workspace; nil: not known
	Show     func(ctx context.Context, path string) (text string, exists, ok bool)             // the text of a short file, which counts as read from then on
	Place    func(ctx context.Context, request string) schema.Place                            // what a call would find; nil: not known
	Resource Resource                                                                          // reads resources of MCP servers that the message mentions; nil: there are no servers
	Images   Images                                                                            // nil: links of images are only text, and those of results are not kept
	Sources  []attach.Source                                                                   // of the context that is attached to the turn
	Options  Options
	Begun    BegunCalls          // nil: nothing is remembered beyond this run
	Resume   bool                // run the calls of the last turn that have no result, asking afresh
	Bundle   bool                // one question for all calls of a reply that wait and can be decided together
	CanAsk   func(Question) bool // whether there is anybody to answer; nil: nobody, and the run ends as Unanswered
	Sink     Sink
}

// BegunCalls remembers which calls of a chat were begun, beyond the end of the process. A call is named by all that it
// would do.
type BegunCalls interface {
	Begin(call string) error // before it has any effect
	Begun(call string) bool
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
	questions []Question // guarded by mu: what waits now, in the model's order
	end       Finished   // guarded by mu: valid once done is closed
	model     string     // guarded by mu: the model that answers; empty until it is chosen
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
func (r *Run) Wait() Finished {
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
func (r *Run) Questions() []Question {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Question(nil), r.questions...)
}

// Package engine is the model servers as all who ask them something share them: turns, the choice of model, format and
// context size, and requests that are no part of a run.
package engine

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/tools/policy"
)

// Options are the user's settings for runs. The zero value of a field means its default.
type Options struct {
	Folder      string   // of the workspace; empty: there is none
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
	Primary     string             // the format that describes the tools, before those of the profile; empty: none
	Enabled     []string           // the only formats whose calls run; nil: all
	ToolSearch  string             // which tools are described: see toolbox.New; empty: "auto"
	Programs    bool               // a model may write programs of Python
	// takes the place of the words of the format that say how tools are called; empty: those words are used
	ToolPrompt string
	Another    bool // the question was answered before: another answer is wanted
	Titles     bool // the model finds a title for a chat that has none, see [Run.Title]
	Summarize  bool // the user wants a summary in the place of the turns above the question
	// families of guidance.Rules that are left out: for evaluations alone
	Without []string
}

// Engine is the model servers, as all who ask them something share them: requests to one of them queue up. It is safe
// for concurrent use.
type Engine struct {
	backend       model.Backend
	Profiles      atomic.Pointer[model.Profiles]
	Pins          *model.Pins
	Meter         *model.Meter
	knowledge     Knowledge // nil: nothing is kept
	Consents      *consents
	queues        *queues
	interruptible interruptible
	evicts        atomic.Bool // a model that was loaded for the vectors of texts took another one out of memory

	mu sync.Mutex
	// guarded by mu, by place: when a run was stopped while the server read its prompt
	stopped map[string]time.Time
	// guarded by mu, by model: the names of their profiles, by what the server said about the models
	families map[string]string
}

// New returns an engine for one backend.
func New(backend model.Backend, profiles *model.Profiles) *Engine {
	e := &Engine{
		backend: backend, Pins: &model.Pins{}, Meter: model.NewMeter(),
		Consents: &consents{given: map[consent]bool{}}, queues: newQueues(),
		families: map[string]string{}, stopped: map[string]time.Time{},
	}
	e.Profiles.Store(profiles)
	return e
}

// UseProfiles takes other profiles for the requests that follow.
func (e *Engine) UseProfiles(p *model.Profiles) { e.Profiles.Store(p) }

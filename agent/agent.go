// Package agent runs conversations: it composes a prompt, streams a reply, decodes its calls, has them decided by
// policy or by a person, executes them and goes on until the model has answered. It knows neither LSP nor HTTP nor
// files.
package agent

import (
	"context"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/guidance"
	"github.com/assent-ls/assent/agent/guidance/relevant"
	"github.com/assent-ls/assent/agent/guidance/schema"
	"github.com/assent-ls/assent/agent/images"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/opencalls"
	"github.com/assent-ls/assent/agent/sent"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
)

// Agent starts runs against one model server. It is safe for concurrent use.
type Agent struct {
	*engine.Engine
	guides func(toolcall.Format) bool // whether a model that calls tools so is guided
	raws   *engine.RawReplies
	sent   *sent.Chats
	reads  *model.Reads
}

// New returns an agent for one backend.
func New(backend model.Backend, profiles *model.Profiles) *Agent {
	return &Agent{
		Engine: engine.New(backend, profiles), raws: engine.NewRawReplies(),
		sent: sent.New(), reads: model.NewReads(), guides: guidance.Guides,
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

// canAsk reports whether there is anybody to answer a question.
func (j Job) canAsk(q event.Question) bool { return j.CanAsk != nil && j.CanAsk(q) }

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

// Resource reads a resource of an MCP server. attach.ErrNoMention: there is no such server. Another error is a sentence
// without its end.
type Resource func(ctx context.Context, server, uri string) ([]content.Part, error)

// facts are what the result of a tool shows.
func (j Job) facts(tool, result string) (f toolcall.Facts) {
	if j.Tools != nil {
		spec, _ := j.Tools.Registry().Named(tool)
		f.Files, f.Tools, f.Part = tools.Shows(spec, result)
	}
	return f
}

// ReadAgain finds the first turn of a document that differs from what was sent of the chat last in this process, see
// [sent.Chats.ChangedTurn]. begun may be nil.
func (a *Agent) ReadAgain(chat string, document *transcript.Chat, begun opencalls.Begins) (turn int, ok bool) {
	return a.sent.ChangedTurn(chat, document, a.memory(begun))
}

// memory is what is known of the turns of a document beside what it says.
func (a *Agent) memory(begun opencalls.Begins) compose.Memory {
	return compose.Memory{
		Raw: a.raws.Find, Begun: func(call toolcall.Call) bool { return opencalls.Begun(begun, call) },
	}
}

// Package session is one conversation in one workspace, for every front end: what may be sent, which process may write,
// what a run gets, where its reply is written, and how the chat is saved.
package session

import (
	"context"
	"errors"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/guidance/relevant"
	"github.com/assent-ls/assent/agent/guidance/schema"
	"github.com/assent-ls/assent/agent/opencalls"
	"github.com/assent-ls/assent/agent/trace"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/background"
	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/usagelog"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// Environment is what the conversations in one workspace share.
type Environment struct {
	Agent     *agent.Agent
	Options   engine.Options
	Workspace *workspace.Workspace // nil: no file tools
	Words     *relevant.Words      // of the files of the workspace; nil: they are read for each run
	State     *userstate.State
	Policy    *policy.Policy
	Config    string // the user's configuration folder; empty: the default
	Prompts   PromptChoice
	Launch    []string // see LaunchChanges
	Flags     []string // see LaunchFlags
	Tools     *tools.Sources
	Servers   *mcp.Source // the MCP servers among the sources of the tools; nil: there are none
	// the commands that go on running while chats do something else; nil: there are none
	Background *background.Source
	// keeps what turns change, to be reviewed and undone; nil where there is no workspace
	Ledger *ledger.Ledger
	// the lines that a person took last in an editor, nil if none were; nil: there is no editor
	Selection func() *attach.Selection
	// Diagnostics lists what the editor's language servers say about the workspace's files; nil: the editor does not
	// tell.
	Diagnostics func(ctx context.Context) (string, error)
	Pages       bool                  // whether pages of the web that a message mentions can be fetched
	Traces      *trace.Exporter       // sends traces of runs; nil: there are none
	Warn        func(sentence string) // warns the user that something of theirs is not used; nil: no warning
	Inform      func(sentence string) // informs the user; nil: no information
}

// Now is the environment for a program in which it never changes.
func (e Environment) Now() (Environment, error) { return e, nil }

func tell(how func(string), sentence string) {
	if how != nil {
		how(sentence)
	}
}

// Begun remembers which calls of a chat were begun.
func (e Environment) Begun(chat string) opencalls.Begins { return e.State.BegunCalls(chat) }

// Sources are those of the context of the turns of a chat, by its path. reads is kept by the chat.
func (e Environment) Sources(chat string, reads *tools.ReadSet) []attach.Source {
	if e.Workspace == nil {
		return nil
	}
	sources := []attach.Source{
		attach.Outline(e.Workspace), attach.Today(time.Now), e.mentioned(chat, reads), attach.Files(
			e.Workspace, reads, chatImages{e.Workspace, chat}.link,
		),
		relevant.Source(e.Workspace, reads, chatImages{e.Workspace, chat}.link),
	}
	if e.Ledger != nil {
		sources = append(sources, review{e.Ledger, chat})
	}
	return sources
}

// Configure gives a job the workspace's tools, system prompt and context. After an error, which has a sentence for each
// prompt and tool that cannot be used, the job is complete without them.
func (e Environment) Configure(ctx context.Context, job *agent.Job, reads *tools.ReadSet) error {
	err := e.configurePrompt(ctx, job)
	registry, missing := e.Tools.Now(ctx)
	err = errors.Join(err, missing)
	e.markRead(ctx, job.Document, reads)
	if e.Words == nil {
		e.Words = &relevant.Words{}
	}
	looks := e // what looks at the workspace's names before the first request
	if e.Workspace != nil {
		end := func() {}
		if !job.Resume { // else calls may run before it
			looks.Workspace, end = e.Workspace.ForAMoment()
		}
		files := relevant.Finder{Workspace: e.Workspace, Words: e.Words, Reads: reads, MayRead: func(
			ctx context.Context, file string,
		) bool {
			return mayRead(ctx, job, file)
		}}
		first := files // before the first request
		first.Workspace = looks.Workspace
		job.Show, job.About = files.Show, first.About
		job.Place = func(ctx context.Context, request string) schema.Place {
			defer end()
			return first.Place(ctx, request)
		}
	}
	job.Reads, job.Sources = reads, append(looks.Sources(job.Chat, reads), looks.rulesSources(job.Document)...)
	job.Tools = e.dispatcher(registry)
	job.Images = e.Images(job.Chat)
	job.Begun, job.Resource = e.Begun(job.Chat), e.resource(job.Chat)
	return err
}

// Dispatcher runs the tools that there are now. After an error, which has a sentence for each tool that cannot be used,
// it runs the others.
func (e Environment) Dispatcher(ctx context.Context) (*tools.Dispatcher, error) {
	registry, err := e.Tools.Now(ctx)
	return e.dispatcher(registry), err
}

func (e Environment) dispatcher(r *tools.Registry) *tools.Dispatcher {
	return tools.NewDispatcher(r, e.Policy, e.Workspace).LogTo(usagelog.New(e.State))
}

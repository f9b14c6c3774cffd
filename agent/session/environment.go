// Package session is one conversation in one workspace, for every front end: what may be sent, which process may write,
// what a run gets, where its reply is written, and how the chat is saved.
package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/usagelog"
	"github.com/assent-ls/assent/tools/workspace"
)

// Environment is what the conversations in one workspace share.
type Environment struct {
	Agent     *agent.Agent
	Options   agent.Options
	Workspace *workspace.Workspace // nil: no file tools
	State     *workspace.State
	Policy    *policy.Policy
	Config    string // the user's configuration folder; empty: the default
	Tools     *tools.Sources
	Ledger    *ledger.Ledger        // keeps what turns change, to be reviewed and undone; nil where there is no workspace
	Warn      func(sentence string) // warns the user that something of theirs is not used; nil: no warning
	Inform    func(sentence string) // informs the user; nil: no information
}

// Now is the environment for a program in which it never changes.
func (e Environment) Now() (Environment, error) { return e, nil }

func tell(how func(string), sentence string) {
	if how != nil {
		how(sentence)
	}
}

// Begun remembers which calls of a chat were begun.
func (e Environment) Begun(chat string) agent.BegunCalls { return e.State.BegunCalls(chat) }

// Prompt composes the system prompt for a model. A workspace's own prompts are used only if the user trusts it. The error
// has a sentence for each prompt that should count and does not; the prompt is complete without them.
func (e Environment) Prompt(ctx context.Context, model string) (prompts.Prompt, error) {
	trusted := e.Workspace != nil && e.State.Trusted(e.Workspace.Key())
	prompt, err := prompts.Load(ctx, prompts.Options{Model: model, Config: e.Config, Workspace: e.Workspace, Trusted: trusted})
	if e.Workspace == nil || trusted || !slices.ContainsFunc(prompt.Layers, func(l prompts.Layer) bool { return l.Workspace }) {
		return prompt, err
	}
	if why := e.State.TrustOfAnother(e.Workspace.Key()); why != "" {
		err = errors.Join(err, errors.New(why))
	}
	return prompt, err
}

// Sources are those of the context of the turns of a chat, by its path. reads is kept by the chat.
func (e Environment) Sources(chat string, reads *tools.ReadSet) []attach.Source {
	if e.Workspace == nil {
		return nil
	}
	sources := []attach.Source{attach.Outline(e.Workspace), attach.Today(time.Now), attach.Files(e.Workspace, reads, images{e.Workspace, chat}.link)}
	if e.Ledger != nil {
		sources = append(sources, review{e.Ledger, chat})
	}
	return sources
}

// Configure gives a job the workspace's tools, system prompt and context. After an error, which has a sentence for each prompt
// and tool that cannot be used, the job is complete without them.
func (e Environment) Configure(ctx context.Context, job *agent.Job, reads *tools.ReadSet) error {
	model := agent.Named(job.Document, job.Options)
	prompt, err := e.Prompt(ctx, model)
	registry, missing := e.Tools.Now(ctx)
	err = errors.Join(err, missing)
	e.recall(ctx, job.Document, reads)
	job.System, job.Reads, job.Sources = prompt.Text, reads, e.Sources(job.Chat, reads)
	job.Tools = e.dispatcher(registry)
	job.Images = e.Images(job.Chat)
	job.Begun = e.Begun(job.Chat)
	if model == "" {
		job.Prompt = func(ctx context.Context, model string) string {
			// What is wrong with a general layer is in err; a model's own that cannot be used is a layer of the hover.
			prompt, _ := e.Prompt(ctx, model)
			return prompt.Text
		}
	}
	return err
}

// Dispatcher runs the tools that there are now. After an error, which has a sentence for each tool that cannot be used, it runs the others.
func (e Environment) Dispatcher(ctx context.Context) (*tools.Dispatcher, error) {
	registry, err := e.Tools.Now(ctx)
	return e.dispatcher(registry), err
}

func (e Environment) dispatcher(r *tools.Registry) *tools.Dispatcher {
	return tools.NewDispatcher(r, e.Policy, e.Workspace).LogTo(usagelog.New(e.State))
}

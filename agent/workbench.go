package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

// Workbench is what the runs in one workspace share: every front end makes its jobs with it.
type Workbench struct {
	Workspace *workspace.Workspace // nil: no file tools
	State     *workspace.State
	Policy    *policy.Policy
	Config    string // the user's configuration folder; empty: the default
	Tools     tools.Options
}

// Dispatcher returns the tools of one chat. reads is kept by the chat: what it has read may be edited.
func (w Workbench) Dispatcher(chat string, reads *tools.ReadSet) *tools.Dispatcher {
	return tools.NewDispatcher(tools.Default(w.Workspace, reads, w.Tools), w.Policy, chat, w.Workspace)
}

// Begun remembers which calls of a chat were begun.
func (w Workbench) Begun(chat string) BegunCalls { return w.State.BegunCalls(chat) }

// Prompt composes the system prompt for a model. A workspace's own prompts are used only if the user trusts it. The error
// has a sentence for each prompt that should count and does not; the prompt is complete without them.
func (w Workbench) Prompt(ctx context.Context, model string) (prompts.Prompt, error) {
	trusted := w.Workspace != nil && w.State.Trusted(w.Workspace.Key())
	prompt, err := prompts.Load(ctx, prompts.Options{Model: model, Config: w.Config, Workspace: w.Workspace, Trusted: trusted})
	if w.Workspace == nil || trusted || !slices.ContainsFunc(prompt.Layers, func(l prompts.Layer) bool { return l.Workspace }) {
		return prompt, err
	}
	if why := w.State.TrustOfAnother(w.Workspace.Key()); why != "" {
		err = errors.Join(err, errors.New(why))
	}
	return prompt, err
}

// Attach returns what is sent with a turn: with the first one the outline, with each the files that it names and that
// this chat has not read yet. They count as read from then on.
func (w Workbench) Attach(reads *tools.ReadSet) func(context.Context, string, bool) []Attachment {
	return func(ctx context.Context, message string, first bool) []Attachment {
		if w.Workspace == nil {
			return nil
		}
		var out []Attachment
		for _, block := range prompts.Turn(ctx, w.Workspace, message, first, reads.Knows) {
			out = append(out, Attachment{Name: block.Name, Text: block.Text})
			if block.Whole {
				reads.MarkRead(block.File.Abs, block.FileText)
			}
		}
		return out
	}
}

// Equip gives a job the workspace's tools, system prompt and context. After an error, which is a sentence about a prompt
// that cannot be used, the job is complete without that prompt.
func (w Workbench) Equip(ctx context.Context, job *Job, reads *tools.ReadSet) error {
	model := Named(job.Document, job.Options)
	w.recall(ctx, job.Document, reads)
	prompt, err := w.Prompt(ctx, model)
	job.System, job.Tools, job.Attach = prompt.Text, w.Dispatcher(job.Chat, reads), w.Attach(reads)
	job.Policy = w.Policy
	job.Begun = w.Begun(job.Chat)
	if model == "" {
		job.Prompt = func(ctx context.Context, model string) string {
			// What is wrong with a general layer is in err; a model's own that cannot be used is a layer of the hover.
			prompt, _ := w.Prompt(ctx, model)
			return prompt.Text
		}
	}
	return err
}

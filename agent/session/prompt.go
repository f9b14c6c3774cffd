package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/prompts"
)

// PromptChoice is what the settings say about the system prompt.
type PromptChoice struct {
	PresetFlag string   // named on the command line: it comes before the chat's, that before Preset
	Preset     string   // empty: the built-in prompt
	Whole      string   // takes the place of all layers; empty: they count
	WholeFlag  bool     // whether Whole was given on the command line
	Rules      []string // the rules files that are wanted
}

// Prompts is what the settings say about the system prompt; store says what came by a flag.
func Prompts(now settings.Settings, store *settings.Store) PromptChoice {
	c := PromptChoice{Preset: now.Preset, Whole: now.SystemPrompt, Rules: now.RulesFiles.All()}
	if store.ByFlag("preset") {
		c.PresetFlag = now.Preset
	}
	c.WholeFlag = store.ByFlag("systemPrompt")
	return c
}

// override says what a launch puts in the place of the chat's own prompt; empty if nothing, or if that cannot be used.
func (c PromptChoice) override(prompt prompts.Prompt) string {
	used := func(layer string) bool {
		return slices.ContainsFunc(prompt.Layers, func(l prompts.Layer) bool { return l.Used && l.Name == layer })
	}
	switch {
	case c.Whole != "" && used(prompts.WholeLayer):
		by := "The setting systemPrompt"
		if c.WholeFlag {
			by = "The flag --system-prompt"
		}
		return by + " takes the place of the whole system prompt."
	case c.PresetFlag == prompts.DefaultPreset, c.PresetFlag != "" && used("preset "+c.PresetFlag):
		return fmt.Sprintf("The flag --preset chooses the prompt %q.", c.PresetFlag)
	}
	return ""
}

// Prompt composes the system prompt of a chat for a model. A workspace's own prompts and rules files are used only if
// the user trusts it. The error has a sentence for each prompt that should count and does not; the prompt is complete
// without them.
func (e Environment) Prompt(ctx context.Context, chat *transcript.Chat, model, family string) (prompts.Prompt, error) {
	trusted := e.trusted()
	prompt, err := prompts.Load(ctx, e.PromptOptions(chat, model, family))
	if e.Workspace == nil || trusted ||
		!slices.ContainsFunc(prompt.Layers, func(l prompts.Layer) bool { return l.Workspace }) {
		return prompt, err
	}
	if why := e.State.TrustOfAnother(e.Workspace.Key()); why != "" {
		err = errors.Join(err, errors.New(why))
	}
	return prompt, err
}

// PromptOptions are those of the system prompt of a chat for a model.
func (e Environment) PromptOptions(chat *transcript.Chat, model, family string) prompts.Options {
	return prompts.Options{
		Model: model, Family: family, Preset: cmp.Or(e.Prompts.PresetFlag, chat.Front.Prompt, e.Prompts.Preset),
		Whole:  e.Prompts.Whole,
		Config: e.Config, Workspace: e.Workspace, Trusted: e.trusted(), Rules: e.Prompts.Rules,
	}
}

func (e Environment) trusted() bool { return e.Workspace != nil && e.State.Trusted(e.Workspace.Key()) }

// PromptNow composes the system prompt that a Send of a chat would use now, as far as that is known without asking the
// model server.
func (e Environment) PromptNow(ctx context.Context, chat *transcript.Chat) (prompts.Prompt, error) {
	model := engine.Named(chat, e.Options)
	return e.Prompt(ctx, chat, model, e.familyOf(model))
}

// PromptOptionsNow are those of PromptNow.
func (e Environment) PromptOptionsNow(chat *transcript.Chat) prompts.Options {
	model := engine.Named(chat, e.Options)
	return e.PromptOptions(chat, model, e.familyOf(model))
}

// ResetPrompts removes prompts, so that the layers before them count alone, and returns where it keeps what each held.
// What is not there is left out.
func (e Environment) ResetPrompts(ctx context.Context, files []prompts.File) (kept []string, err error) {
	for _, f := range files {
		path, wrong := prompts.Reset(ctx, f, e.Workspace, filepath.Join(e.State.Dir(), "prompts"), time.Now())
		if path != "" {
			kept = append(kept, path)
		}
		err = errors.Join(err, wrong)
	}
	return kept, err
}

// familyOf is what is known of a model's family; empty while no model is named.
func (e Environment) familyOf(model string) string {
	if model == "" || e.Agent == nil {
		return ""
	}
	return e.Agent.Family(model)
}

// configurePrompt has a job's prompt composed for the model that answers, and says now what is wrong in it.
func (e Environment) configurePrompt(ctx context.Context, job *agent.Job) error {
	chat, known := job.Document, engine.Named(job.Document, job.Options)
	guessed := e.familyOf(known)
	now, err := e.Prompt(ctx, chat, known, guessed)
	job.Override = strings.TrimSpace(strings.Join(append([]string{e.Prompts.override(now)}, e.Launch...), "\n"))
	job.Prompt = func(ctx context.Context, model, family string) string {
		if model == known && family == guessed {
			return now.Text
		}
		prompt, err := e.Prompt(ctx, chat, model, family)
		if err != nil && ctx.Err() == nil && model == known { // it was not told yet
			tell(e.Warn, err.Error())
		}
		return prompt.Text
	}
	return err
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/cmd/assent/chatlist"
	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/workspace"
)

// serverTimeout is how long a model server may take to say what it has.
const serverTimeout = 3 * time.Second

func newPrompt() *cobra.Command {
	var folder string
	cmd := &cobra.Command{
		Use:   "prompt",
		Short: "Show the system prompt and where it comes from, and change it",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	usage.AddFolder(cmd.PersistentFlags(), &folder)
	cmd.AddCommand(
		newPromptShow(&folder), newPromptList(&folder), newPromptEdit(&folder), newPromptReset(&folder), newPresets(),
		newPromptUse(),
	)
	return cmd
}

func newPromptShow(folder *string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show [FILE.chat.md]",
		Short: "Print the system prompt that a chat in this folder gets now; its layers go to standard error",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withPrompt(cmd, *folder, args, true, func(t promptTarget) error {
				prompt := t.prompt(cmd.Context())
				if asJSON {
					return listing.Print(cmd.OutOrStdout(), listing.Prompt{
						Hash: prompt.Hash(), Model: t.model, Text: prompt.Text, Parts: partsOf(prompt.Layers),
					})
				}
				say(cmd.ErrOrStderr(), "%s, for %s; %s", prompt.Hash(), t.name(), promptSize(prompt.Text))
				for _, layer := range prompt.Layers {
					say(cmd.ErrOrStderr(), "  %s%s", layer, layerSize(layer))
				}
				fmt.Fprintln(cmd.OutOrStdout(), visible.Text(prompt.Text))
				return nil
			})
		},
	}
	listing.AddFlag(cmd, &asJSON, "prompt show")
	return cmd
}

// partsOf are the layers of a prompt, for programs.
func partsOf(layers []prompts.Layer) []listing.PromptPart {
	all := []listing.PromptPart{}
	for _, l := range layers {
		all = append(all, listing.PromptPart{Name: l.Name, Path: l.Path, Used: l.Used, There: true, Why: l.Why})
	}
	return all
}

// prompt composes the prompt of the target, and tells what of it cannot be used.
func (t promptTarget) prompt(ctx context.Context) prompts.Prompt {
	prompt, err := t.env.Prompt(ctx, t.chat, t.model, t.family)
	if err != nil {
		t.tellEach(err)
	}
	return prompt
}

func promptSize(text string) string {
	return fmt.Sprintf("%d characters, ~%d tokens", utf8.RuneCountInString(text), model.RoughTokens(text))
}

func layerSize(l prompts.Layer) string {
	if !l.Used {
		return ""
	}
	return fmt.Sprintf(" ~%d tokens", model.RoughTokens(l.Text))
}

func newPromptList(folder *string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [FILE.chat.md]",
		Short: "List every place that a prompt of a chat in this folder may come from, and what is there",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withPrompt(cmd, *folder, args, true, func(t promptTarget) error {
				prompt := t.prompt(cmd.Context())
				var missing []prompts.File
				for _, f := range prompts.Files(t.env.PromptOptions(t.chat, t.model, t.family)) {
					if !slices.ContainsFunc(prompt.Layers, func(l prompts.Layer) bool { return l.Path == f.Path }) {
						missing = append(missing, f)
					}
				}
				if asJSON {
					lines := partsOf(prompt.Layers)
					for _, f := range missing {
						lines = append(lines, listing.PromptPart{Name: f.Name, Path: f.Path})
					}
					return listing.Print(cmd.OutOrStdout(), lines...)
				}
				for _, layer := range prompt.Layers {
					say(cmd.OutOrStdout(), "%s%s", layer, layerSize(layer))
				}
				for _, f := range missing {
					say(cmd.OutOrStdout(), "%s: not there (`%s`)", f.Name, f.Path)
				}
				return nil
			})
		},
	}
	listing.AddFlag(cmd, &asJSON, "prompt list")
	return cmd
}

func newPresets() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "presets",
		Short: "List the presets: those that ship, and your own",
		Args:  cobra.NoArgs,
		RunE: wired(func(cmd *cobra.Command, p *parts, _ []string) error {
			chosen := cmp.Or(p.settings.Get().Preset, prompts.DefaultPreset)
			for _, preset := range prompts.Presets(p.config) {
				if asJSON {
					line := listing.Preset{
						Name: preset.Name, Chosen: preset.Name == chosen, Says: preset.Description, Path: preset.Path,
					}
					if err := listing.Print(cmd.OutOrStdout(), line); err != nil {
						return err
					}
					continue
				}
				mark, from := " ", ""
				if preset.Name == chosen {
					mark = "*"
				}
				if preset.Path != "" {
					from = " (`" + preset.Path + "`)"
				}
				say(cmd.OutOrStdout(), "%s %-8s  %s%s", mark, preset.Name, preset.Description, from)
			}
			return nil
		}),
	}
	listing.AddFlag(cmd, &asJSON, "prompt presets")
	return cmd
}

// promptTarget is whose prompt it is: a chat in a folder, and a model.
type promptTarget struct {
	*parts

	env           session.Environment
	chat          *transcript.Chat
	model, family string // empty: not known
}

func (t promptTarget) name() string {
	if t.model == "" {
		return "no model yet"
	}
	return t.model
}

// tellEach tells each of some errors that were joined on a line of its own.
func (t promptTarget) tellEach(err error) {
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, one := range all {
		t.tell(one.Error())
	}
}

// withPrompt opens the folder, reads the chat if one is named, and finds the model that would answer.
// Without ask the model server is not asked.
func withPrompt(cmd *cobra.Command, folder string, args []string, ask bool, do func(promptTarget) error) error {
	p, err := wire(cmd)
	if err != nil {
		return err
	}
	root, err := usage.Folder(folder)
	if err != nil {
		return err
	}
	ws, err := workspace.Open(root, workspace.NoBuffers{})
	switch {
	case err == nil:
		defer func() { _ = ws.Close() }() // nothing is written through it that a Close could lose
	case folder != "":
		return err
	default: // the user's own prompts are the same everywhere
		p.tell("There is no workspace here: " + err.Error())
		ws = nil
	}
	now := p.settingsIn(root)
	t := promptTarget{
		parts: p, chat: &transcript.Chat{},
		env: p.parts(cmd.Context(), now, nil).Environment(ws, now, session.Tooling{}, nil),
	}
	t.env.Warn = p.tell
	if len(args) > 0 {
		if t.chat, err = readChat(args[0]); err != nil {
			return err
		}
	}
	t.model = engine.Named(t.chat, t.env.Options)
	if ask {
		if err := t.ask(cmd.Context()); err != nil {
			return err
		}
	}
	return do(t)
}

func readChat(name string) (*transcript.Chat, error) {
	path, err := chatlist.Path(name)
	if err != nil {
		return nil, err
	}
	data, err := diskfile.ReadSmall(path, diskfile.MaxText)
	if err != nil {
		return nil, fmt.Errorf("the chat %s cannot be read: %w", path, err)
	}
	if data == nil {
		return nil, fmt.Errorf("there is no chat %s", path)
	}
	return transcript.Parse(string(data)), nil
}

// ask asks the model server which model would answer and what its family is. One that cannot be asked is told, and the
// name alone counts.
func (t *promptTarget) ask(ctx context.Context) error {
	known, err := profiles()
	if err != nil {
		return err
	}
	server, err := t.backend(t.settings.Get())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, serverTimeout)
	defer cancel()
	if t.model == "" {
		installed, err := server.Models(ctx)
		if err == nil {
			var best model.Info
			best, _, err = model.Choose(installed, server.Memory())
			t.model = best.Name
		}
		if err != nil {
			t.tell("Which model would answer is not known, so its prompts are left out: " + err.Error())
			return nil
		}
	}
	info, err := server.Describe(ctx, t.model)
	if err != nil {
		t.tell("The family of " + t.model + " is taken from its name: " + err.Error())
		info = model.Info{Name: t.model}
	}
	profile, _ := known.For(info)
	t.family = profile.FamilyName()
	return nil
}

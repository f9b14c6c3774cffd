package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/prompts"
)

func newPromptEdit(folder *string) *cobra.Command {
	return &cobra.Command{
		Use:   "edit user|family|model|workspace",
		Short: "Open a prompt in $VISUAL or $EDITOR; a missing file is made. Without an editor its path is printed",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withPrompt(cmd, *folder, nil, ofAModel(args), func(t promptTarget) error {
				o := t.env.PromptOptions(t.chat, t.model, t.family)
				file, err := scopeFile(args[0], o)
				if err != nil {
					return err
				}
				if _, err := prompts.Make(cmd.Context(), file, t.env.Workspace); err != nil {
					return fmt.Errorf("the prompt cannot be made: %w", err)
				}
				if file.Rel != "" && !o.Trusted {
					t.tell(
						"This folder is not trusted, so its prompt does not count yet: " +
							"`assent trust --yes` trusts it, once you know what stands in it.",
					)
				}
				if err := editFile(cmd, file.Path); err != nil {
					return err
				}
				if _, err := t.env.Prompt(cmd.Context(), t.chat, t.model, t.family); err != nil {
					t.tellEach(err)
				}
				return nil
			})
		},
	}
}

// ofAModel says whether the scope that a person wrote, or all scopes, depend on the model.
func ofAModel(args []string) bool {
	return len(args) == 0 || args[0] == string(prompts.ForModel) || args[0] == string(prompts.ForFamily)
}

// scopeFile is the file of a scope that a person wrote.
func scopeFile(scope string, o prompts.Options) (prompts.File, error) {
	if !slices.Contains(prompts.Scopes(), prompts.Scope(scope)) {
		return prompts.File{}, usage.Error(
			fmt.Sprintf("there is no prompt for %q; there are user, family, model and workspace", scope),
		)
	}
	return prompts.FileFor(prompts.Scope(scope), o)
}

// editFile lets the person at the terminal edit a file with the editor of their choice. Where there is none, or nobody,
// the path is printed.
func editFile(cmd *cobra.Command, path string) error {
	words := strings.Fields(os.Getenv("VISUAL"))
	if len(words) == 0 {
		words = strings.Fields(os.Getenv("EDITOR"))
	}
	if len(words) == 0 || !terminal.Is(cmd.InOrStdin()) {
		fmt.Fprintln(cmd.OutOrStdout(), path)
		return nil
	}
	editor := exec.CommandContext(cmd.Context(), words[0], append(words[1:], path)...)
	editor.Stdin, editor.Stdout, editor.Stderr = os.Stdin, os.Stdout, os.Stderr
	return editor.Run()
}

func newPromptReset(folder *string) *cobra.Command {
	return &cobra.Command{
		Use:   "reset [user|family|model|workspace]",
		Short: "Remove a prompt, or all that count here, and keep what it held; then the built-in one counts",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withPrompt(cmd, *folder, nil, ofAModel(args), func(t promptTarget) error {
				o := t.env.PromptOptions(t.chat, t.model, t.family)
				files := prompts.Counting(o)
				if len(args) > 0 {
					file, err := scopeFile(args[0], o)
					if err != nil {
						return err
					}
					files = []prompts.File{file}
				}
				kept, err := t.env.ResetPrompts(cmd.Context(), files)
				for _, path := range kept {
					say(cmd.OutOrStdout(), "kept: %s", path)
				}
				if err != nil {
					return err
				}
				if len(kept) == 0 {
					t.tell("There was nothing to reset.")
				}
				if still := prompts.StillCounts(cmd.Context(), o); still != "" {
					t.tell(still)
				}
				return nil
			})
		},
	}
}

func newPromptUse() *cobra.Command {
	return &cobra.Command{
		Use:   "use PRESET",
		Short: "Choose a preset, in your settings file; `assent prompt presets` lists them",
		Args:  cobra.ExactArgs(1),
		RunE: wired(func(cmd *cobra.Command, p *parts, args []string) error {
			if _, err := prompts.Load(cmd.Context(), prompts.Options{Config: p.config, Preset: args[0]}); err != nil {
				var names []string
				for _, preset := range prompts.Presets(p.config) {
					names = append(names, preset.Name)
				}
				return usage.Error(err.Error() + usage.Meant(args[0], names))
			}
			path, err := settings.UserPath()
			if err != nil {
				return err
			}
			if err := settings.WriteValue(path, "preset", args[0]); err != nil {
				return err
			}
			p.tell(fmt.Sprintf("%s is chosen, in %s.", args[0], path))
			return nil
		}),
	}
}

package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/settings"
)

// settingsTopic is what `assent help` calls the settings.
const settingsTopic = "settings"

// The groups of subcommands, in the order of the help.
const (
	groupChat  = "chat"
	groupMake  = "make"
	groupSetup = "setup"
)

const colorFlag = "color"

// addColorFlag adds --color to the program, and has it count for both outputs of every command.
func addColorFlag(root *cobra.Command) {
	when := terminal.Auto
	root.PersistentFlags().Var(
		&when, colorFlag, "Colour and bold: auto (on a terminal, unless NO_COLOR is set), always, never.",
	)
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) {
		terminal.UseColor(cmd.OutOrStdout(), when)
		terminal.UseColor(cmd.ErrOrStderr(), when)
	}
}

// colorOf is what --color says for a command.
func colorOf(cmd *cobra.Command) terminal.Color {
	if flag := cmd.Flag(colorFlag); flag != nil {
		return terminal.Color(flag.Value.String())
	}
	return terminal.Never
}

// columns is how wide the help of a command is printed.
func columns(cmd *cobra.Command) int { return terminal.Columns(cmd.OutOrStdout()) }

// addGroup adds subcommands to the program as one group.
func addGroup(root *cobra.Command, id, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: id, Title: title})
	for _, cmd := range commands {
		cmd.GroupID = id
		root.AddCommand(cmd)
	}
}

// newHelp shows the help of a command, or all settings.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | settings]",
		Short: "Show the help of a command, or all settings",
		Args:  cobra.ArbitraryArgs,

		Example: "assent help run\nassent help mcp serve\nassent help settings",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == settingsTopic {
				about := "These settings are flags of every command. Your settings file has the same ones by their " +
					"names in docs/settings.md, and a flag counts before it. `assent settings` shows the " +
					"values in effect."
				fmt.Fprint(cmd.OutOrStdout(), usage.Topic(about, sections(root.PersistentFlags()), columns(cmd)))
				return nil
			}
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usage.NoHelp(found, rest)
			}
			return found.Help()
		},
	}
}

// sections are the flags of settings by their groups, and last the flags that are no settings.
func sections(flags *pflag.FlagSet) (list []usage.Section) {
	listed := map[string]bool{}
	for _, group := range settings.Groups() {
		section := usage.Section{Title: group.Title + ":"}
		for _, f := range group.In() {
			if flag := flags.Lookup(f.Flag); f.Flag != "" && flag != nil {
				section.Flags, listed[f.Flag] = append(section.Flags, flag), true
			}
		}
		if len(section.Flags) > 0 {
			list = append(list, section)
		}
	}
	others := usage.Section{Title: "Of this launch:"}
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && !listed[f.Name] {
			others.Flags = append(others.Flags, f)
		}
	})
	return append(list, others)
}

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/cmd/assent/usage"
)

// settingsTopic is what `assent help` calls the settings.
const settingsTopic = "settings"

// The groups of subcommands, in the order of the help.
const (
	groupChat  = "chat"
	groupMake  = "make"
	groupSetup = "setup"
)

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
					"names in docs/settings.md, and a flag counts before it."
				fmt.Fprint(cmd.OutOrStdout(), usage.Topic(about, root.PersistentFlags(), columns(cmd)))
				return nil
			}
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return &exitError{exitUsage, usage.NoHelp(found, rest)}
			}
			return found.Help()
		},
	}
}

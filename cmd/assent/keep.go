package main

import (
	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/tools/shell"
)

// keepWord is the subcommand by which this program starts itself as the keeper of a command.
const keepWord = "keep"

func newKeep() *cobra.Command {
	return &cobra.Command{
		Use:    keepWord,
		Short:  "Keep one command of a model and all that it starts",
		Hidden: true,
		// Everything after the word is the command line to keep.
		DisableFlagParsing: true,
		RunE:               func(_ *cobra.Command, args []string) error { return shell.Keep(args) },
	}
}

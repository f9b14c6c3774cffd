package main

import (
	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/tools/command/runner"
	"github.com/assent-ls/assent/tools/shell"
)

// The subcommands by which this program starts itself: as the keeper of a command, and as what runs a line that was understood.
const (
	keepWord = "keep"
	lineWord = "line"
)

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

func newLine() *cobra.Command {
	return &cobra.Command{
		Use:                lineWord,
		Short:              "Run one command line of a model",
		Hidden:             true,
		Args:               cobra.ExactArgs(1),
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			status, err := runner.Main(args[0])
			if err == nil && status != 0 {
				return &exitError{status: status}
			}
			return err
		},
	}
}

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/logview"
	"github.com/assent-ls/assent/tools/usagelog"
)

func newLogCommand() *cobra.Command {
	var lines int
	var asJSON, asTokens bool
	cmd := &cobra.Command{
		Use:   "log",
		Short: "List the calls of tools that ended, and what was decided",
		Long: "List the calls of tools that ended, the newest last: what was called, on what, by which decision, " +
			"and how it ended.\n" +
			"The log holds no arguments and no contents; a command is named by its programs. " +
			"It is kept in your state folder, 2 MB at most." +
			"\nWith --tokens, say how many tokens the models read and wrote in each chat, and how many of them " +
			"the server had read before.",
		Args: cobra.NoArgs,

		Annotations: whenNothing("`assent run` lets a model call tools, and their calls are listed here"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if lines < 0 {
				return &exitError{exitUsage, "--lines counts from 0, which means all"}
			}
			p, err := wire(cmd)
			if err != nil {
				return err
			}
			if asTokens {
				replies, broken, err := usagelog.New(p.state).Replies()
				if err != nil {
					return err
				}
				p.tellBroken(broken)
				return logview.Tokens(cmd.OutOrStdout(), replies, asJSON)
			}
			entries, broken, err := usagelog.New(p.state).Entries()
			if err != nil {
				return err
			}
			p.tellBroken(broken)
			if lines > 0 {
				entries = entries[max(0, len(entries)-lines):]
			}
			return logview.Calls(cmd.OutOrStdout(), entries, asJSON)
		},
	}
	cmd.Flags().IntVar(&lines, "lines", 50, "How many of the newest lines; 0: all.")
	cmd.Flags().BoolVar(&asTokens, "tokens", false, "Add up the tokens of each chat and model.")
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print one JSON object per line.")
	return cmd
}

// tellBroken tells how many lines of a log are left out.
func (p *parts) tellBroken(lines int) {
	if lines > 0 {
		p.tell(fmt.Sprintf("Lines of the log that cannot be read and are left out: %d.", lines))
	}
}

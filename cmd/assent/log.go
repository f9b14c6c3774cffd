package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/cmd/assent/tokens"
	"github.com/assent-ls/assent/cmd/assent/usage"
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
				return usage.Error("--lines counts from 0, which means all")
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
				p.tellBroken("the log", broken)
				return tokens.Print(cmd.OutOrStdout(), replies, asJSON)
			}
			entries, broken, err := usagelog.New(p.state).Entries()
			if err != nil {
				return err
			}
			p.tellBroken("the log", broken)
			if lines > 0 {
				entries = entries[max(0, len(entries)-lines):]
			}
			if asJSON {
				return listing.Print(cmd.OutOrStdout(), entries...)
			}
			printLog(cmd.OutOrStdout(), entries)
			return nil
		},
	}
	cmd.Flags().IntVar(&lines, "lines", 50, "How many of the newest lines; 0: all.")
	cmd.Flags().BoolVar(&asTokens, "tokens", false, "Add up the tokens of each chat and model.")
	listing.AddFlag(cmd, &asJSON, "log")
	return cmd
}

// tellBroken tells how many lines of a log were left out.
func (p *parts) tellBroken(log string, lines int) {
	if lines > 0 {
		p.tell(fmt.Sprintf("Lines of %s that cannot be read and are left out: %d.", log, lines))
	}
}

func printLog(out io.Writer, entries []usagelog.Entry) {
	var rows [][]terminal.Piece
	for _, e := range entries {
		took := time.Duration(e.TookMS) * time.Millisecond
		rows = append(rows, []terminal.Piece{
			{Text: e.Time.Local().Format("2006-01-02 15:04:05")},
			{Text: filepath.Base(cmp.Or(e.Workspace, "-"))},
			{Text: toolOf(e)},
			{Text: string(e.Outcome), Style: styleOf(e.Outcome)},
			{Text: took.String()},
			{Text: e.Target},
			{Text: e.Reason},
		})
	}
	terminal.Table(out, rows)
}

func styleOf(o usagelog.Outcome) terminal.Style {
	switch o {
	case usagelog.OK:
		return terminal.Green
	case usagelog.Failed:
		return terminal.Red
	default:
		return terminal.Yellow
	}
}

// toolOf names the tool of a line, and who called it if no model did.
func toolOf(e usagelog.Entry) string {
	name := e.Tool
	if e.Origin != "" {
		name += " of " + e.Origin
	}
	if e.Caller != "model" && e.Caller != "" {
		name += " by " + e.Caller
	}
	if e.Client != "" {
		name += " " + strconv.Quote(e.Client)
	}
	return name
}

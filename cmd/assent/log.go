package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/internal/visible"
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
				return p.printTokens(cmd.OutOrStdout(), asJSON)
			}
			entries, broken, err := usagelog.New(p.state).Entries()
			if err != nil {
				return err
			}
			if broken > 0 {
				p.tell(fmt.Sprintf("Lines of the log that cannot be read and are left out: %d.", broken))
			}
			if lines > 0 {
				entries = entries[max(0, len(entries)-lines):]
			}
			if asJSON {
				return printLogJSON(cmd.OutOrStdout(), entries)
			}
			return printLog(cmd.OutOrStdout(), entries)
		},
	}
	cmd.Flags().IntVar(&lines, "lines", 50, "How many of the newest lines; 0: all.")
	cmd.Flags().BoolVar(&asTokens, "tokens", false, "Add up the tokens of each chat and model.")
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print one JSON object per line.")
	return cmd
}

func printLogJSON(out io.Writer, entries []usagelog.Entry) error {
	enc := json.NewEncoder(terminal.JSON(out))
	for _, e := range entries {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

func printLog(out io.Writer, entries []usagelog.Entry) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range entries {
		took := time.Duration(e.TookMS) * time.Millisecond
		row := []string{
			e.Time.Local().Format("2006-01-02 15:04:05"), filepath.Base(
				cmp.Or(e.Workspace, "-"),
			), toolOf(e), string(e.Outcome), took.String(), e.Target, e.Reason,
		}
		for i := range row {
			row[i] = visible.Line(row[i])
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
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

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/workspace"
)

func newChats() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "chats",
		Short: "List the chats of a folder with their titles, the newest first",
		Long: "List the chats of a folder with their titles, the newest first: those in .assent/chats, " +
			"and those in all folders below\n" +
			"that no .gitignore excludes. A title is what the front matter of a chat calls it (title: ...), " +
			"or else the first\n" +
			"words of its first question.",
		Args: cobra.NoArgs,

		Annotations: whenNothing("`assent run` makes a chat"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			root, err := flags.root()
			if err != nil {
				return err
			}
			ws, err := workspace.Open(root, workspace.NoBuffers{})
			if err != nil {
				return err
			}
			defer ws.Close() //nolint:errcheck // only looked at
			chats, err := session.Chats(cmd.Context(), ws, root)
			if err != nil {
				for sentence := range strings.SplitSeq(err.Error(), "\n") {
					fmt.Fprintln(cmd.ErrOrStderr(), "assent: "+visible.Line(sentence))
				}
			}
			if flags.json {
				return printChatsJSON(cmd, chats)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, c := range chats {
				title := cmp.Or(c.Title, "(nothing asked yet)")
				row := []string{c.Changed.Format(time.DateTime), title, terminal.Path(c.Path)}
				for i := range row {
					row[i] = visible.Line(row[i])
				}
				fmt.Fprintln(w, strings.Join(row, "\t"))
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&flags.json, "json", false, "Print one JSON object per line.")
	cmd.Flags().StringVar(&flags.folder, "folder", "", "The workspace folder. Empty: the current folder.")
	return cmd
}

func printChatsJSON(cmd *cobra.Command, chats []session.Listed) error {
	enc := json.NewEncoder(terminal.JSON(cmd.OutOrStdout()))
	enc.SetEscapeHTML(false)
	for _, c := range chats {
		if err := enc.Encode(
			map[string]any{"path": c.Path, "title": c.Title, "model": c.Model, "changed": c.Changed},
		); err != nil {
			return err
		}
	}
	return nil
}

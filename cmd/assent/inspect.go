package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/cmd/assent/chatlist"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/cmd/assent/usage"
)

func newInspect() *cobra.Command {
	var flags runFlags
	var asJSON, all, render bool
	cmd := &cobra.Command{
		Use:   "inspect FILE.chat.md",
		Short: "Show the request of a chat: all that the model sees",
		Long: "Show the request that a chat would be sent with, with the tokens of its parts and where each comes " +
			"from. The model is\n" +
			"asked nothing and the chat stays as it is. With --json it prints what would go over the wire, " +
			"byte for byte, and with\n" +
			"--all that of every request that Send would make: to load the model, for a summary, the reply, " +
			"and what is asked apart.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := chatlist.Path(args[0])
			if err != nil {
				return err
			}
			root, err := usage.Folder(flags.folder)
			if err != nil {
				return err
			}
			return withSession(cmd, flags, root, path, func(_ *parts, s *session.Session) error {
				how := session.RenderLoaded
				switch {
				case asJSON, all:
					how = session.RenderNot
				case render:
					how = session.RenderAlways
				}
				r, err := s.Inspect(cmd.Context(), how)
				if err != nil {
					return err
				}
				switch {
				case asJSON:
					return terminal.Exact(cmd.OutOrStdout(), r.Body)
				case all:
					list, err := r.List()
					return errors.Join(err, terminal.Exact(cmd.OutOrStdout(), list))
				}
				page, err := r.Page()
				if err != nil {
					return err
				}
				_, err = io.WriteString(cmd.OutOrStdout(), page)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print the body of the request alone, byte for byte.")
	cmd.Flags().BoolVar(
		&all, "all", false,
		"Print all requests that Send would make, as a JSON list in their order, each with its reason: "+
			"also those beside the chat.",
	)
	cmd.Flags().BoolVar(
		&render, "render", false,
		"Have the server load the model, if it is not loaded, for the prompt that it makes of the request.",
	)
	cmd.MarkFlagsMutuallyExclusive("json", "all", "render")
	usage.AddFolder(cmd.Flags(), &flags.folder)
	return cmd
}

package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
	"github.com/assent-ls/assent/visible"
)

func newTrust() *cobra.Command {
	var revoke bool
	cmd := &cobra.Command{
		Use:   "trust [FOLDER]",
		Short: "Use a folder's own prompts from now on",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := wire(cmd)
			if err != nil {
				return err
			}
			ws, err := openFolder(args)
			if err != nil {
				return err
			}
			defer func() { _ = ws.Close() }()
			out := cmd.OutOrStdout()
			if revoke {
				if err := p.state.Untrust(ws.Key()); err != nil {
					return err
				}
				fmt.Fprintln(out, "not trusted any more: "+visible.Line(ws.Root()))
				return nil
			}
			if !workspace.Lasting(ws.Key()) {
				return errors.New(workspace.SessionOnly(ws.Key()) + " Trust it in your editor, with the command assent.trustFolder.")
			}
			prompt, err := prompts.Load(cmd.Context(), prompts.Options{Config: p.config, Workspace: ws, Trusted: true, Model: p.settings.Get().Model})
			if err != nil {
				return err
			}
			if err := p.state.Trust(ws.Key()); err != nil {
				return err
			}
			fmt.Fprintln(out, "trusted: "+visible.Line(ws.Root()))
			for _, layer := range prompt.Layers {
				fmt.Fprintln(out, visible.Line("  "+layer.Name+" "+layer.Path))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&revoke, "revoke", false, "Take the trust back.")
	return cmd
}

func openFolder(args []string) (*workspace.Workspace, error) {
	root, err := os.Getwd()
	if len(args) > 0 {
		root, err = args[0], nil
	}
	if err != nil {
		return nil, err
	}
	return workspace.Open(root, workspace.NoBuffers{})
}

func newGrants() *cobra.Command {
	var revoke string
	cmd := &cobra.Command{
		Use:   "grants",
		Short: "List what you always allow, and take it back",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := wire(cmd)
			if err != nil {
				return err
			}
			if revoke != "" {
				return p.policy.Revoke(revoke)
			}
			for _, g := range p.policy.Grants() {
				line := fmt.Sprintf("%s  %s in %s, since %s, given in %s", g.ID, g.Tool, grantFolder(g), g.Since.Format("2006-01-02"), g.Origin)
				fmt.Fprintln(cmd.OutOrStdout(), visible.Line(line))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&revoke, "revoke", "", "The ID of a grant to take back.")
	return cmd
}

// grantFolder is the folder of a lasting grant. If another folder is there now, which the grant does not cover, it says so.
func grantFolder(g policy.Grant) string {
	folder := workspace.Folder(g.Workspace)
	if ws, err := workspace.Open(folder, workspace.NoBuffers{}); err == nil {
		defer func() { _ = ws.Close() }()
		if ws.Key() == g.Workspace {
			return folder
		}
	}
	return folder + " (not the folder that is there now)"
}

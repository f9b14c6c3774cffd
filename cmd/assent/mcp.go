package main

import "github.com/spf13/cobra"

func newMCP() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Use the tools of MCP servers, and offer tools to programs",
		Long:  "Use the tools of MCP servers, and offer tools to other programs by the Model Context Protocol",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newMCPServe())
	addServerCommands(cmd)
	return cmd
}

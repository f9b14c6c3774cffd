package main

import (
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/lsp"
	connection "github.com/assent-ls/assent/lsp/wire"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/workspace"
)

// garbagePercent is GOGC where the user sets none: a server is idle most of the time, and the model needs the memory.
const garbagePercent = 60

func newServe() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Be a language server on standard input and output",
		Long:  "Be a language server on standard input and output: editors start this. Nothing else is listened to.",
		Args:  cobra.NoArgs,

		Annotations: isServer(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(garbagePercent)
			}
			p, err := wire(cmd)
			if err != nil {
				return err
			}
			if err := checkFormat(p.settings.Get()); err != nil {
				return err
			}
			traces, err := p.traces()
			if err != nil {
				return err
			}
			defer traces.Close()
			defer p.policy.Flush()
			status := lsp.Serve(cmd.Context(), connection.Stdio(), lsp.Options{
				Version: version(), Settings: p.settings, Agent: p.newAgent, State: p.state, Policy: p.policy, Trust: p.trust,
				Shell: shell.New(keepWord, lineWord), Sandbox: func(ws *workspace.Workspace) runcommand.Sandbox { return confined(cmd.Context(), p.settings.Get(), ws) },
				Servers: p.servers, Databases: p.databases, Config: p.config, Traces: traces, Log: p.log,
			})
			if status != 0 {
				return &exitError{status: status}
			}
			return nil
		},
	}
	cmd.Flags().Bool("stdio", true, "Accepted because some editors pass it; there is no other way.")
	return cmd
}

package main

import (
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/piped"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/lsp"
	connection "github.com/assent-ls/assent/lsp/wire"
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
			begin, err := piped.Initial(cmd.Flags())
			if err != nil {
				return usage.Error(err.Error())
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
				Parts:   p.parts(cmd.Context(), p.settings.Get(), traces),
				Version: version(), Agent: p.newAgent, Log: p.log, Begin: begin,
			})
			if status != 0 {
				return &exitError{status: status}
			}
			return nil
		},
	}
	piped.AddFlag(
		cmd.Flags(), "Begin each chat that New chat makes with this message, which is not sent before you send it.",
	)
	cmd.Flags().Bool("stdio", true, "Accepted because some editors pass it; there is no other way.")
	return cmd
}

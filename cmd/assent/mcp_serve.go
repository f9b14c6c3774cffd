package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/mcp/serve"
)

func newMCPServe() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Offer the tools of a folder to another program",
		Long: "Offer the tools of a folder to another program, as a server of the Model Context Protocol on standard input and output.\n" +
			"What a model would have to ask for is asked here, too, through the program that calls; if that cannot ask, nothing is done.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withServer(cmd, flags, func(s *serve.Server) error {
				signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a client that is gone ends the session, not the program
				return s.Run(cmd.Context(), serve.Stdio(os.Stdin, os.Stdout))
			})
		},
	}
	cmd.Flags().StringVar(&flags.folder, "folder", "", "The workspace folder. Empty: the current folder.")
	return cmd
}

// withServer makes the server of a folder, does something with it, and ends its calls.
func withServer(cmd *cobra.Command, flags runFlags, do func(*serve.Server) error) error {
	p, err := wire(cmd)
	if err != nil {
		return err
	}
	root, err := flags.root()
	if err != nil {
		return err
	}
	env, err := openEnvironment(cmd.Context(), p, flags, root)
	if err != nil {
		return err
	}
	defer env.Workspace.Close() //nolint:errcheck // nothing was written through it
	defer env.Tools.Close()
	defer p.policy.Flush()
	s := serve.New(serverOptions(p, env))
	defer s.Close()
	return do(s)
}

func serverOptions(p *parts, env session.Environment) serve.Options {
	return serve.Options{
		Version: version(), Mode: env.Options.Mode, Warn: p.tell, Log: p.log,
		Tools: func(ctx context.Context) (*tools.Dispatcher, error) { return env.Dispatcher(ctx) },
	}
}

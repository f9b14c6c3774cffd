package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/mcp/serve"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

// serveFlags say where a server listens.
type serveFlags struct {
	http, websocket, tokenFile string
	network                    bool
}

func newMCPServe() *cobra.Command {
	var flags runFlags
	var at serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Offer the tools of a folder to another program",
		Long: "Offer the tools of a folder to another program, as a server of the Model Context Protocol on standard " +
			"input and output,\n" +
			"or at an address. What a model would have to ask for is asked here, too, " +
			"through the program that calls; if that cannot\n" +
			"ask, nothing is done.",
		Args: cobra.NoArgs,

		Annotations: isServer(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if address := cmp.Or(at.http, at.websocket); address != "" {
				return serveAt(cmd, flags, at, address)
			}
			return withServer(cmd, flags, func(_ *parts, _ *workspace.Workspace, s *serve.Server) error {
				// a client that is gone ends the session, not the program
				signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
				return s.Run(cmd.Context(), serve.Stdio(os.Stdin, os.Stdout))
			})
		},
	}
	usage.AddFolder(cmd.Flags(), &flags.folder)
	cmd.Flags().StringVar(
		&at.http, "http", "", "Serve by HTTP at this address instead: HOST:PORT, or :PORT on this computer alone.",
	)
	cmd.Flags().StringVar(
		&at.websocket, "websocket", "",
		"Serve by WebSocket at this address instead: HOST:PORT, or :PORT on this computer alone.",
	)
	cmd.Flags().StringVar(
		&at.tokenFile, "token-file", "",
		"The file with the token that clients send. Empty: mcp-token in your state folder. "+
			"It is made if there is none.",
	)
	cmd.Flags().BoolVar(
		&at.network, "allow-network", false,
		"Take an address that other computers can reach. What they send is not encrypted.",
	)
	cmd.MarkFlagsMutuallyExclusive("http", "websocket")
	return cmd
}

// serveAt serves at an address.
func serveAt(cmd *cobra.Command, flags runFlags, at serveFlags, address string) error {
	return withServer(cmd, flags, func(p *parts, ws *workspace.Workspace, s *serve.Server) error {
		file := cmp.Or(at.tokenFile, filepath.Join(p.state.Dir(), mcp.TokenFile))
		if at.tokenFile != "" && holds(ws, file) {
			return usage.Error(fmt.Sprintf(
				"the token file %q is in the folder that is served, whose files the tools read: "+
					"name one outside of it",
				file,
			))
		}
		if err := p.network.Listener(address); err != nil {
			return usage.Error(err.Error())
		}
		token, err := serve.Token(file)
		if err != nil {
			return err
		}
		l, err := serve.Listen(cmd.Context(), address, at.network)
		if err != nil {
			return usage.Error(err.Error())
		}
		wire, scheme := serve.HTTP, "http"
		if at.websocket != "" {
			wire, scheme = serve.WebSocket, "ws"
		}
		host, _, _ := net.SplitHostPort(address) // Listen has checked it
		p.tell(fmt.Sprintf("Serving at %s://%s%s. The token is in %s.", scheme, l.Addr(), serve.Path, file))
		return s.Serve(cmd.Context(), l, wire, host, token)
	})
}

// holds reports whether a file is, or would be, in a workspace, also by a link to a folder.
func holds(ws *workspace.Workspace, file string) bool {
	file, err := filepath.Abs(file)
	if err != nil {
		return true
	}
	places := []string{file}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		places = append(places, filepath.Join(folder, filepath.Base(file)))
	}
	return slices.ContainsFunc(places, func(place string) bool {
		_, err := ws.Resolve(place)
		return !errors.Is(err, workspace.ErrOutside)
	})
}

// withServer makes the server of a folder, does something with it, and ends its calls.
func withServer(cmd *cobra.Command, flags runFlags, do func(*parts, *workspace.Workspace, *serve.Server) error) error {
	root, err := usage.Folder(flags.folder)
	if err != nil {
		return err
	}
	return withEnvironment(cmd, flags, root, func(p *parts, env session.Environment) error {
		s := serve.New(serverOptions(p, env))
		defer s.Close()
		return do(p, env.Workspace, s)
	})
}

func serverOptions(p *parts, env session.Environment) serve.Options {
	var presets []serve.Prompt
	for _, p := range prompts.Presets(env.Config) {
		if !strings.Contains(p.Text, "{{") { // its variables are those of a chat
			presets = append(presets, serve.Prompt{Name: p.Name, Description: p.Description, Text: p.Text})
		}
	}
	turn := ledger.Turn{ID: rand.Text()} // of no chat: all that this process serves
	changed := func(tool string, changes []tools.FileChange) {
		env.Background.Changed()
		if env.Ledger == nil {
			return
		}
		if err := env.Ledger.Record(turn, "", changes); err != nil {
			p.tell(fmt.Sprintf("What %s changed cannot be reviewed: %v", tool, err))
		}
	}
	// the other modes let edits run because a person sees them at once in the chat, and those of other programs nobody
	// does
	return serve.Options{
		Workspace: env.Workspace, Prompts: presets,
		Version: version(), Mode: func() policy.Mode { return env.Options.Mode().Tighter(policy.ModeAsk) },
		Warn: p.tell, Log: p.log, Changed: changed, Left: env.Background.LeaveReader,
		Tools: func(ctx context.Context) (*tools.Dispatcher, error) { return env.Dispatcher(ctx) },
	}
}

// Command scriptedmodel is a model server that plays a script over Ollama's protocol, for tests of real editors. Its
// first line of output is its address. The package agenttest documents the scripts.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/assent-ls/assent/agent/agenttest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "scriptedmodel:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. Mismatches are its error.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("scriptedmodel", flag.ContinueOnError)
	flags.SetOutput(stderr)
	address := flags.String("listen", "127.0.0.1:0", "address to listen on")
	file := flags.String("script", "", "the script to play (required)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	text, err := os.ReadFile(*file)
	if err != nil {
		return fmt.Errorf("--script: %w", err)
	}
	script, err := agenttest.ParseScript(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", *file, err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *address)
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, "http://"+listener.Addr().String())
	handler := agenttest.NewServer(script)
	server := &http.Server{Handler: handler} //nolint:gosec // a test server has no slow clients to fear
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	if mismatches := handler.Mismatches(); len(mismatches) > 0 {
		return errors.New(strings.Join(mismatches, "\n"))
	}
	return nil
}

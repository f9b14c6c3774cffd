package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/asking"
	"github.com/assent-ls/assent/tools/command/runner"
	"github.com/assent-ls/assent/tools/mcp/login"
)

func newMCPLogin() *cobra.Command {
	return &cobra.Command{
		Use:   "login SERVER",
		Short: "Log in at an MCP server that wants it, with your browser",
		Long: "Log in at an MCP server that wants it. It is asked where that is done; you are shown the address, " +
			"and nothing is sent there or opened before\n" +
			"you agree at the terminal. Then your browser opens, and the address is printed in case it does not.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withServers(cmd, func(ctx context.Context, s serversOf) error {
				person, _ := openAsker(cmd, runFlags{})
				if person == nil {
					return &exitError{
						exitUnanswered,
						"to log in you must agree at a terminal, and there is none, so nothing was sent",
					}
				}
				defer person.Terminal.Close()
				if err := s.Login(ctx, args[0], browser{person, s}); err != nil {
					return err
				}
				s.say("logged in: %s", args[0])
				return nil
			})
		},
	}
}

func newMCPLogout() *cobra.Command {
	return &cobra.Command{
		Use:   "logout SERVER",
		Short: "Forget the login at an MCP server, and tell its authorization server",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withServers(cmd, func(ctx context.Context, s serversOf) error {
				err := s.Logout(ctx, args[0])
				if err == nil || errors.Is(err, login.ErrNotRevoked) {
					s.say("logged out: %s", args[0])
				}
				return err
			})
		},
	}
}

// browser is a person at a terminal, with the browser of this machine.
type browser struct {
	*asking.Asker
	serversOf
}

// Agree implements login.Person.
func (b browser) Agree(ctx context.Context, place, question string) (bool, error) {
	b.Terminal.Begin()
	const prompt = "[y] log in there  [n] do not"
	if !b.Terminal.Show(question, place, prompt) {
		return false, nil
	}
	type typed struct {
		line string
		err  error
	}
	answer := make(chan typed, 1)
	go func() { // a person may never answer
		line, err := b.Terminal.Ask(prompt)
		answer <- typed{line, err}
	}()
	select {
	case a := <-answer:
		return strings.EqualFold(strings.TrimSpace(a.line), "y"), a.err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// opener is the program, with its arguments, that opens an address in the browser of a person on a system.
func opener(system string) []string {
	switch system {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	return []string{"xdg-open"}
}

// Visit implements login.Person.
func (b browser) Visit(_ context.Context, address string) error {
	fmt.Fprintln(b.out, "Log in there with your browser:")
	fmt.Fprintln(b.out, address)
	words := opener(runtime.GOOS)
	// else the address is there to be copied
	if program, err := runner.Find(words[0], os.Getenv("PATH"), b.ws.Root()); err == nil {
		opener := exec.Command(program, append(words[1:], address)...) //nolint:noctx // a browser outlives the login
		if opener.Start() == nil {
			go func() { _ = opener.Wait() }()
		}
	}
	return nil
}

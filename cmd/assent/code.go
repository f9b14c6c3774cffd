package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/cmd/assent/code"
	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/python"
	"github.com/assent-ls/assent/tools/python/signature"
)

func newCode() *cobra.Command {
	return code.Commands{Run: runProgram, Network: func(cmd *cobra.Command) (*network.Network, error) {
		p, err := wire(cmd)
		if err != nil {
			return nil, err
		}
		return p.network, nil
	}}.New()
}

// runProgram runs a Python program by hand.
func runProgram(cmd *cobra.Command, program string) error {
	arguments, err := json.Marshal(map[string]string{signature.Program: program})
	if err != nil {
		return err
	}
	return withToolsInFolder(cmd, func(env session.Environment, d *tools.Dispatcher) error {
		return runByHand(cmd, env, d, tools.Call{Name: python.Name, Arguments: arguments})
	})
}

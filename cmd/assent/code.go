package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/python"
	"github.com/assent-ls/assent/tools/python/interpreter"
	"github.com/assent-ls/assent/tools/python/signature"
)

// pythonOf gives the interpreter for programs, which is made once. It starts nothing before a program runs.
func pythonOf() func() (python.Interpreter, error) {
	return sync.OnceValues(func() (python.Interpreter, error) {
		files, err := interpreter.Find()
		if err != nil {
			return nil, err
		}
		return interpreter.New(interpreter.Options{Files: files, Helper: []string{pythonWord}})
	})
}

func newCode() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "code",
		Short: "Run a Python program that calls tools, and install the interpreter",
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCodeRun(), newCodeInstall())
	return cmd
}

func newCodeRun() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a Python program whose functions are the tools of the workspace",
		Long: "Run a Python program by hand, as a model's: with the same tools, rules and limits; \"-\" reads it from standard input.\n" +
			"What it would change is asked about when it has ended, on a terminal; without one nothing changes.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			source, err := programOf(cmd.InOrStdin(), args[0])
			if err != nil {
				return err
			}
			arguments, err := json.Marshal(map[string]string{signature.Program: source})
			if err != nil {
				return err
			}
			if err := cmd.Flags().Set("python-execution", "true"); err != nil {
				return err
			}
			return withTools(cmd, &flags, func(env session.Environment, d *tools.Dispatcher) error {
				return runByHand(cmd, d, tools.Call{
					Name: python.Name, Arguments: arguments, Reads: tools.NewReadSet(), Mode: env.Options.Mode,
				})
			})
		},
	}
	cmd.Flags().StringVar(&flags.folder, "folder", "", "The workspace folder. Empty: the current folder.")
	return cmd
}

// programOf reads a program from a file, or from standard input ("-").
func programOf(in io.Reader, name string) (string, error) {
	if name == "-" {
		text, err := io.ReadAll(io.LimitReader(in, maxArguments))
		return string(text), err
	}
	text, err := diskfile.ReadSmall(name, maxArguments)
	if errors.Is(err, fs.ErrNotExist) {
		return "", &exitError{exitUsage, fmt.Sprintf("there is no file %q", name)}
	}
	return string(text), err
}

func newCodeInstall() *cobra.Command {
	return &cobra.Command{
		Use:   "install",
		Short: "Build the Python interpreter for programs of models, from Debian's source package",
		Long: "Build CPython for WebAssembly from Debian's source package, into your data folder. It takes about two minutes and " +
			"half a gigabyte\nof disk meanwhile, and needs apt, as Debian and Ubuntu have it. Nothing is installed in the system.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := wire(cmd)
			if err != nil {
				return err
			}
			if p.network.Offline() {
				return &exitError{exitUsage, "the interpreter is built from packages that are downloaded, and you are offline"}
			}
			folder, err := interpreter.Home()
			if err != nil {
				return err
			}
			if err := interpreter.Install(cmd.Context(), folder, cmd.ErrOrStderr(), p.network.Start); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), "The interpreter is in "+folder+".")
			return nil
		},
	}
}

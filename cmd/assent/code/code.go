// Package code is the commands of code mode: a program is run by hand, and the interpreter is installed.
package code

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/diagnosis"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/python/interpreter"
)

// Examine says whether models can write programs here, if the user wants them to. word is that of python.Installed.
func Examine(ctx context.Context, r *diagnosis.Report, wanted bool, word string) {
	if !wanted {
		return
	}
	switch lacks, folder, err := try(ctx, word); {
	case err != nil:
		r.Miss("programs of models cannot run: %v", err)
	case lacks != "":
		r.Note("%s", lacks)
	default:
		r.OK("Programs of models run in %s, in a process that reaches nothing.", folder)
	}
}

// try starts the interpreter, and says which protections the system lacks.
func try(ctx context.Context, word string) (lacks, folder string, err error) {
	files, err := interpreter.Find()
	if err != nil {
		return "", "", err
	}
	i, err := interpreter.New(interpreter.Options{Files: files, Helper: []string{word}})
	if err != nil {
		return "", "", err
	}
	defer i.Close()
	lacks, err = i.Lacks(ctx)
	return lacks, files.Folder, err
}

// Commands are what the commands need of the program.
type Commands struct {
	// Run runs a program by hand in the workspace that --folder names.
	Run     func(cmd *cobra.Command, program string) error
	Network func(cmd *cobra.Command) (*network.Network, error)
}

// New makes the command.
func (c Commands) New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "code",
		Short: "Run a Python program that calls tools, and install the interpreter",
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.newRun(), c.newInstall())
	return cmd
}

func (c Commands) newRun() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a Python program whose functions are the tools of the workspace",
		Long: "Run a Python program by hand, as a model's: with the same tools, rules and limits; \"-\" reads it from " +
			"standard input.\nWhat it would change is asked about when it has ended, on a terminal; without one nothing " +
			"changes.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			source, err := read(cmd.InOrStdin(), args[0])
			if err != nil {
				return err
			}
			if _, err := interpreter.Find(); err != nil {
				return err
			}
			if err := cmd.Flags().Set("python-execution", "true"); err != nil {
				return err
			}
			return c.Run(cmd, source)
		},
	}
	usage.AddFolder(cmd.Flags(), new(string))
	return cmd
}

// maxProgram is far above what the tool takes, in bytes: it says so itself.
const maxProgram = 1 << 20

// read reads a program from a file, or from standard input ("-").
func read(in io.Reader, name string) (string, error) {
	if name == "-" {
		text, err := io.ReadAll(io.LimitReader(in, maxProgram))
		return string(text), err
	}
	text, err := diskfile.ReadSmall(name, maxProgram)
	if err == nil && text == nil { // there is nothing
		return "", usage.Error(fmt.Sprintf("there is no file %q", name))
	}
	return string(text), err
}

func (c Commands) newInstall() *cobra.Command {
	return &cobra.Command{
		Use:   "install",
		Short: "Build the Python interpreter for programs of models, from Debian's source package",
		Long: "Build CPython for WebAssembly from Debian's source package, into your data folder. It takes about two " +
			"minutes and half a gigabyte\nof disk meanwhile, and needs apt, as Debian and Ubuntu have it. Nothing is " +
			"installed in the system.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			n, err := c.Network(cmd)
			if err != nil {
				return err
			}
			if n.Offline() {
				return usage.Error("the interpreter is built from packages that are downloaded, and you are offline")
			}
			folder, err := interpreter.Home()
			if err != nil {
				return err
			}
			if err := interpreter.Install(cmd.Context(), n.Start, folder, cmd.ErrOrStderr()); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), "The interpreter is in "+folder+".")
			return nil
		},
	}
}

// Command assent is a language server that chats with a local model, and acts only with its user's assent.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/decode"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/internal/visible"
)

// Exit statuses beside 0 and 1.
const (
	exitUsage      = 2
	exitUnanswered = 3
	exitStopped    = 130
)

// exitError ends the program with a status; an empty sentence prints nothing.
type exitError struct {
	status   int
	sentence string
}

func (e *exitError) Error() string { return e.sentence }

func main() {
	if run := process(os.Args[1:]); run != nil {
		end(run())
	}
	os.Exit(execute(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// execute runs a command line and returns its exit status. All that is printed, by cobra too, goes through a writer
// that makes it visible.
func execute(ctx context.Context, args []string, in io.Reader, stdout, stderr io.Writer) int {
	i := &interrupts{}
	ctx, stop := i.end(ctx)
	defer stop()
	out, notes := terminal.NewWriter(stdout), terminal.NewWriter(stderr)
	root := newRoot(i)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(notes)
	cmd, err := root.ExecuteContextC(ctx)
	_ = out.Flush() // a closed pipe ends the command by itself
	_ = notes.Flush()
	var exit *exitError
	if wrong, ok := errors.AsType[usage.Error](err); ok {
		err = &exitError{exitUsage, string(wrong)}
	}
	switch {
	case err == nil:
		sayEmpty(cmd, out.Wrote(), notes.Wrote(), notes)
		return 0
	case errors.As(err, &exit):
		if exit.sentence != "" {
			tell(notes, exit.sentence)
		}
		return exit.status
	default:
		tell(notes, err.Error())
		return 1
	}
}

// tell prints a sentence for the user.
func tell(notes io.Writer, sentence string) { fmt.Fprintln(notes, "assent: "+visible.Line(sentence)) }

// stopSignals end the program as Stop ends a run. A hangup that is ignored from the start, as nohup has it, stays
// ignored.
func stopSignals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

func newRoot(i *interrupts) *cobra.Command {
	root := &cobra.Command{
		Use:           "assent",
		Short:         "A language server that chats, and acts only with your assent",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	settings.AddFlags(root.PersistentFlags())
	addServersFlag(root.PersistentFlags())
	addColorFlag(root)
	root.Args = cobra.ArbitraryArgs
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	addGroup(
		root, groupChat, "Chat:",
		newRun(i), newSend(i), newChats(), newInspect(), newPrompt(),
	)
	addGroup(
		root, groupMake, "What models can use, and may do:",
		newModels(), newTools(), newCode(), newMCP(), newSQL(), newPermissions(), newTrust(), newLogCommand(),
	)
	addGroup(
		root, groupSetup, "The program:",
		newDoctor(), newSettings(), newServe(), decode.New(formatOf, byName), usage.NewCompletion(), newVersion(),
	)
	root.AddCommand(newGrants())
	root.SetHelpCommand(newHelp(root))
	root.SetHelpCommandGroupID(groupSetup)
	root.CompletionOptions.DisableDefaultCmd = true
	root.InitDefaultHelpCmd()
	usage.Explain(root, columns)
	addCompletions(root)
	usage.Check(root)
	return root
}

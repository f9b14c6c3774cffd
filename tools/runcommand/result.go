package runcommand

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/workspace"
)

// Programs run the programs of sources, as commands run: in the sandbox if there is one that holds, and with what they
// changed.
type Programs struct {
	Workspace *workspace.Workspace
	Shell     shell.Shell
	Sandbox   Sandbox // nil: there is none
}

// Place says where a program would run: a sentence for people, and whether that confines it.
func (p Programs) Place(ctx context.Context, outside bool) (text string, confined bool) {
	place := confine(ctx, p.Sandbox, outside)
	return place.text, place.holds
}

// Run runs a program to its end, for a call.
func (p Programs) Run(
	ctx context.Context, call tools.Call, report tools.Reporter, outside bool, command shell.Command,
) tools.Result {
	ofNoChat := tools.Call{Judge: call.Judge}
	return running{
		planned: planned{call: ofNoChat, place: confine(ctx, p.Sandbox, outside)},
		ws:      p.Workspace, sh: p.Shell, command: command, report: report,
	}.run(ctx)
}

// execute runs a command to its end, and words its output and how it ended; refused is the result of one that was not
// started.
func execute(
	ctx context.Context, sh shell.Shell, command shell.Command,
) (o shell.Outcome, text string, refused *tools.Result) {
	o, err := sh.Run(ctx, command)
	if err == nil {
		return o, strings.TrimSuffix(printed(o.Output), "\n") + ending(o), nil
	}
	result := tools.FailedBy(err)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		result = tools.Failed("[Stopped before it ran.]")
	}
	return o, "", &result
}

func failed(o shell.Outcome) bool { return o.Status != 0 || o.TimedOut || o.Canceled }

// printed is the output of a command, with what was left out of it said.
func printed(o shell.Output) string {
	switch {
	case o.Bytes == 0:
		return "[No output.]"
	case o.Omitted == 0:
		return o.Head
	}
	return fmt.Sprintf(
		"%s\n[%d bytes, %d lines left out. Write the output to a file and read parts of it for the rest.]\n%s", o.Head,
		o.Omitted, o.Lines, o.Tail,
	)
}

const stoppedByUser = "\n[Stopped by the user, with everything it had started.]"

// ending says how a command ended, on lines of their own.
func ending(o shell.Outcome) string {
	var text string
	switch {
	case o.TimedOut:
		text = fmt.Sprintf(
			"\n[Killed at its time limit, after %v, with everything it had started.]", o.Took.Round(time.Second),
		)
	case o.Canceled:
		text = stoppedByUser
	case o.Crowded:
		text = fmt.Sprintf(
			"\n[Killed with everything it had started: it had more than %d processes at once. Does it start itself?]",
			shell.MaxProcesses,
		)
	case o.Signal != "":
		text = fmt.Sprintf("\n[Ended by a signal: %s.]", o.Signal)
	default:
		text = fmt.Sprintf("\n[Exit status %d.]", o.Status)
	}
	if o.Left > 0 {
		text += fmt.Sprintf("\n[Still ran in the background and was ended: %d.]", o.Left)
	}
	if o.Alive > 0 {
		text += fmt.Sprintf("\n[Could not be ended and may still run: %d.]", o.Alive)
	}
	return text
}

package tools

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assent-ls/assent/content"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/workspace"
	"github.com/assent-ls/assent/visible"
)

//go:embed run_command.md
var runCommandText string

type runCommandInput struct {
	Command string `json:"command"`
}

// RunCommand runs a shell command in the workspace. timeout is called when a command starts; 0 is the default of package shell.
func RunCommand(ws *workspace.Workspace, sh shell.Shell, timeout func() time.Duration) Tool {
	c := commands{ws: ws, sh: sh, timeout: timeout}
	return define(Spec{Name: "run_command", Description: runCommandText, Verb: "run", Effect: effect.Runs, Timeout: Unlimited}, c.plan)
}

type commands struct {
	ws      *workspace.Workspace
	sh      shell.Shell
	timeout func() time.Duration
}

func (c commands) plan(_ context.Context, _ Call, in runCommandInput) (Plan, error) {
	switch {
	case strings.TrimSpace(in.Command) == "":
		return Plan{}, errors.New("command is empty")
	case strings.ContainsRune(in.Command, 0):
		return Plan{}, errors.New("command holds a NUL character")
	}
	line, files, _ := understand(c.ws, in.Command)
	run := shell.Command{Line: in.Command, Parsed: line, Dir: c.ws.Root()}
	plan := Plan{
		Target:  in.Command,
		Preview: fmt.Sprintf("$ %s\n\nin %s", in.Command, c.ws.Root()),
		Binding: policy.Bind(append([]string{c.ws.Root(), in.Command, where(line)}, rulePaths(c.ws, files...)...)...),
		Paths:   rulePaths(c.ws, files...),
		Command: line,
		Run:     func(ctx context.Context, report Reporter) Result { return c.run(ctx, report, run, "") },
	}
	for _, file := range files {
		plan.Protected = cmp.Or(plan.Protected, file.Protected)
	}
	if visible.Text(in.Command) != in.Command {
		plan.Protected = "The command holds characters that cannot be seen; they are shown as <U+XXXX>."
	}
	if unsaved := c.ws.Unsaved(); len(unsaved) > 0 {
		names := strings.Join(unsaved, ", ")
		plan.Waits = fmt.Sprintf("Unsaved changes by Assent in %s: save them, or run on the files on disk.", names)
		plan.RunAnyway = func(ctx context.Context, report Reporter) Result {
			return c.run(ctx, report, run, fmt.Sprintf("[Ran on the files on disk: the changes in %s are not saved.]\n", names))
		}
	}
	return plan, nil
}

func (c commands) run(ctx context.Context, report Reporter, run shell.Command, note string) Result {
	run.Timeout, run.Live = c.timeout(), report.Output
	o, err := c.sh.Run(ctx, run)
	if err != nil {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return Failed("[Stopped before it ran.]")
		}
		return failure(err)
	}
	return outcome(o, note)
}

// RunProgram runs a command to its end. Its output is the result, with how it ended.
func RunProgram(ctx context.Context, sh shell.Shell, command shell.Command) Result {
	o, err := sh.Run(ctx, command)
	if err != nil {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return Failed("[Stopped before it ran.]")
		}
		return failure(err)
	}
	return outcome(o, "")
}

// outcome is the result of a command that ran, below a note.
func outcome(o shell.Outcome, note string) Result {
	var b strings.Builder
	b.WriteString(note)
	b.WriteString(o.Output.Head)
	if o.Output.Omitted > 0 {
		fmt.Fprintf(&b, "\n[%d bytes, %d lines left out. Write the output to a file and read parts of it for the rest.]\n%s",
			o.Output.Omitted, o.Output.Lines, o.Output.Tail)
	}
	if o.Output.Bytes == 0 {
		b.WriteString("[No output.]")
	}
	text := strings.TrimSuffix(b.String(), "\n")
	return Result{Parts: content.Texts(text + ending(o)), Failed: o.Status != 0 || o.TimedOut || o.Canceled}
}

// ending says how a command ended, on lines of their own.
func ending(o shell.Outcome) string {
	var text string
	switch {
	case o.TimedOut:
		text = fmt.Sprintf("\n[Killed at its time limit, after %v, with everything it had started.]", o.Took.Round(time.Second))
	case o.Canceled:
		text = "\n[Stopped by the user, with everything it had started.]"
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

package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assent-ls/assent/content"
	"github.com/assent-ls/assent/tools/shell"
)

// RunProgram runs a command to its end. Its output is the result, with how it ended.
func RunProgram(ctx context.Context, sh shell.Shell, command shell.Command) Result {
	o, text, refused := execute(ctx, sh, command)
	if refused != nil {
		return *refused
	}
	return Result{Parts: content.Texts(text), Failed: failed(o)}
}

// execute runs a command to its end, and words its output and how it ended; refused is the result of one that was not started.
func execute(ctx context.Context, sh shell.Shell, command shell.Command) (o shell.Outcome, text string, refused *Result) {
	o, err := sh.Run(ctx, command)
	if err == nil {
		return o, strings.TrimSuffix(printed(o.Output), "\n") + ending(o), nil
	}
	result := failure(err)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		result = Failed("[Stopped before it ran.]")
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
	return fmt.Sprintf("%s\n[%d bytes, %d lines left out. Write the output to a file and read parts of it for the rest.]\n%s", o.Head, o.Omitted, o.Lines, o.Tail)
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

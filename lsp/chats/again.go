package chats

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/opencalls"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/tools"
)

// Failed finds a call of a chat that failed, or was stopped, and that can be read.
func Failed(view parsed.View, id string) (transcript.Call, bool) {
	call, found := view.Call(id)
	result, answered := view.Result(id)
	failed := result.Status == transcript.Failed || result.Status == transcript.Stopped
	return call, found && answered && failed && call.Problem == ""
}

// RunAgain writes a call of a chat that failed or was stopped at the end of its last `## You`, as a call by hand. If a
// person must be asked about it, they answer by the code actions on it; else it runs. It returns when that is begun.
func RunAgain(c *Chat, ctx context.Context, id string) error {
	call, ok := Failed(c.View(), id)
	switch {
	case !ok:
		return fmt.Errorf("this chat has no call %q that failed or was stopped", id)
	case c.HandRuns():
		return session.ErrBusy
	}
	return writeAndRun(ctx, c, call.Tool, call.Arguments)
}

// PythonTool is the tool that runs a program in Python.
const PythonTool = "python_execution"

// RunsPython reports whether the chat has the tool that runs programs.
func RunsPython(c *Chat) bool {
	return slices.ContainsFunc(c.Session.Tools(), func(s tools.Spec) bool { return s.Name == PythonTool })
}

// RunBlock writes the program in the block of Python at an offset as a call at the end of the last `## You`, and runs
// it like RunAgain.
func RunBlock(c *Chat, ctx context.Context, offset int) error {
	program, ok := c.View().ProgramAt(transcript.Span{Start: offset, End: offset})
	switch {
	case !ok:
		return errors.New("there is no block of Python here: put the cursor into one, which begins with ```python")
	case strings.TrimSpace(program.Text) == "":
		return errors.New("this block of Python is empty")
	case !RunsPython(c):
		return fmt.Errorf("there is no tool %s here that would run it", PythonTool)
	case len(Questions(c)) > 0:
		return session.ErrWaiting
	case c.HandRuns():
		return session.ErrBusy
	}
	arguments, err := json.Marshal(map[string]string{"program": program.Text})
	if err != nil {
		return err
	}
	return writeAndRun(ctx, c, PythonTool, arguments)
}

// writeAndRun writes a call by hand at the end of the last `## You`, and runs it unless a person must be asked about it.
// What is in the chat is what runs.
func writeAndRun(ctx context.Context, c *Chat, tool string, arguments json.RawMessage) error {
	if err := c.WriteCall(ctx, tool, arguments); err != nil {
		return err
	}
	all := c.View().WrittenCalls()
	if len(all) == 0 {
		return errGone
	}
	written := all[len(all)-1]
	now, err := transcript.ParseArguments(written.Body)
	if err != nil || written.Tool != tool || !opencalls.SameArguments(now, arguments) {
		return errGone
	}
	prepared, err := c.Session.PrepareByHand(ctx, tool, now)
	if err != nil {
		return err
	}
	if _, asks := prepared.Question(); asks {
		c.say(
			Info, "The call is at the end of the chat: it runs once you choose Approve once on it.",
		)
		return nil
	}
	key := rand.Text()
	c.OfferWritten(key, written, prepared)
	return c.Chats.RunByHand(key, event.Answer{})
}

var errGone = errors.New("the call was written and is gone again, so nothing ran")

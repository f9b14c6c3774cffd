package chats

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats/parsed"
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
func RunAgain(ctx context.Context, c *Chat, id string) error {
	call, ok := Failed(c.View(), id)
	switch {
	case !ok:
		return fmt.Errorf("this chat has no call %q that failed or was stopped", id)
	case !c.Idle():
		return session.ErrBusy
	}
	if err := c.WriteCall(ctx, call.Tool, call.Arguments); err != nil {
		return err
	}
	written := c.View().WrittenCalls()
	if len(written) == 0 {
		return errors.New("the call was written and is gone again, so nothing ran")
	}
	prepared, err := c.Session.PrepareByHand(ctx, call.Tool, call.Arguments)
	if err != nil {
		return err
	}
	if _, asks := prepared.Question(); asks {
		c.Chats.Host.ShowMessage(
			Info, "The call is at the end of the chat: it runs once you choose Approve once on it.",
		)
		return nil
	}
	key := rand.Text()
	c.OfferWritten(key, written[len(written)-1], prepared)
	return c.Chats.RunByHand(key, event.Answer{})
}

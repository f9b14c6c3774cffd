package chats

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/tools/arguments"
)

// ErrGone means that the question is no longer open.
var ErrGone = agent.ErrNoQuestion

// Answer gives the user's decision on the question with this opaque id. It looks the question up itself: what the
// editor sends back never says what is approved.
func (cs *Chats) Answer(id string, answer event.Answer) error {
	chat, q, ok := cs.question(id)
	if !ok {
		return ErrGone
	}
	if chat.hand.asked(q.ID) {
		return cs.RunByHand(id, answer)
	}
	if found, err := chat.hand.runs().answer(id, answer); found {
		return err
	}
	chat.Sync()
	return chat.Session.Answer(id, answer)
}

// blocks are where a person writes about what waits, in the document.
type blocks interface {
	reason(call string)
	answer(q event.Question)
	flush(ctx context.Context) error
}

// blocksFor makes the blocks for the questions of a chat.
func blocksFor(c *Chat) blocks {
	if r := c.hand.runs(); r != nil {
		return r.below
	}
	return c.CurrentReply()
}

// DenyWithReason denies with what the user wrote in the call's reason block. Without one it makes the block and shows
// it.
func (cs *Chats) DenyWithReason(ctx context.Context, id string) error {
	chat, q, ok := cs.question(id)
	if !ok {
		return ErrGone
	}
	if q.Model != "" || q.Mention != "" || q.From != "" && !q.Why || chat.hand.asked(id) {
		return cs.Answer(id, event.Answer{Kind: event.Deny}) // there is no model to read a reason
	}
	reason, found := chat.View().Reason(q.CallID)
	if !found {
		blocksFor(chat).reason(q.CallID)
		return showBlock(ctx, chat, q.CallID)
	}
	text := strings.TrimSpace(reason.Text)
	if text == "" {
		cs.Host.ShowMessage(Info, "Write why in the reason block, then choose Deny and say why again.")
		return showBlock(ctx, chat, q.CallID)
	}
	return cs.Answer(id, event.Answer{Kind: event.Deny, Text: text})
}

// AnswerCall answers a call that asks the person something: with this text, or else with what the user wrote in the
// call's answer block. Where there is none it makes the block, and where it is empty it shows it.
func (cs *Chats) AnswerCall(ctx context.Context, id, text string) error {
	chat, q, ok := cs.question(id)
	if !ok {
		return ErrGone
	}
	if !q.Effect.ByPerson() {
		return errors.New("this call asks nothing: approve or deny it")
	}
	if text == "" {
		written, found := chat.View().Answer(q.InAnswer())
		if !found {
			blocksFor(chat).answer(q)
		}
		if text = strings.TrimSpace(written.Text); text == "" {
			if err := showBlock(ctx, chat, q.InAnswer()); err != nil {
				return err
			}
			cs.Host.ShowMessage(Info, "Write your answer in the answer block, then choose Answer again.")
			return nil
		}
		// one choice by accident must not send what somebody else wrote
		if q.From != "" && text == parsed.FormText(q) && parsed.Fits(q, text) {
			return fmt.Errorf(
				"nothing is sent: the form is as it was filled in for you. Change it and choose Answer, or choose %q",
				parsed.AsFilled,
			)
		}
	}
	if len(q.Form) == 0 {
		return cs.Answer(id, event.Answer{Kind: event.Once, Text: text})
	}
	form, err := arguments.ReadForm(q.Form, text)
	if err != nil {
		return err
	}
	return cs.Answer(id, event.Answer{Kind: event.Once, Form: form})
}

// showBlock waits until the document holds the block that a person writes in about a call, and puts the cursor into it.
// The error says that it does not.
func showBlock(ctx context.Context, c *Chat, call string) error {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	if err := blocksFor(c).flush(ctx); err != nil {
		return fmt.Errorf(
			"the block to write in is not in the document (%s): choose this again once it is, or another answer",
			reason(err),
		)
	}
	view := c.View()
	if block, ok := view.WrittenFor(call); ok {
		c.Chats.Host.Show(ctx, c.uri, view.Lines(block.Start)+1)
	}
	return nil
}

// Pending shows the call that waits: the answer to a command that came without an id. It approves nothing.
func (cs *Chats) Pending(ctx context.Context) error {
	for _, chat := range cs.All() {
		for _, q := range Questions(chat) {
			view := chat.View()
			if q.Model != "" || q.Mention != "" {
				cs.Host.Show(ctx, chat.uri, view.Lines(view.MentionSpan(q.Mention).Start))
				return nil
			}
			if call, ok := view.CallSpan(q.CallID); ok { // of several calls the first
				cs.Host.Show(ctx, chat.uri, view.Lines(call.Start))
				return nil
			}
		}
	}
	return errors.New("nothing waits for an answer")
}

// question finds what is asked under an id.
func (cs *Chats) question(id string) (*Chat, event.Question, bool) {
	for _, chat := range cs.All() {
		for _, q := range Questions(chat) {
			if q.ID == id {
				return chat, q, true
			}
		}
		if q, ok := chat.hand.question(id); ok {
			return chat, q, true
		}
	}
	return nil, event.Question{}, false
}

// Sync tells the run what a person changed in its pending calls: what the document shows is what is approved.
func (c *Chat) Sync() {
	c.Session.Revise(func() *transcript.Chat { return c.View().Chat })
}

// CurrentReply is where the current or last run is shown.
func (c *Chat) CurrentReply() *replyWriter {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reply
}

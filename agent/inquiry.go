package agent

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/arguments"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
)

// writeNotes puts into the document what was noted. After Stop nothing more is shown.
func (c *executor) writeNotes(ctx context.Context) {
	for _, said := range c.output.takeNotes() {
		if ctx.Err() == nil {
			c.note(said.block, said.text)
		}
	}
}

// inquire asks a person what running calls ask. later are the calls whose questions wait as well.
func (c *executor) inquire(ctx context.Context, later []*pending) {
	c.writeNotes(ctx)
	open, gone := c.output.open()
	var asked []*inquiry
	for _, in := range open {
		if in.question != nil || ctx.Err() != nil {
			continue
		}
		in.call.asked++
		text := strings.TrimRight(in.asked.Text, "\n")
		in.question = new(QuestionOf(in.asked, in.call.of, fmt.Sprintf("%s.%d", in.call.of.ID, in.call.asked)))
		in.question.Origin = in.call.origin
		if in.asked.Model != nil {
			if _, err := c.requestFor(*in.asked.Model); err != nil { // a yes would have no effect
				c.output.end(in, inquiryAnswer{err: err})
				c.note(InquiryBlock, text+"\n\n"+noAnswerNote(err))
				continue
			}
			in.question.Notice = strings.TrimSpace(in.question.Notice + " " + c.whichModel())
		}
		if !c.job.canAsk(*in.question) {
			c.output.end(in, inquiryAnswer{err: tools.ErrNobody})
			c.note(InquiryBlock, text+"\n\nNobody was there who could be asked.")
			continue
		}
		asked = append(asked, in)
	}
	if len(asked) == 0 && !gone {
		return
	}
	if ctx.Err() != nil {
		return // after Stop nothing more is shown
	}
	c.ask(later) // first: a front end that gets the event looks the question up
	for _, in := range asked {
		c.note(InquiryBlock, in.asked.Text)
		c.progress(event.Waiting, in.asked.Target)
		c.emit(event.CallWaiting{Question: *in.question})
	}
	if gone {
		c.note(InquiryBlock, Unanswered)
		c.progress(event.Executing, "")
	}
}

// endInquiries forgets what calls asked that are over.
func (c *executor) endInquiries(ctx context.Context, later []*pending) {
	c.writeNotes(ctx)
	open, gone := c.output.open()
	for _, in := range open {
		c.output.end(in, inquiryAnswer{err: context.Canceled})
		gone = gone || in.question != nil
	}
	if gone && ctx.Err() == nil {
		c.note(InquiryBlock, Unanswered)
		c.ask(later)
	}
}

// Unanswered tells in the chat that what a running call asked is over.
const Unanswered = "The question is over, and was not answered."

// QuestionOf is what a running call asks, as a question; block is the ID of the block in which a form is filled in.
func QuestionOf(what tools.Inquiry, call toolcall.Call, block string) event.Question {
	q := event.Question{
		ID: rand.Text(), From: what.From, Yes: what.Yes, No: what.No, Why: what.Why, Like: what.Like, Form: what.Form,
		AskedCall: event.AskedCall{
			CallID: call.ID, Tool: call.Name, Effect: effect.Calls, Arguments: call.Arguments, Target: what.Target,
			Preview: what.Text, Files: what.Files,
			Notice: what.Notice,
		},
	}
	if what.Other != "" {
		q.Offers = []policy.Offer{{ID: rand.Text(), Title: what.Other}}
	}
	if len(q.Form) > 0 {
		q.Effect, q.AnswerBlock = effect.Asks, block
		if fields, err := arguments.FormFields(q.Form); err == nil && len(fields) == 1 {
			q.Choices = fields[0].Choices
		}
	}
	return q
}

// answeredInquiry gives an answer to a call that asks; found is false if no running call asks the question.
func (c *executor) answeredInquiry(ctx context.Context, question string, answer event.Answer) (found bool, err error) {
	open, _ := c.output.open()
	i := slices.IndexFunc(open, func(in *inquiry) bool { return in.question != nil && in.question.ID == question })
	if i < 0 {
		return false, nil
	}
	in := open[i]
	reply, err := in.question.Reply(answer)
	if err != nil {
		return true, err
	}
	if reply.Yes && in.asked.Model != nil {
		c.output.forget(in)
		c.askModel(ctx, in)
	} else {
		c.output.end(in, inquiryAnswer{reply: reply})
	}
	c.note(InquiryBlock, Said(in.asked, reply))
	c.progress(event.Executing, in.call.of.Name)
	return true, nil
}

// Said tells in the chat what a person answered to what a running call asks.
func Said(what tools.Inquiry, reply tools.Reply) string {
	switch {
	case reply.Yes && len(what.Form) > 0:
		return "You answered."
	case reply.Other:
		return "You chose: " + what.Other + "."
	case reply.Yes && what.No != "":
		return "You chose: " + what.Yes + "."
	case reply.Yes:
		return "You said yes."
	case what.No != "":
		return "You chose: " + what.No + "."
	}
	return "You said no."
}

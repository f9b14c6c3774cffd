package chats

import (
	"context"
	"slices"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/tools/arguments"
)

// Action is one thing that can be done at a place of a chat.
type Action struct {
	Title   string
	Command string
	ID      string // opaque id of a question, or for UndoEdit a call's own; empty: the place says it all
	Text    string // for AnswerCall: the answer; empty: what stands in the chat. For TrustServer: the hash of what was shown
	Offer   string // for Allow: which of the question's offers
	Insert  *Insert
	Stop    bool     // of Probe: end the one that goes on
	Places  []string // for LogIn: those that the title names
}

// Insert is a fix that the editor can do by itself.
type Insert struct {
	At   int
	Text string
}

// Actions lists what can be done for the range of a chat, the most harmless first. It approves nothing.
func (c *Chat) Actions(ctx context.Context, span transcript.Span) []Action {
	c.sync()
	view, running := c.view(), c.session.Running()
	here := c.callActions(ctx, view, span)
	waits := len(here) > 0 // for a person, here: then they get only what concerns it
	out := here
	switch {
	case c.handRuns():
		out = append(out, Action{Title: "Stop", Command: ext.Stop})
	case running:
		out = append(out, Action{Title: "Stop", Command: ext.Stop})
		if !waits && c.session.CanSteer(view.chat) {
			out = append(out, Action{Title: "Send after the current step", Command: ext.Send})
		}
	default:
		out = append(out, c.rowsActions(view, span)...)
		out = append(out, c.idleActions(view, span)...)
	}
	out = append(out, c.undoActions(view, span)...)
	if !running {
		out = append(out, c.turnActions(view, span)...)
	}
	for _, p := range view.chat.Problems {
		if p.Fix != "" && touches(p.Span, span) {
			out = append(out, Action{Title: p.FixName, Insert: &Insert{At: p.FixAt, Text: p.Fix}})
		}
	}
	if waits {
		return out
	}
	return append(out, c.chatActions(view, span, running)...)
}

// callActions are the answers to the questions that wait at a place, or else those of the calls that a person wrote
// there.
func (c *Chat) callActions(ctx context.Context, view view, span transcript.Span) (out []Action) {
	switch {
	case c.handRuns():
		return nil
	case !c.session.Running():
		return c.handActions(ctx, view, span)
	}
	for _, q := range c.session.Questions() {
		if q.Model != "" {
			out = append(out, modelActions(q)...) // it concerns all of the chat
		} else if q.Mention != "" {
			if asked, ok := view.lastAsked(); ok && touches(asked.Span, span) {
				out = append(out, mentionActions(q)...)
			}
		} else if view.nearAny(q.Calls(), span) {
			out = append(out, view.actionsOf(q)...)
		}
	}
	return out
}

// chatActions are those that can be done anywhere in a chat.
func (c *Chat) chatActions(view view, span transcript.Span, running bool) (out []Action) {
	if c.restorable() {
		out = append(out, Action{Title: "Restore reply", Command: ext.RestoreReply})
	}
	if !running {
		out = append(out, Action{Title: "Run a tool…", Command: ext.RunTool})
	}
	out = append(out, Action{Title: "New chat", Command: ext.NewChat})
	if !running {
		out = append(out, inspectActions(view, span)...)
		out = append(out, promptActions(view, span)...)
	}
	return append(out, c.probeActions()...)
}

// actionsOf are the answers to a question about calls, in a chat as it stands: what stands nowhere in it is not
// approved.
func (v view) actionsOf(q agent.Question) []Action {
	all := questionActions(q)
	if v.stands(q) {
		return all
	}
	return slices.DeleteFunc(all, func(a Action) bool { return a.Command != ext.ShowPreview && a.Command != ext.Deny })
}

// questionActions are the answers to a question about calls. The first row is always harmless.
func questionActions(q agent.Question) []Action {
	switch {
	case q.Effect.ByPerson():
		return answerActions(q)
	case q.From != "":
		return inquiryActions(q)
	}
	out := []Action{{Title: "Show what would happen", Command: ext.ShowPreview, ID: q.ID}}
	if q.Blocked == "" {
		out = append(out, Action{Title: approveTitle(q), Command: ext.Approve, ID: q.ID})
		for _, offer := range q.Offers {
			out = append(out, Action{Title: offer.Title, Command: ext.Allow, ID: q.ID, Offer: offer.ID})
		}
	}
	return append(out,
		Action{Title: "Deny", Command: ext.Deny, ID: q.ID},
		Action{Title: "Deny and say why", Command: ext.DenyWithReason, ID: q.ID})
}

// mentionActions are the answers to a question about what the message mentions: there is no model yet that would read a
// reason.
func mentionActions(q agent.Question) []Action {
	return slices.DeleteFunc(questionActions(q), func(a Action) bool { return a.Command == ext.DenyWithReason })
}

// inquiryActions are the answers to what somebody asks while a call runs, if the answer is yes or no.
func inquiryActions(q agent.Question) []Action {
	all := []Action{
		{Title: "Show what would happen", Command: ext.ShowPreview, ID: q.ID},
		{Title: q.Yes, Command: ext.Approve, ID: q.ID},
	}
	for _, other := range q.Offers {
		all = append(all, Action{Title: other.Title, Command: ext.Allow, ID: q.ID, Offer: other.ID})
	}
	return append(all, Action{Title: "Deny", Command: ext.Deny, ID: q.ID})
}

// answerActions are the answers to a call that asks the person something. The first row sends only what they wrote
// themselves; of what a server asks it sends nothing, because the server wrote what the form has at first.
func answerActions(q agent.Question) []Action {
	out := []Action{{Title: "Answer", Command: ext.AnswerCall, ID: q.ID}}
	if q.Blocked != "" {
		out = nil
	}
	for _, choice := range q.Choices {
		if q.Blocked == "" {
			out = append(out, Action{Title: "Answer: " + shorten(choice), Command: ext.AnswerCall, ID: q.ID, Text: choice})
		}
	}
	out = append(out, Action{Title: "Deny", Command: ext.Deny, ID: q.ID})
	if q.From != "" { // who asks gets no reason
		if form := formText(q); len(q.Choices) == 0 && q.Blocked == "" && fits(q, form) {
			out = slices.Insert(out, 1, Action{Title: asFilled, Command: ext.AnswerCall, ID: q.ID, Text: form})
		}
		return append([]Action{{Title: "Show the question", Command: ext.ShowPreview, ID: q.ID}}, out...)
	}
	return append(out, Action{Title: "Deny and say why", Command: ext.DenyWithReason, ID: q.ID})
}

// asFilled sends a form as the one who asks has filled it in.
const asFilled = "Send the form as it was filled in for you"

// formText is a form as it is made for the person; empty: the question has none.
func formText(q agent.Question) string {
	fields, err := arguments.FormFields(q.Form)
	if err != nil || len(q.Form) == 0 {
		return ""
	}
	return arguments.FormText(fields)
}

func fits(q agent.Question, form string) bool {
	_, err := arguments.ReadForm(q.Form, form)
	return form != "" && err == nil
}

// modelActions are the answers to the question about a model that runs elsewhere or is missing. The first row is
// harmless, too.
func modelActions(q agent.Question) []Action {
	yes := "Send this chat to "
	if q.Pull {
		yes = "Pull "
	}
	return []Action{
		{Title: "Show what would happen", Command: ext.ShowPreview, ID: q.ID},
		{Title: yes + target(q.AskedCall), Command: ext.Approve, ID: q.ID},
		{Title: "Deny", Command: ext.Deny, ID: q.ID},
	}
}

// idleActions are those of a chat in which nothing runs.
func (c *Chat) idleActions(view view, span transcript.Span) []Action {
	var out []Action
	for _, call := range c.openCalls(view) {
		if touches(call.Span, span) {
			out = append(out, Action{Title: resumeTitle(call), Command: ext.Resume})
			break
		}
	}
	last := view.chat.LastYou()
	at, ok := view.chat.TurnAt(span.Start)
	if len(out) == 0 && c.unanswered(view) && (!ok || at >= view.lastAnswer()) {
		out = append(out, Action{Title: "Resume: go on with this reply", Command: ext.Resume})
	}
	switch {
	case last < 0:
	case !view.chat.Turns[last].Empty() && (!ok || at >= last):
		out = append(out, Action{Title: "Send", Command: ext.Send})
	case ok && isAsked(view.chat, at):
		out = append(out,
			Action{Title: "Retry", Command: ext.Retry},
			Action{Title: "Branch from here", Command: ext.Branch})
		if !view.chat.Turns[last].Empty() {
			out = append(out, Action{Title: "Send", Command: ext.Send})
		}
	case !view.chat.Turns[last].Empty():
		out = append(out, Action{Title: "Send", Command: ext.Send})
	}
	return out
}

func resumeTitle(call agent.OpenCall) string {
	if call.Begun {
		return "Resume: ask again about this call, which was begun before"
	}
	return "Resume: run this call from the file"
}

// isAsked reports whether the turn at this index is an earlier question, answered or not, or the answer to one.
func isAsked(chat *transcript.Chat, at int) bool {
	return chat.Turns[at].Role == transcript.Assistant || (at+1 < len(chat.Turns) && !chat.Turns[at].Empty())
}

func (c *Chat) undoActions(view view, span transcript.Span) []Action {
	var out []Action
	for _, id := range c.session.Undoable() {
		call, found := view.call(id)
		result, answered := view.result(id)
		if (found && touches(call.Span, span)) || (answered && touches(result.Span, span)) {
			out = append(out, Action{Title: "Undo this edit", Command: ext.UndoEdit, ID: id})
		}
	}
	return out
}

func touches(a, b transcript.Span) bool { return a.Start <= b.End && b.Start <= a.End }

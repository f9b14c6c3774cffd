// Package features has what an editor can show of a chat: actions, completion, diagnostics, hover, links, outline and
// tokens. It knows byte offsets, and no wire types.
package features

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/opencalls"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/sql"
)

// Action is one thing that can be done at a place of a chat.
type Action struct {
	Title   string // empty: that of the command
	Command string
	ID      string // opaque id of a question, or for UndoEdit a call's own; empty: the place says it all
	// for AnswerCall: the answer; empty: what is in the chat. For TrustServer: the hash of what was shown
	Text   string
	Offer  string // for Allow: which of the question's offers
	Insert *Insert
	Stop   bool     // of Probe: end the one that goes on
	Places []string // for LogIn: those that the title names
}

// Insert is a fix that the editor can do by itself.
type Insert struct {
	At   int
	Text string
}

// Actions lists what can be done for the range of a chat, the most harmless first. It approves nothing.
func Actions(ctx context.Context, c *chats.Chat, span transcript.Span) []Action {
	c.Sync()
	view, running := c.View(), c.Session.Running()
	here := callActions(ctx, c, view, span)
	waits := len(here) > 0 // for a person, here: then they get only what concerns it
	out := here
	if running || c.HandRuns() {
		out = append(out, Action{Command: ext.Stop})
		if !waits && !c.HandRuns() && c.Session.CanSteer(view.Chat) {
			out = append(out, Action{Title: "Send after the current step", Command: ext.Send})
		}
	} else {
		out = slices.Concat(
			out, rowsActions(c, view, span), againActions(c, view, span), programActions(c, view, span),
			idleActions(c, view, span),
		)
	}
	out = slices.Concat(out, outputActions(c, view), backgroundActions(c, view, span), undoActions(c, view, span))
	if !running {
		out = append(out, turnActions(c, view, span)...)
	}
	for _, p := range view.Chat.Problems {
		if p.Fix != "" && parsed.Touches(p.Span, span) {
			out = append(out, Action{Title: p.FixName, Insert: &Insert{At: p.FixAt, Text: p.Fix}})
		}
	}
	if waits {
		return out
	}
	return append(out, chatActions(c, view, span, running)...)
}

// callActions are the answers to the questions that wait at a place, or else those of the calls that a person wrote
// there.
func callActions(ctx context.Context, c *chats.Chat, view parsed.View, span transcript.Span) (out []Action) {
	if !c.Session.Running() && !c.HandRuns() {
		return handActions(ctx, c, view, span)
	}
	for _, q := range chats.Questions(c) {
		switch asked, ok := view.LastAsked(); {
		case q.Model != "":
			out = append(out, modelActions(q)...) // it concerns all of the chat
		case q.Mention != "":
			if ok && parsed.Touches(asked.Span, span) {
				out = append(out, mentionActions(q)...)
			}
		case view.NearAny(q.Calls(), span):
			out = append(out, actionsOf(view, q)...)
		}
	}
	return out
}

// chatActions are those that can be done anywhere in a chat.
func chatActions(c *chats.Chat, view parsed.View, span transcript.Span, running bool) (out []Action) {
	if c.Restorable() {
		out = append(out, Action{Command: ext.RestoreReply})
	}
	if !running {
		out = append(out, Action{Command: ext.RunTool})
	}
	out = append(out, Action{Command: ext.NewChat})
	if !running {
		out = append(out, inspectActions(view, span)...)
		if atTop(view, span) {
			out = append(append(out, pinActions(c)...), promptActions()...)
		}
	}
	return append(out, probeActions(c)...)
}

// actionsOf are the answers to a question about calls, in a chat as it is: what is nowhere in it is not
// approved.
func actionsOf(v parsed.View, q event.Question) []Action {
	all := questionActions(q)
	if v.InChat(q) {
		return all
	}
	return slices.DeleteFunc(all, func(a Action) bool { return a.Command != ext.ShowPreview && a.Command != ext.Deny })
}

// questionActions are the answers to a question about calls. The first row is always harmless.
func questionActions(q event.Question) []Action {
	switch {
	case q.Effect.ByPerson():
		return answerActions(q)
	case q.From != "":
		return inquiryActions(q)
	}
	out := []Action{{Command: ext.ShowPreview, ID: q.ID}}
	if q.Blocked == "" {
		approve := about(q, parsed.ApproveTitle(q), ext.Approve)
		if q.Outside == "" { // else it comes last
			out = append(out, approve)
		}
		if q.CanTry() {
			out = append(out, about(q, parsed.TryTitle(q), ext.Try))
		}
		if q.CanGoOnline() {
			out = append(out, about(q, parsed.OnlineTitle(q), ext.RunOnline))
		}
		if q.Outside != "" {
			out = append(out, approve)
		}
		out = append(out, offerActions(q)...)
	}
	return append(out, denyActions(q)...)
}

// about is an action that answers a question, or shows what is asked, in words of its own.
func about(q event.Question, title, command string) Action {
	return Action{Title: title, Command: command, ID: q.ID}
}

// offerActions answer a question with its offers.
func offerActions(q event.Question) (out []Action) {
	for _, offer := range q.Offers {
		out = append(out, Action{Title: offer.Title, Command: ext.Allow, ID: q.ID, Offer: offer.ID})
	}
	return out
}

// denyActions say no to a call.
func denyActions(q event.Question) []Action {
	return []Action{{Command: ext.Deny, ID: q.ID}, {Command: ext.DenyWithReason, ID: q.ID}}
}

// mentionActions are the answers to a question about what the message mentions: there is no model yet that would read a
// reason.
func mentionActions(q event.Question) []Action {
	return slices.DeleteFunc(questionActions(q), func(a Action) bool { return a.Command == ext.DenyWithReason })
}

// inquiryActions are the answers to what somebody asks while a call runs, if the answer is yes or no.
func inquiryActions(q event.Question) []Action {
	all := []Action{{Command: ext.ShowPreview, ID: q.ID}, about(q, q.Yes, ext.Approve)}
	return slices.Concat(all, offerActions(q), noActions(q))
}

// noActions say no to what somebody asks while a call runs.
func noActions(q event.Question) []Action {
	no := cmp.Or(q.No, "Deny")
	out := []Action{about(q, no, ext.Deny)}
	if q.Why {
		out = append(out, about(q, no+" and say why", ext.DenyWithReason))
	}
	return out
}

// answerActions are the answers to a call that asks the person something. The first row sends only what they wrote
// themselves; of what a server asks it sends nothing, because the server wrote what the form has at first.
func answerActions(q event.Question) []Action {
	var out []Action
	answer := func(title, text string) {
		out = append(out, Action{Title: title, Command: ext.AnswerCall, ID: q.ID, Text: text})
	}
	if q.From != "" {
		out = append(out, about(q, "Show the question", ext.ShowPreview))
	}
	if q.Blocked == "" {
		answer("Answer", "")
		if form := parsed.FormText(q); q.From != "" && len(q.Choices) == 0 && parsed.Fits(q, form) {
			answer(parsed.AsFilled, form)
		}
		for _, choice := range q.Choices {
			answer("Answer: "+parsed.Shorten(choice), choice)
		}
	}
	if q.From != "" {
		return append(out, noActions(q)...)
	}
	return append(out, denyActions(q)...)
}

// modelActions are the answers to the question about a model that runs elsewhere or is missing. The first row is
// harmless, too.
func modelActions(q event.Question) []Action {
	yes := "Send this chat to "
	if q.Pull {
		yes = "Pull "
	}
	return []Action{
		{Command: ext.ShowPreview, ID: q.ID},
		about(q, yes+parsed.Target(q.AskedCall), ext.Approve),
		{Command: ext.Deny, ID: q.ID},
	}
}

// idleActions are those of a chat in which nothing runs.
func idleActions(c *chats.Chat, view parsed.View, span transcript.Span) []Action {
	var out []Action
	for _, call := range openCalls(c, view) {
		if parsed.Touches(call.Span, span) {
			out = append(out, Action{Title: resumeTitle(call), Command: ext.Resume})
			break
		}
	}
	last := view.Chat.LastYou()
	at, ok := view.Chat.TurnAt(span.Start)
	if len(out) == 0 && unanswered(c, view) && (!ok || at >= view.LastAnswer()) {
		out = append(out, Action{Title: "Resume: go on with this reply", Command: ext.Resume})
	}
	if last < 0 {
		return out
	}
	sends := !view.Chat.Turns[last].Empty()
	if ok && isAsked(view.Chat, at) && (!sends || at < last) {
		out = append(out, Action{Command: ext.Retry}, Action{Command: ext.Branch})
	}
	if sends {
		out = append(out, Action{Command: ext.Send})
	}
	return out
}

func resumeTitle(call opencalls.Call) string {
	if call.Begun {
		return "Resume: ask again about this call, which was begun before"
	}
	return "Resume: run this call from the file"
}

// isAsked reports whether the turn at this index is an earlier question, answered or not, or the answer to one.
func isAsked(chat *transcript.Chat, at int) bool {
	return chat.Turns[at].Role == transcript.Assistant || (at+1 < len(chat.Turns) && !chat.Turns[at].Empty())
}

// outputActions show what calls print while they run. They are offered wherever the cursor is in the chat: it is seldom
// on the call.
func outputActions(c *chats.Chat, view parsed.View) (out []Action) {
	calls := c.Output().Printing()
	for _, id := range calls {
		call, found := view.Call(id)
		if !found {
			continue
		}
		show := Action{Command: ext.ShowOutput, ID: id}
		if len(calls) > 1 {
			show.Title = "Show output of " + call.Tool + " " + id
		}
		out = append(out, show)
	}
	return out
}

func undoActions(c *chats.Chat, view parsed.View, span transcript.Span) []Action {
	var out []Action
	for _, id := range c.Session.Undoable() {
		call, found := view.Call(id)
		result, answered := view.Result(id)
		if (found && parsed.Touches(call.Span, span)) || (answered && parsed.Touches(result.Span, span)) {
			out = append(out, Action{Command: ext.UndoEdit, ID: id})
		}
	}
	return out
}

// againActions run the calls at a place again that failed or were stopped.
func againActions(c *chats.Chat, view parsed.View, span transcript.Span) (out []Action) {
	at, ok := view.Chat.TurnAt(span.Start)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for _, block := range view.Chat.Turns[at].Blocks {
		id := ""
		switch b := block.(type) {
		case transcript.Call:
			id = b.ID
		case transcript.Result:
			id = b.ID
		}
		if id == "" || seen[id] || !parsed.Touches(block.Range(), span) {
			continue
		}
		seen[id] = true
		if call, failed := chats.Failed(view, id); failed && !asksPerson(c, call.Tool) {
			out = append(out, Action{Command: ext.RunAgain, ID: id})
		}
	}
	return out
}

// programActions run the program at a place.
func programActions(c *chats.Chat, view parsed.View, span transcript.Span) []Action {
	if _, ok := view.ProgramAt(span); !ok || !chats.RunsPython(c) {
		return nil
	}
	return []Action{{Command: ext.RunBlock}}
}

// asksPerson reports whether calls of a tool do nothing but ask the person.
func asksPerson(c *chats.Chat, tool string) bool {
	return slices.ContainsFunc(
		c.Session.Tools(), func(s tools.Spec) bool { return s.Name == tool && s.Effect.ByPerson() },
	)
}

// inspectActions show what is sent: the system prompt above the chat and on the headings, where a hover names its
// layers.
func inspectActions(view parsed.View, span transcript.Span) []Action {
	out := []Action{{Command: ext.ShowRequest}}
	at, ok := view.Chat.TurnAt(span.Start)
	if !ok || parsed.Touches(view.Chat.Turns[at].Heading, span) {
		out = append(
			out, Action{Command: ext.ShowSystemPrompt},
			Action{Title: systemTitle(view), Command: ext.SystemMessage},
			Action{Command: ext.ShowSettings}, Action{Command: ext.ShowTools},
		)
	}
	return out
}

// systemTitle is the title of what shows the system message in a chat, or takes it out; empty: that of the command.
func systemTitle(view parsed.View) string {
	if _, shown := chats.SystemMessage(view); shown {
		return "Take the system message out of the chat"
	}
	return ""
}

// turnActions are those of the turns that changed files: at the reply, at its question, and at the empty turn below the
// last reply.
func turnActions(c *chats.Chat, view parsed.View, span transcript.Span) []Action {
	at, ok := view.Chat.TurnAt(span.Start)
	if !ok {
		return nil
	}
	var out []Action
	for _, turn := range c.ChangedTurns(view) {
		last := at == turn.At+1 && at == len(view.Chat.Turns)-1 && view.Chat.Turns[at].Empty()
		if at != turn.At && at != turn.At-1 && !last {
			continue
		}
		change := Action{Title: "Undo turn" + files(turn), Command: ext.UndoTurn, ID: turn.ID}
		if turn.Undone {
			change.Title, change.Command = "Redo turn"+files(turn), ext.RedoTurn
		}
		out = append(out, Action{Command: ext.ReviewTurn, ID: turn.ID}, change)
	}
	return out
}

// files names what a turn changed, for titles.
func files(turn session.Changed) string {
	if len(turn.Paths) == 1 {
		return ": " + parsed.Shorten(parsed.OneLine(filepath.Base(turn.Paths[0])))
	}
	return fmt.Sprintf(": %d files", len(turn.Paths))
}

// probeActions are the last of a chat's actions: they concern its model and not what is in it.
func probeActions(c *chats.Chat) []Action {
	name, probing := c.Chats.Probed()
	switch {
	case name != "":
		return []Action{{
			Title: "Stop finding out how " + parsed.Shorten(visible.Line(name)) + " calls tools", Command: ext.Probe,
			Stop: true,
		}}
	case probing || c.Session.Running():
		return nil
	}
	return []Action{{Command: ext.Probe}}
}

// rowsActions open all rows of which the result at a place has some. To list them asks no database: the command does.
func rowsActions(c *chats.Chat, view parsed.View, span transcript.Span) []Action {
	at, ok := view.Chat.TurnAt(span.Start)
	if !ok {
		return nil
	}
	for result := range parsed.Blocks[transcript.Result](view.Chat.Turns[at]) {
		if result.Status != transcript.OK || !parsed.Touches(result.Span, span) {
			continue
		}
		if call, ok := view.Call(result.ID); ok && call.Tool == sql.Select {
			return append(askedRows(c, result.ID), Action{Command: ext.OpenRows, ID: result.ID})
		}
	}
	return nil
}

// askedRows are the answers to the question that Open all rows led to.
func askedRows(c *chats.Chat, call string) []Action {
	q, asks := c.RowsQuestion(call)
	if !asks {
		return nil
	}
	out := questionActions(q)
	return out[:len(out)-2] // whoever asked need not deny it
}

// atTop reports whether a place is at the top of a chat, above its first words.
func atTop(view parsed.View, span transcript.Span) bool {
	return len(view.Chat.Turns) == 0 || span.Start <= view.Chat.Turns[0].Heading.End
}

// pinActions pin a chat that has a file, or take its pin away.
func pinActions(c *chats.Chat) []Action {
	switch on, can := c.Chats.Pinned(c.Path()); {
	case !can:
		return nil
	case on:
		return []Action{{Command: ext.UnpinChat}}
	}
	return []Action{{Command: ext.PinChat}}
}

func promptActions() []Action {
	return []Action{
		{Command: ext.EditWorkspacePrompt},
		{Command: ext.EditModelPrompt},
		{Command: ext.EditPrompt},
		{Command: ext.ResetPrompt},
	}
}

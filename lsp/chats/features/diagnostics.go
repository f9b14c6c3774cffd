package features

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/opencalls"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/parsed"
)

// Diagnostic is something in a chat that the user should look at.
type Diagnostic struct {
	Span    transcript.Span
	Warn    bool // a warning; else information
	Hint    bool // less than information
	Message string
}

// Diagnostics lists what waits in this chat, what was not run, and what a person should fix.
func Diagnostics(ctx context.Context, c *chats.Chat) []Diagnostic {
	view := c.View()
	var out []Diagnostic
	for _, q := range chats.Questions(c) {
		if q.Model != "" {
			out = append(out, Diagnostic{Span: view.LastRequest(), Message: "Waits for your answer: " + asksAbout(q)})
		}
		if q.Mention != "" {
			out = append(out, Diagnostic{Span: view.MentionSpan(q.Mention), Message: waiting(q.AskedCall)})
		}
		for _, asked := range q.Calls() {
			if call, ok := view.CallSpan(asked.CallID); ok {
				out = append(out, Diagnostic{Span: view.FirstLine(call), Message: waiting(asked)})
			}
		}
	}
	if !c.Session.Running() && c.Idle() {
		for _, call := range openCalls(c, view) {
			out = append(out, Diagnostic{Span: view.FirstLine(call.Span), Message: notEnded(call)})
		}
		if unanswered(c, view) {
			out = append(
				out,
				Diagnostic{
					Span:    view.Chat.Turns[view.LastAnswer()].Heading,
					Message: "The model has not answered the last results. The code action Resume goes on.",
				},
			)
		}
		for _, p := range view.Chat.Problems {
			out = append(out, Diagnostic{Span: p.Span, Warn: !p.Hint, Message: p.Message})
		}
		out = append(out, readAgain(c, view)...)
		for _, f := range compose.Check(view.Chat) {
			out = append(out, Diagnostic{Span: view.FirstLine(f.Span), Warn: f.Warn, Message: f.Message})
		}
		out = slices.Concat(
			out, presetDiagnostics(c, view), mentionDiagnostics(ctx, c, view), notAttached(view),
			commandDiagnostics(ctx, c, view),
		)
	}
	out = slices.Concat(out, cuts(view), backgroundDiagnostics(c, view))
	if last := view.Chat.LastYou(); last >= 0 {
		if said := engine.ModeOf(view.Chat, engine.Options{Mode: c.Chats.Mode}).Explain(); said != "" {
			out = append(out, Diagnostic{Span: view.Chat.Turns[last].Heading, Message: said})
		}
	}
	if c.Incomplete() {
		out = append(
			out,
			Diagnostic{
				Message: "Part of a reply did not reach this file. The code action Restore reply puts it back.",
			},
		)
	}
	return out
}

// cuts says where a reply was written without a part of the chat, until the block that says so is deleted.
func cuts(v parsed.View) (out []Diagnostic) {
	for _, turn := range v.Chat.Turns {
		for b := range parsed.Blocks[transcript.Context](turn) {
			if b.NotSent && b.Name == agent.CutBlock {
				out = append(
					out,
					Diagnostic{
						Span: v.FirstLine(b.Span), Warn: true,
						Message: parsed.OneLine(strings.ReplaceAll(b.Text, "\n", " ")),
					},
				)
			}
		}
	}
	return out
}

// readAgain marks the first turn that was changed after this process sent it.
func readAgain(c *chats.Chat, view parsed.View) []Diagnostic {
	if c.CurrentReply() == nil {
		return nil // nothing was sent by it
	}
	turn, ok := c.Session.ReadAgain(view.Chat)
	if !ok {
		return nil
	}
	return []Diagnostic{{
		Span: view.Chat.Turns[turn].Heading, Hint: true,
		Message: "From here the prompt is read again: this was changed after it was sent.",
	}}
}

// openCalls lists the calls that Resume would take up.
func openCalls(c *chats.Chat, view parsed.View) []opencalls.Call {
	return opencalls.Of(view.Chat, c.Chats.State.BegunCalls(c.Path()))
}

// unanswered reports whether Resume would go on with results that the model has not answered: no call is open.
func unanswered(c *chats.Chat, view parsed.View) bool {
	return len(openCalls(c, view)) == 0 && opencalls.EndsWithResults(view.Chat)
}

// notEnded says why a call that is not running has no result.
func notEnded(call opencalls.Call) string {
	if call.Begun {
		return fmt.Sprintf(
			"Stopped: %s was begun and may have had effects. The code action Resume asks about it again.", call.Tool,
		)
	}
	return fmt.Sprintf("Not run: %s. The code action Resume asks about it again.", call.Tool)
}

// waiting says that a call waits for an answer, and why it cannot be approved if it cannot.
func waiting(q event.AskedCall) string {
	message := "Waits for your answer: " + parsed.Does(q)
	if q.Effect.ByPerson() || q.Verb == "" {
		message = "Waits for your answer: " + parsed.OneLine(q.Target)
	}
	if q.Begun != "" {
		message += ". " + q.Begun
	}
	if q.Outside != "" {
		message += ". " + strings.TrimSuffix(q.Outside, ".") + ". It would run again, outside the sandbox"
	}
	switch {
	case q.Blocked != "":
		message += ". It cannot run as it is: " + parsed.OneLine(q.Blocked)
	case q.Waits != "":
		message += ". " + parsed.OneLine(q.Waits)
	case q.Protected != "":
		message += ". " + parsed.OneLine(q.Protected)
	}
	if q.Notice != "" {
		message = strings.TrimSuffix(message, ".") + ". " + parsed.OneLine(q.Notice)
	}
	return message
}

// asksAbout is the question about a model.
func asksAbout(q event.Question) string {
	if q.Pull {
		return q.Model + " is not installed; may the model server fetch " + parsed.Target(q.AskedCall) + "?"
	}
	return strings.TrimSpace("may this chat be sent to " + parsed.Target(q.AskedCall) + "? " + parsed.OneLine(q.Notice))
}

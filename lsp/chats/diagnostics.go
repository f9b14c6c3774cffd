package chats

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools/policy"
)

// Diagnostic is something in a chat that the user should look at.
type Diagnostic struct {
	Span    transcript.Span
	Warn    bool // a warning; else information
	Hint    bool // less than information
	Message string
}

// Diagnostics lists what waits in this chat, what was not run, and what a person should fix.
func (c *Chat) Diagnostics(ctx context.Context) []Diagnostic {
	view := c.view()
	var out []Diagnostic
	if c.session.Running() {
		for _, q := range c.session.Questions() {
			if q.Model != "" {
				out = append(out, Diagnostic{Span: view.lastRequest(), Message: "Waits for your answer: " + asksAbout(q)})
			}
			if q.Mention != "" {
				out = append(out, Diagnostic{Span: view.mentionSpan(q.Mention), Message: waiting(q.AskedCall)})
			}
			for _, asked := range q.Calls() {
				if call, ok := view.call(asked.CallID); ok {
					out = append(out, Diagnostic{Span: view.firstLine(call.Span), Message: waiting(asked)})
				}
			}
		}
	} else if c.idle() {
		for _, call := range c.openCalls(view) {
			out = append(out, Diagnostic{Span: view.firstLine(call.Span), Message: notEnded(call)})
		}
		if c.unanswered(view) {
			out = append(out, Diagnostic{Span: view.chat.Turns[view.lastAnswer()].Heading, Message: "The model has not answered the last results. The code action Resume goes on."})
		}
		for _, p := range view.chat.Problems {
			out = append(out, Diagnostic{Span: p.Span, Warn: !p.Hint, Message: p.Message})
		}
		out = append(out, c.readAgain(view)...)
		for _, f := range compose.Check(view.chat) {
			out = append(out, Diagnostic{Span: view.firstLine(f.Span), Warn: f.Warn, Message: f.Message})
		}
		out = append(out, c.presetDiagnostics(view)...)
		out = append(append(out, c.mentionDiagnostics(ctx, view)...), view.notAttached()...)
		out = append(out, c.commandDiagnostics(ctx, view)...)
	}
	out = append(out, view.cuts()...)
	if last := view.chat.LastYou(); last >= 0 {
		if said := c.mode(view).Explain(); said != "" {
			out = append(out, Diagnostic{Span: view.chat.Turns[last].Heading, Message: said})
		}
	}
	if c.incomplete() {
		out = append(out, Diagnostic{Span: transcript.Span{}, Message: "Part of a reply did not reach this file. The code action Restore reply puts it back."})
	}
	return out
}

// cuts says where a reply was written without a part of the chat, until the block that says so is deleted.
func (v view) cuts() (out []Diagnostic) {
	for _, turn := range v.chat.Turns {
		for _, block := range turn.Blocks {
			if b, ok := block.(transcript.Context); ok && b.NotSent && b.Name == agent.CutBlock {
				out = append(out, Diagnostic{Span: v.firstLine(b.Span), Warn: true, Message: oneLine(strings.ReplaceAll(b.Text, "\n", " "))})
			}
		}
	}
	return out
}

// readAgain marks the first turn that was changed after this process sent it.
func (c *Chat) readAgain(view view) []Diagnostic {
	if c.currentReply() == nil {
		return nil // nothing was sent by it
	}
	turn, ok := c.session.ReadAgain(view.chat)
	if !ok {
		return nil
	}
	return []Diagnostic{{Span: view.chat.Turns[turn].Heading, Hint: true, Message: "From here the prompt is read again: this was changed after it was sent."}}
}

// mode is the one in which the calls of this chat run.
func (c *Chat) mode(view view) policy.Mode {
	return agent.ModeOf(view.chat, agent.Options{Mode: c.chats.Mode})
}

// openCalls lists the calls that Resume would take up.
func (c *Chat) openCalls(view view) []agent.OpenCall {
	return agent.OpenCalls(view.chat, c.chats.State.BegunCalls(c.path))
}

// unanswered reports whether Resume would go on with results that the model has not answered: no call is open.
func (c *Chat) unanswered(view view) bool {
	return len(c.openCalls(view)) == 0 && agent.EndsWithResults(view.chat)
}

// notEnded says why a call that is not running has no result.
func notEnded(call agent.OpenCall) string {
	if call.Begun {
		return fmt.Sprintf("Stopped: %s was begun and may have had effects. The code action Resume asks about it again.", call.Tool)
	}
	return fmt.Sprintf("Not run: %s. The code action Resume asks about it again.", call.Tool)
}

// waiting says that a call waits for an answer, and why it cannot be approved if it cannot.
func waiting(q agent.AskedCall) string {
	message := "Waits for your answer: " + does(q)
	if q.Effect.ByPerson() || q.Verb == "" {
		message = "Waits for your answer: " + oneLine(q.Target)
	}
	if q.Begun != "" {
		message += ". " + q.Begun
	}
	if q.Outside != "" {
		message += ". " + strings.TrimSuffix(q.Outside, ".") + ". It would run again, outside the sandbox"
	}
	switch {
	case q.Blocked != "":
		message += ". It cannot run as it stands: " + oneLine(q.Blocked)
	case q.Waits != "":
		message += ". " + oneLine(q.Waits)
	case q.Protected != "":
		message += ". " + oneLine(q.Protected)
	}
	if q.Notice != "" {
		message = strings.TrimSuffix(message, ".") + ". " + oneLine(q.Notice)
	}
	return message
}

// lastRequest is the heading of the last turn of the user that is not empty.
func (v view) lastRequest() transcript.Span {
	turn, _ := v.lastAsked()
	return turn.Heading
}

// firstLine narrows a block to its first line, where its actions are.
func (v view) firstLine(span transcript.Span) transcript.Span {
	if i := strings.IndexAny(v.slice(span.Start, span.End), "\r\n"); i >= 0 {
		span.End = span.Start + i
	}
	return span
}

// asksAbout is the question about a model.
func asksAbout(q agent.Question) string {
	if q.Pull {
		return q.Model + " is not installed; may the model server fetch " + target(q.AskedCall) + "?"
	}
	return "may this chat be sent to " + target(q.AskedCall) + "?"
}

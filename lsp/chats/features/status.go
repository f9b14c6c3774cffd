package features

import (
	"context"
	"strings"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/lsp/ext"
)

// Status is how an open chat is.
type Status struct {
	URI, Path string
	Title     string
	State     string // one of package ext
	Stage     string // of a run, in words
	Model     string // of the last run
	Runs      int    // that were begun
	Ended     string // how the last run ended, if not well: a sentence
	Usage     event.Usage
}

// Waiting is a question of a chat with all that may be answered.
type Waiting struct {
	ID      string
	URI     string
	Span    transcript.Span // the line where the code actions are
	Title   string
	Tool    string
	Target  string
	Blocked string
	// Inquires says that a call that runs asks: its offers are its answers, and nothing is allowed for longer by them
	Inquires bool

	Stands  bool // in the chat; else no action approves it, since nobody can see there what they would approve
	Actions []Action
}

// Statuses says how each open chat is, and what waits in them. It changes nothing.
func Statuses(_ context.Context, cs *chats.Chats) (list []Status, waiting []Waiting) {
	for _, c := range cs.All() {
		questions := waitingIn(c)
		list = append(list, status(c, len(questions) > 0))
		waiting = append(waiting, questions...)
	}
	return list, waiting
}

func status(c *chats.Chat, asks bool) Status {
	title := c.View().Chat.Title()
	running := !c.Idle() // until the reply is in the document
	now := c.Progress()
	s := Status{
		URI: c.URI(), Path: c.Path(), Title: parsed.OneLine(title), State: ext.Idle, Model: now.Model, Runs: now.Runs,
		Ended: now.Ended, Usage: now.Usage,
	}
	switch {
	case asks:
		s.State, s.Stage = ext.Waits, now.Stage.Text
	case running && now.Stage.Stage == event.Writing:
		s.State, s.Stage = ext.Writing, now.Stage.Text
	case running || now.ByHand:
		s.State, s.Stage = ext.Working, now.Stage.Text
	}
	return s
}

// waitingIn lists the questions of a chat, as its diagnostics and its menus show them. One whose call is still on its
// way into the document is not there yet: it could only be denied.
func waitingIn(c *chats.Chat) (list []Waiting) {
	questions := chats.Questions(c)
	if len(questions) == 0 {
		return nil
	}
	view := c.View()
	for _, q := range questions {
		w := Waiting{
			ID: q.ID, URI: c.URI(), Stands: view.InChat(q), Tool: q.Tool, Target: parsed.OneLine(q.Target),
			Blocked: parsed.OneLine(q.Blocked), Inquires: q.From != "",
		}
		switch {
		case q.Model != "":
			w.Span, w.Title, w.Actions = view.LastRequest(), "Waits for your answer: "+asksAbout(q), modelActions(q)
		case q.Mention != "":
			w.Span, w.Title, w.Actions = view.MentionSpan(q.Mention), waiting(q.AskedCall), mentionActions(q)
		default:
			w.Span, w.Title, w.Actions = view.LastRequest(), waiting(q.AskedCall), actionsOf(view, q)
			if call, ok := view.CallSpan(q.CallID); ok {
				w.Span = view.FirstLine(call)
			}
		}
		if !c.SeenInChat(q.CallID, w.Stands) && c.Unwritten() {
			continue
		}
		w.Title = strings.ReplaceAll(w.Title, "\n", " ")
		list = append(list, w)
	}
	return list
}

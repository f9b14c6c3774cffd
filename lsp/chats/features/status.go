package features

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/lsp/ext"
)

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

// Status says how an open chat is, in which questions wait or do not. It does not know of its commands.
func Status(c *chats.Chat, asks bool) ext.ChatState {
	title := cmp.Or(parsed.OneLine(c.View().Chat.Title()), filepath.Base(c.Path()))
	running := !c.Idle() // until the reply is in the document
	now := c.Progress()
	s := ext.ChatState{
		URI: c.URI(), Title: visible.Line(title), Stage: visible.Line(now.Stage.Text), Model: visible.Line(now.Model),
		Used: now.Usage.Prompt + now.Usage.Output, Size: now.Usage.Context, Runs: now.Runs,
		Ended: visible.Line(now.Ended),
	}
	switch {
	case asks:
		s.State = ext.Waits
	case running && now.Stage.Stage == event.Writing:
		s.State = ext.Writing
	case running || now.ByHand:
		s.State = ext.Working
	default:
		s.State, s.Stage = ext.Idle, ""
	}
	return s
}

// WaitingIn lists the questions of a chat, as its diagnostics and its menus show them. One whose call is still on its
// way into the document is not there yet: it could only be denied.
func WaitingIn(c *chats.Chat) (list []Waiting) {
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

package chats

import (
	"context"
	"strings"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/transcript"
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
	Usage     agent.Usage
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
	Stands  bool // in the chat; else no action approves it, since nobody can see there what they would approve
	Actions []Action
}

// Status says how each open chat is, and what waits in them. It changes nothing.
func (cs *Chats) Status(context.Context) (list []Status, waiting []Waiting) {
	for _, c := range cs.all() {
		questions := c.waiting()
		list = append(list, c.status(len(questions) > 0))
		waiting = append(waiting, questions...)
	}
	return list, waiting
}

func (c *Chat) status(asks bool) Status {
	title := c.view().chat.Title()
	running := !c.idle() // until the reply stands in the document
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Status{URI: c.uri, Path: c.path, Title: oneLine(title), State: ext.Idle, Model: c.model, Runs: c.runs, Ended: c.ended, Usage: c.usage}
	switch {
	case asks:
		s.State, s.Stage = ext.Waits, c.stage.text
	case running && c.stage.stage == agent.Writing:
		s.State, s.Stage = ext.Writing, c.stage.text
	case running || c.stopHand != nil:
		s.State, s.Stage = ext.Working, c.stage.text
	}
	return s
}

// stage is how far a run is.
type stage struct {
	stage agent.Stage
	text  string
}

// notWell keeps how a run ended that did not end well.
func (c *Chat) notWell(sentence string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = sentence
}

// began keeps what is known of a run that begins.
func (c *Chat) began(model string) {
	c.mu.Lock()
	c.model, c.stage = model, stage{}
	c.mu.Unlock()
	c.chats.Host.StateChanged()
}

// reached keeps how far a run is.
func (c *Chat) reached(s agent.Stage, text string) {
	c.mu.Lock()
	same := c.stage == stage{s, text}
	c.stage = stage{s, text}
	c.mu.Unlock()
	if !same {
		c.chats.Host.StateChanged()
	}
}

// stood reports whether a call that waits stands in the chat, or did when this was asked before.
func (c *Chat) stood(call string, stands bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if stands {
		c.seen[call] = true
	}
	return c.seen[call]
}

// waiting lists the questions of a chat, as its diagnostics and its menus show them. One whose call is still on its way
// into the document is not there yet: it could only be denied.
func (c *Chat) waiting() (list []Waiting) {
	if !c.session.Running() {
		return nil
	}
	view := c.view()
	for _, q := range c.session.Questions() {
		w := Waiting{ID: q.ID, URI: c.uri, Stands: view.stands(q), Tool: q.Tool, Target: oneLine(q.Target), Blocked: oneLine(q.Blocked)}
		switch {
		case q.Model != "":
			w.Span, w.Title, w.Actions = view.lastRequest(), "Waits for your answer: "+asksAbout(q), modelActions(q)
		case q.Mention != "":
			w.Span, w.Title, w.Actions = view.mentionSpan(q.Mention), waiting(q.AskedCall), mentionActions(q)
		default:
			w.Span, w.Title, w.Actions = view.lastRequest(), waiting(q.AskedCall), view.actionsOf(q)
			if call, ok := view.call(q.CallID); ok {
				w.Span = view.firstLine(call.Span)
			}
		}
		if !c.stood(q.CallID, w.Stands) && c.currentReply().unwritten() {
			continue
		}
		w.Title = strings.ReplaceAll(w.Title, "\n", " ")
		list = append(list, w)
	}
	return list
}

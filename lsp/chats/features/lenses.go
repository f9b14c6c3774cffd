package features

import (
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/lsp/ext"
)

// Lens is an action that an editor shows above a line.
type Lens struct {
	Span   transcript.Span // in one line
	Action Action
}

// Lenses are those of the chat as it is. Above a call that waits the first shows it; those that answer carry the
// same id as in the menu. Send and Retry are above the last two questions. Stop is never where they are: a click
// that comes a moment late must not begin a run.
func Lenses(c *chats.Chat) (list []Lens) {
	for _, w := range WaitingIn(c) {
		if !w.Stands {
			continue
		}
		for _, a := range w.Actions {
			answers := a.Command == ext.AnswerCall && a.Text == "" || w.Inquires && a.Command == ext.Allow
			if answers || slices.Contains([]string{ext.ShowPreview, ext.Approve, ext.Deny}, a.Command) {
				list = append(list, Lens{w.Span, a})
			}
		}
	}
	view := c.View()
	last, asked := view.Chat.LastYou(), -1
	for i, turn := range view.Chat.Turns[:max(0, last)] {
		if turn.Role == transcript.You && !turn.Empty() {
			asked = i
		}
	}
	if running := c.Session.Running(); running || c.HandRuns() {
		if at, ok := stopLine(view, asked, running); ok {
			list = append(list, Lens{at, Action{Command: ext.Stop}})
		}
		return list
	}
	retry := Action{Command: ext.Retry}
	newest := Action{Command: ext.Send}
	if last == view.LastAnswer()-1 { // it is answered, and no turn follows
		newest = retry
	}
	if asked >= 0 {
		list = append(list, Lens{view.FirstLine(view.Chat.Turns[asked].Heading), retry})
	}
	if last >= 0 {
		list = append(list, Lens{view.FirstLine(view.Chat.Turns[last].Heading), newest})
	}
	return list
}

// stopLine is the line above which Stop is: the heading of the reply that is written; before it is there, and while
// a written call runs, the last line of the question.
func stopLine(v parsed.View, asked int, running bool) (line transcript.Span, ok bool) {
	if answer := v.LastAnswer(); running && answer > asked {
		return v.FirstLine(v.Chat.Turns[answer].Heading), true
	}
	if asked < 0 || !running {
		asked = v.Chat.LastYou()
	}
	if asked < 0 || v.Chat.Turns[asked].Empty() {
		return line, false
	}
	span := v.Chat.Turns[asked].Span
	return v.LineAt(span.Start + len(strings.TrimRight(v.Slice(span.Start, span.End), " \t\r\n"))), true
}

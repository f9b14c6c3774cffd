package chats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/ext"
)

const (
	maxLive   = 64 << 10               // bytes of a running call's output that are kept to be shown
	maxHover  = 4 << 10                // bytes of them that a hover and a preview show
	livePause = 500 * time.Millisecond // between two writes of a preview that shows output
)

// liveCall is what a running call has shown so far.
type liveCall struct {
	tail    string    // the end of its output
	omitted int       // bytes of output in front of tail
	state   string    // how far it is
	preview preview   // of its question, if that was shown
	written time.Time // when the preview showed output last
	title   string    // of its output, if that was shown by itself; else empty
	over    bool      // it has ended, and its output was shown by itself
}

// end is the end of what it has shown, as people see it; empty: nothing.
func (l liveCall) end(bytes int) string {
	text := visible.Tail(l.tail, bytes)
	if omitted := l.omitted + len(l.tail) - len(text); omitted > 0 {
		text = fmt.Sprintf("[%d bytes in front are not shown]\n%s", omitted, text)
	}
	if l.state != "" {
		text = strings.TrimSuffix(text, "\n") + "\n" + l.state
	}
	return strings.Trim(text, "\n")
}

// output takes what a running call shows, and returns one line about it. A preview of the call shows it, too.
func (h *shownCalls) output(e event.CallOutput) (line string) {
	h.mu.Lock()
	l := h.live[e.ID]
	l.tail += e.Text
	tail := visible.Tail(l.tail, maxLive)
	l.tail, l.omitted = tail, l.omitted+len(l.tail)-len(tail)+e.Omitted
	l.state = stateOf(e)
	show := l.preview.name != "" && time.Since(l.written) >= livePause
	if show {
		l.written = time.Now()
	}
	h.live[e.ID] = l
	h.mu.Unlock()
	if l.title != "" {
		h.chat.Chats.Host.UpdateOutput(h.outputOf(e.ID, l))
	}
	if show {
		h.chat.Chats.Host.UpdateText(
			l.preview.name,
			"This call runs now. The end of its output so far:\n\n"+l.end(maxHover)+"\n\n"+l.preview.text,
		)
	}
	if e.Text == "" {
		return l.state
	}
	text := strings.TrimRight(l.tail, "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// stateOf words how far a call is.
func stateOf(e event.CallOutput) string {
	if e.Total > 0 {
		return strings.TrimSuffix(fmt.Sprintf("%g of %g: %s", e.Done, e.Total, e.Note), ": ")
	}
	return e.Note
}

// ended forgets what a call showed: its result is in the document.
func (h *shownCalls) ended(call string) {
	h.mu.Lock()
	l := h.live[call]
	if l.over = l.title != ""; l.over {
		h.live[call] = l // whoever shows it at this moment shows its end
	} else {
		delete(h.live, call)
	}
	h.mu.Unlock()
	if l.over {
		h.chat.Chats.Host.UpdateOutput(h.outputOf(call, l))
	}
	if !l.written.IsZero() {
		h.chat.Chats.Host.UpdateText(l.preview.name, closedNotice+l.preview.text)
	}
}

// Output is what the running calls of a chat have printed.
type Output struct{ shown *shownCalls }

// Output is what the running calls have printed.
func (c *Chat) Output() Output { return Output{&c.shown} }

// End is the end of what a running call has printed; empty: nothing, or it does not run.
func (o Output) End(call string) string {
	o.shown.mu.Lock()
	defer o.shown.mu.Unlock()
	if l := o.shown.live[call]; !l.over {
		return l.end(maxHover)
	}
	return ""
}

// Printing are the IDs of the running calls that have printed something, sorted.
func (o Output) Printing() (ids []string) {
	o.shown.mu.Lock()
	defer o.shown.mu.Unlock()
	for id, l := range o.shown.live {
		if l.prints() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Show shows what a running call has printed in a document of its own, and keeps it up to date until the call ends.
// Without an ID it is the call that prints, or the first of several.
func (o Output) Show(ctx context.Context, id string) error {
	if printing := o.Printing(); id == "" && len(printing) > 0 {
		id = printing[0]
	}
	call, _ := o.shown.chat.View().Call(id)
	return o.shown.show(ctx, id, visible.Line("Output of "+call.Tool+" "+id))
}

// show shows the output of a running call under a title.
func (h *shownCalls) show(ctx context.Context, id, title string) error {
	h.mu.Lock()
	l := h.live[id]
	if !l.prints() {
		h.mu.Unlock()
		return errors.New("nothing prints here now: the results of calls that ended are in the chat")
	}
	l.title = title
	h.live[id] = l
	h.mu.Unlock()
	out := h.outputOf(id, l)
	out.Show = true
	h.chat.Chats.Host.ShowOutput(ctx, out)
	h.mu.Lock()
	l = h.live[id]
	h.mu.Unlock()
	if l.title != "" { // it may have printed or ended meanwhile
		h.chat.Chats.Host.UpdateOutput(h.outputOf(id, l))
	}
	return nil
}

// prints reports whether the call runs and has printed something.
func (l liveCall) prints() bool { return l.tail != "" && !l.over }

// outputOf is what a call has printed, for the host.
func (h *shownCalls) outputOf(id string, l liveCall) ext.Output {
	return ext.Output{URI: h.chat.uri, Call: id, Title: l.title, Text: l.end(maxLive), Over: l.over}
}

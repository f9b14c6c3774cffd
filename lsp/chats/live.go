package chats

import (
	"fmt"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/internal/visible"
)

const (
	maxLive   = 4 << 10                // bytes of a running call's output that are kept to be shown
	livePause = 500 * time.Millisecond // between two writes of a preview that shows output
)

// liveCall is what a running call has shown so far.
type liveCall struct {
	tail    string    // the end of its output
	omitted int       // bytes of output in front of tail
	state   string    // how far it is
	preview preview   // of its question, if that was shown
	written time.Time // when the preview showed output last
}

// String is what people see of it; empty: nothing.
func (l liveCall) String() string {
	text := l.tail
	if l.omitted > 0 {
		text = fmt.Sprintf("[%d bytes in front are not shown]\n%s", l.omitted, text)
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
	if show {
		h.chat.Chats.Host.UpdateText(
			l.preview.name, "This call runs now. The end of its output so far:\n\n"+l.String()+"\n\n"+l.preview.text,
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
	switch {
	case e.Total > 0:
		return strings.TrimSuffix(fmt.Sprintf("%g of %g: %s", e.Done, e.Total, e.Note), ": ")
	default:
		return e.Note
	}
}

// outputEnded forgets what a call showed: its result is in the document.
func (h *shownCalls) ended(call string) {
	h.mu.Lock()
	l := h.live[call]
	delete(h.live, call)
	h.mu.Unlock()
	if !l.written.IsZero() {
		h.chat.Chats.Host.UpdateText(l.preview.name, closedNotice+l.preview.text)
	}
}

// RunningOutput is what a running call has shown so far; empty: nothing, or it does not run.
func (c *Chat) RunningOutput(call string) string {
	c.shown.mu.Lock()
	defer c.shown.mu.Unlock()
	return c.shown.live[call].String()
}

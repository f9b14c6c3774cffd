package terminal

import (
	"io"
	"sync"
	"time"

	"github.com/assent-ls/assent/internal/visible"
)

// Line is the last line of a screen, which says what goes on and is written over. Whatever else is printed there clears
// it first. A nil Line shows nothing. Its methods may be called concurrently.
type Line struct {
	show func(text string)

	mu   sync.Mutex
	over chan struct{} // guarded by mu; closed when the text is not shown any more; nil: none is
}

// NewLine makes the line of the terminal that notes goes to, and has what is written to notes, and to out if that is a
// terminal, too, clear it. It is called before anything is written. Elsewhere, and where no line can be written over,
// it is nil.
func NewLine(out, notes io.Writer) *Line {
	w, ok := notes.(*Writer)
	if !ok || !w.Live() {
		return nil
	}
	l := &Line{show: func(text string) {
		_ = w.Overwrite(Cut(visible.Line(text), Columns(w)-1)) // a terminal that is gone shows nothing
	}}
	w.line = l
	if o, ok := out.(*Writer); ok && o.Live() {
		o.line = l
	}
	return l
}

// Cut is the beginning of a text that has so many places, with … where more is left out: a line that goes on in the
// next one could not be written over.
func Cut(text string, most int) string {
	if places(text) <= most {
		return text
	}
	kept, used := "", 1
	for _, r := range text {
		if used += cells(r); used > most {
			break
		}
		kept += string(r)
	}
	if most < 1 {
		return ""
	}
	return kept + "…"
}

// Set shows a text, which text makes anew each second from the time that it has been shown.
func (l *Line) Set(text func(shown time.Duration) string) {
	if l == nil {
		return
	}
	l.Clear()
	l.mu.Lock()
	defer l.mu.Unlock()
	over, since := make(chan struct{}), time.Now()
	l.over = over
	l.show(text(0))
	go func() {
		seconds := time.NewTicker(time.Second)
		defer seconds.Stop()
		for {
			select {
			case <-over:
				return
			case now := <-seconds.C:
				l.mu.Lock()
				if l.over == over {
					l.show(text(now.Sub(since)))
				}
				l.mu.Unlock()
			}
		}
	}()
}

// Clear takes the text away.
func (l *Line) Clear() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over != nil {
		close(l.over)
		l.over = nil
		l.show("")
	}
}

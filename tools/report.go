package tools

import (
	"context"
	"sync"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/excerpt"
)

// visibleReporter passes on the reports of a running call until the call ends, with invisible characters shown as
// <U+XXXX>.
type visibleReporter struct {
	running context.Context //nolint:containedctx // of the call: it ends when the call does
	stop    context.CancelFunc

	mu     sync.Mutex
	to     Reporter       // nil: reports are dropped, or the call is over
	stream visible.Stream // of the output, which may be cut anywhere
}

func newVisibleReporter(to Reporter) *visibleReporter {
	running, stop := context.WithCancel(context.Background())
	return &visibleReporter{running: running, stop: stop, to: to}
}

// now is who takes reports at this moment; nil: nobody.
func (r *visibleReporter) now() Reporter {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.to
}

// Output implements Reporter.
func (r *visibleReporter) Output(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.to == nil {
		return
	}
	if text = r.stream.Push([]byte(text)); text != "" {
		r.to.Output(text)
	}
}

// Progress implements Reporter.
func (r *visibleReporter) Progress(done, total float64, note string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.to != nil {
		r.to.Progress(done, total, visible.Line(excerpt.Cut(note, excerpt.MaxNote)))
	}
}

// end drops what a call reports and asks from now on.
func (r *visibleReporter) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to = nil
	r.stop()
}

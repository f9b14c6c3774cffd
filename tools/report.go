package tools

import (
	"sync"

	"github.com/assent-ls/assent/visible"
)

// reports passes on what a running call reports: made visible, and nothing after the end of the call.
type reports struct {
	mu    sync.Mutex
	to    Reporter       // nil: nobody looks, or the call is over
	shown visible.Stream // of the output, which may be cut anywhere
}

// Output implements Reporter.
func (r *reports) Output(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.to == nil {
		return
	}
	if text = r.shown.Push([]byte(text)); text != "" {
		r.to.Output(text)
	}
}

// Progress implements Reporter.
func (r *reports) Progress(done, total float64, note string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.to != nil {
		r.to.Progress(done, total, visible.Line(cut(note, maxNote)))
	}
}

// end drops what a call reports from now on.
func (r *reports) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to = nil
}

package toolsview

import (
	"fmt"
	"io"
	"sync"

	"github.com/assent-ls/assent/internal/visible"
)

// MaxNotes is how many sentences of a call are shown that say how far it is.
const MaxNotes = 50

// Notes shows how far a call is, as a tools.Reporter. What it prints is in its result.
type Notes struct {
	out io.Writer

	mu    sync.Mutex
	shown int    // guarded by mu
	last  string // guarded by mu
}

// NewNotes shows it on an output.
func NewNotes(out io.Writer) *Notes { return &Notes{out: out} }

// Output implements tools.Reporter.
func (*Notes) Output(string) {}

// Progress implements tools.Reporter.
func (n *Notes) Progress(_, _ float64, note string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if note == "" || note == n.last || n.shown > MaxNotes {
		return
	}
	n.last = note
	if n.shown++; n.shown > MaxNotes {
		note = "What else the call says about how far it is, is not shown."
	}
	fmt.Fprintln(n.out, visible.Line(note))
}

package terminal

import (
	"errors"

	"golang.org/x/term"
)

// ErrInterrupted says that nobody waits any more for what is typed.
var ErrInterrupted = errors.New("reading from the terminal was interrupted")

// Read reads what is typed: a line, or a key while the terminal is Raw.
func (t *Terminal) Read(p []byte) (int, error) {
	if err := await(t.in, t.interrupts[0]); err != nil {
		return 0, err
	}
	return t.in.Read(p)
}

// Interrupt ends a Read with ErrInterrupted, and those that come, until Resume; what is typed meanwhile stays for
// others. It reports whether a Read that waits can be ended on this system. Both may be called from any goroutine.
func (t *Terminal) Interrupt() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.interrupted {
		_, err := t.interrupts[1].Write([]byte{0})
		t.interrupted = err == nil
	}
	return t.interrupted && canInterrupt
}

// Resume has Read read again.
func (t *Terminal) Resume() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.interrupted {
		_, _ = t.interrupts[0].Read(make([]byte, 1)) // it was written
		t.interrupted = false
	}
}

// Raw has keys read one by one, and not shown, until restore is called.
func (t *Terminal) Raw() (restore func(), err error) {
	state, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return nil, err
	}
	return func() { _ = term.Restore(int(t.in.Fd()), state) }, nil // a terminal that is gone has no state
}

// Write shows a text as it is: whoever writes it made it visible.
func (t *Terminal) Write(p []byte) (int, error) { return t.out.Write(p) }

// Plain reports whether the terminal knows no control sequences.
func (t *Terminal) Plain() bool { return t.plain }

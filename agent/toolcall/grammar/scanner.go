package grammar

import (
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// Verdict is what a scanner says after each byte.
type Verdict int

const (
	More    Verdict = iota // the block goes on
	Whole                  // the block is whole; back bytes at its end do not belong to it
	NotCall                // this is not a call: what was read is prose, and no marker starts in its first back bytes
)

// WholeIf says that the block is whole, else that it goes on.
func WholeIf(whole bool) (Verdict, int) {
	if whole {
		return Whole, 0
	}
	return More, 0
}

// Scans begins to find the end of a block.
type Scans = func(*Reader) Scanner

// Reads gives what a block holds. false: it was no call; all of it is prose.
type Reads = func(r *Reader, b Found) ([]toolcall.Event, bool)

// Scanner finds the end of a block. Next is called after each byte with all that was read; it must not read all of it
// again, so that scanning stays linear.
type Scanner interface {
	Next(body []byte) (v Verdict, back int)
	// StopBytes returns the bytes that matter now: Next need not be called for the bytes before one of them. nil: all
	// matter.
	StopBytes() *scan.ByteSet
}

// ScanFunc is a scanner made of one function; every byte matters to it.
type ScanFunc func(body []byte) (Verdict, int)

// Next implements Scanner.
func (f ScanFunc) Next(body []byte) (Verdict, int) { return f(body) }

// StopBytes implements Scanner.
func (ScanFunc) StopBytes() *scan.ByteSet { return nil }

// Skipping is a scanner that steps over most of a long value.
type Skipping struct {
	ScanFunc
	Stops func() *scan.ByteSet
}

// StopBytes implements Scanner.
func (s Skipping) StopBytes() *scan.ByteSet { return s.Stops() }

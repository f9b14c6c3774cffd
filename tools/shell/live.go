package shell

import (
	"bytes"

	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/internal/visible"
)

// unfinished is the end of a text whose meaning depends on what follows: a CR with the sequences behind it, and the
// beginning of a sequence.
var unfinished = lazyregexp.New("(?:\r(?:" + sequence + ")*)?(?:\x1b(?:\\[[0-?]*[ -/]*|\\][^\x07\x1b]*\x1b?|[()])?)?$")

// maxEscape is the length from which an unfinished terminal sequence counts as text.
const maxEscape = 256

// plainStream is Plain for a text that comes in pieces.
type plainStream struct {
	to   func(string) // nil: the output is dropped
	rest []byte       // an unfinished character, line end or terminal sequence
}

// Write passes on all that later pieces cannot change. It never fails.
func (s *plainStream) Write(p []byte) (int, error) {
	if s.to == nil {
		return len(p), nil
	}
	text := append(s.rest, p...)
	whole := stableEnd(text)
	s.rest = bytes.Clone(text[whole:])
	if whole > 0 {
		s.to(Plain(string(text[:whole])))
	}
	return len(p), nil
}

// end passes on what is left unfinished.
func (s *plainStream) end() {
	if s.to != nil && len(s.rest) > 0 {
		s.to(Plain(string(s.rest)))
	}
}

// stableEnd is the length of the part of a text that its continuation cannot change.
func stableEnd(text []byte) int {
	from := max(0, len(text)-maxEscape)
	return visible.WholeEnd(text[:from+unfinished().FindIndex(text[from:])[0]])
}

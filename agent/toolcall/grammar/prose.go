package grammar

import (
	"bytes"
	"unicode"

	"github.com/assent-ls/assent/agent/toolcall/prose"
	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// proseByte reads visible prose and looks for what may begin a call or a thought.
func (s *Stream) proseByte(b byte) {
	if c := s.candidateAt(b); c != nil {
		s.beginCandidate(c, b)
		return
	}
	s.hold = append(s.hold, b)
	var hit int
	s.state, hit = s.g.top.Step(s.state, b)
	if hit >= 0 && s.marker(s.g.targets[hit]) {
		return
	}
	depth := s.g.top.Depth(s.state)
	s.advance(len(s.hold) - depth)
	n := len(s.hold)
	if depth > 0 || !scan.IsSpace(b) || n > 1 && !scan.IsSpace(s.hold[n-2]) { // once per run of blanks
		s.show(n - depth)
	}
}

// marker takes a marker at the end of hold; false: it is text.
func (s *Stream) marker(t target) bool {
	at := len(s.hold) - len(t.marker)
	s.advance(at)
	st, why := s.standing(t, at)
	if st == shown {
		s.state = 0
		s.quoteMarker(t, why)
		return false
	}
	s.endMention(false)
	s.adjacent = false
	s.show(at)
	if s.suspended = st == ending && t.thought == nil; s.suspended && t.block == nil {
		s.held = append(s.held, t.marker...)
		s.suspendedLen = len(s.held)
		s.hold = s.hold[:len(s.hold)-len(t.marker)]
		s.mode, s.state = inPending, 0
		return true
	}
	s.enter(t)
	return true
}

// advance says that the first n bytes of hold begin no marker: they are text.
func (s *Stream) advance(n int) {
	for ; s.followed < n; s.followed++ {
		s.follow(s.hold[s.followed])
	}
}

// follow takes one byte of text.
func (s *Stream) follow(b byte) {
	content := s.text.Next(b)
	if !scan.IsSpace(b) {
		s.marked = false
	}
	if s.mention == nil {
		if !scan.IsSpace(b) {
			s.adjacent = false
		}
		if s.text.Begun {
			s.mentionCandidate(b)
		}
	}
	if s.mention != nil {
		s.watch(b, content)
		return
	}
	if content && !s.text.Fence.Opens && (b >= 0x80 || unicode.IsLetter(rune(b)) || unicode.IsDigit(rune(b))) {
		s.words = true
	}
}

// maxTail is how much prose is kept to see whether it announces a quotation.
const maxTail = 120

// before is the end of the prose in front of hold[at].
func (s *Stream) before(at int) []byte {
	return append(bytes.Clone(s.tail), s.hold[max(0, at-2*maxTail):at]...)
}

// show makes the first n bytes of hold certain, but keeps blanks at their end: they go if a call follows.
func (s *Stream) show(n int) {
	if s.called {
		lead := len(s.hold[:n]) - len(bytes.TrimLeft(s.hold[:n], " \t\r\n"))
		s.shorten(lead)
		if n -= lead; n == 0 {
			return
		}
		s.called = false
	}
	known := min(s.blank, n)
	some := known + scan.TrimmedLen(s.hold[known:n])
	s.r.Scanned += n - some
	if some == known {
		s.blank = n
		return
	}
	n = some
	s.lead.Add(s.hold[:n])
	s.tail = append(s.tail, s.hold[:n]...)
	if extra := len(s.tail) - maxTail; extra > maxTail {
		s.tail = s.tail[:copy(s.tail, s.tail[extra:])]
	}
	s.emitText(s.hold[:n])
	s.shorten(n)
}

// shorten takes the first n bytes from hold.
func (s *Stream) shorten(n int) {
	s.hold = s.hold[:copy(s.hold, s.hold[n:])]
	s.followed, s.blank = max(0, s.followed-n), max(0, s.blank-n)
}

// dropHold empties hold.
func (s *Stream) dropHold() { s.hold, s.followed, s.blank = s.hold[:0], 0, 0 }

// enter follows a marker; the prose before it was shown.
func (s *Stream) enter(t target) {
	switch {
	case t.block != nil:
		s.beginBlock(t.marker, t.block)
		s.others = t.others
	case t.thought != nil:
		s.beginThought(t.thought)
	default: // noise, or a closer that closes nothing
		s.hold = s.hold[:len(s.hold)-len(t.marker)]
		s.state, s.marked = 0, true
		if s.lead.Empty() && s.calls == 0 || t.closer && s.called { // nothing was said yet: no blanks before it begins
			s.dropHold()
			s.called = true
		}
	}
}

// backToProse goes back to the top level after a call or a thought.
func (s *Stream) backToProse() {
	s.mode, s.state, s.called, s.tail, s.followed, s.blank = inProse, 0, true, nil, 0, 0
	s.text, s.mention, s.mentioned, s.adjacent, s.suspended = prose.Markdown{}, nil, 0, false, false
}

// replay reads bytes once more, as prose in which no candidate begins.
func (s *Stream) replay(rest []byte) {
	last := s.last
	s.last = last || s.rereadTooMuch(len(rest))
	s.replaying++
	for _, b := range rest {
		s.byte(b)
	}
	s.replaying--
	s.last = last
}

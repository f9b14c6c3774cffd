package toolcall

import (
	"bytes"
	"unicode"
)

// proseByte reads visible prose and looks for what may begin a call or a thought.
func (s *stream) proseByte(b byte) {
	if c := s.candidateAt(b); c != nil {
		s.beginCandidate(c, b)
		return
	}
	s.hold = append(s.hold, b)
	var hit int
	s.state, hit = s.g.top.step(s.state, b)
	if hit >= 0 && s.marker(s.g.targets[hit]) {
		return
	}
	depth := s.g.top.depth(s.state)
	s.advance(len(s.hold) - depth)
	n := len(s.hold)
	if depth > 0 || !isSpace(b) || n > 1 && !isSpace(s.hold[n-2]) { // once per run of blanks
		s.show(n - depth)
	}
}

// marker takes a marker at the end of hold; false: it is text.
func (s *stream) marker(t target) bool {
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
	if s.hanging = st == ending && t.thought == nil; s.hanging && t.block == nil {
		s.held = append(s.held, t.marker...)
		s.hung = len(s.held)
		s.hold = s.hold[:len(s.hold)-len(t.marker)]
		s.mode, s.state = inPending, 0
		return true
	}
	s.enter(t)
	return true
}

// advance says that the first n bytes of hold begin no marker: they are text.
func (s *stream) advance(n int) {
	for ; s.followed < n; s.followed++ {
		s.follow(s.hold[s.followed])
	}
}

// follow takes one byte of text.
func (s *stream) follow(b byte) {
	content := s.text.next(b)
	if !isSpace(b) {
		s.marked = false
	}
	if s.mention == nil {
		if !isSpace(b) {
			s.adjacent = false
		}
		if s.text.begun {
			s.mentionCandidate(b)
		}
	}
	if s.mention != nil {
		s.watch(b, content)
		return
	}
	if content && !s.text.fence.opens && (b >= 0x80 || unicode.IsLetter(rune(b)) || unicode.IsDigit(rune(b))) {
		s.words = true
	}
}

// maxTail is how much prose is kept to see whether it announces a quotation.
const maxTail = 120

// before is the end of the prose in front of hold[at].
func (s *stream) before(at int) []byte {
	return append(bytes.Clone(s.tail), s.hold[max(0, at-2*maxTail):at]...)
}

// show makes the first n bytes of hold certain, but keeps blanks at their end: they go if a call follows.
func (s *stream) show(n int) {
	if s.called {
		lead := len(s.hold[:n]) - len(bytes.TrimLeft(s.hold[:n], " \t\r\n"))
		s.shorten(lead)
		if n -= lead; n == 0 {
			return
		}
		s.called = false
	}
	known := min(s.blank, n)
	some := known + withoutBlanks(s.hold[known:n])
	s.r.scanned += n - some
	if some == known {
		s.blank = n
		return
	}
	n = some
	s.lead.add(s.hold[:n])
	s.tail = append(s.tail, s.hold[:n]...)
	if extra := len(s.tail) - maxTail; extra > maxTail {
		s.tail = s.tail[:copy(s.tail, s.tail[extra:])]
	}
	s.emitText(s.hold[:n])
	s.shorten(n)
}

// shorten takes the first n bytes from hold.
func (s *stream) shorten(n int) {
	s.hold = s.hold[:copy(s.hold, s.hold[n:])]
	s.followed, s.blank = max(0, s.followed-n), max(0, s.blank-n)
}

// drop empties hold.
func (s *stream) drop() { s.hold, s.followed, s.blank = s.hold[:0], 0, 0 }

// withoutBlanks is the length of text without the blanks at its end.
func withoutBlanks[T string | []byte](text T) int {
	n := len(text)
	for n > 0 && isSpace(text[n-1]) {
		n--
	}
	return n
}

// enter follows a marker; the prose before it was shown.
func (s *stream) enter(t target) {
	switch {
	case t.block != nil:
		s.beginBlock(t.marker, t.block)
		s.others = t.others
	case t.thought != nil:
		s.beginThought(t.thought)
	default: // noise, or a closer that closes nothing
		s.hold = s.hold[:len(s.hold)-len(t.marker)]
		s.state, s.marked = 0, true
		if s.lead.empty() && s.calls == 0 || t.closer && s.called { // nothing was said yet: no blanks before it begins
			s.drop()
			s.called = true
		}
	}
}

// prose goes back to the top level after a call or a thought.
func (s *stream) prose() {
	s.mode, s.state, s.called, s.tail, s.followed, s.blank = inProse, 0, true, nil, 0, 0
	s.text, s.mention, s.mentioned, s.adjacent, s.hanging = markdown{}, nil, 0, false, false
}

// again reads bytes once more, as prose in which no candidate begins.
func (s *stream) again(rest []byte) {
	last := s.last
	s.last = last || s.tired(len(rest))
	s.replaying++
	for _, b := range rest {
		s.byte(b)
	}
	s.replaying--
	s.last = last
}

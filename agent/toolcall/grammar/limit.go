package grammar

import (
	"slices"
)

// MaxCall bounds what is held of one call, or of what may be one: a model can loop inside an open tag for its whole context.
// It is far more than a context window holds, and than any tool takes.
const MaxCall = 8 << 20

// KeptOfExcess is how much of a call that was too long is reported: enough to see what it was.
const KeptOfExcess = 4 << 10

// firstRoom is the size of the buffer that a call begins with: most fit.
const firstRoom = 8 << 10

// empty makes way for the next body. What is read of a body is copied, so its buffer can be used again.
func (s *Stream) empty() { s.body = s.body[:0:min(cap(s.body), MaxCall-len(s.held))] }

// holding is how much is held of what is being read.
func (s *Stream) holding() int { return len(s.held) + len(s.body) }

// grow makes room for n more bytes of the body. The room ends where a call is too long: then it reports false.
func (s *Stream) grow(n int) bool {
	have, room := len(s.body), MaxCall-s.holding()
	if n > room {
		return false
	}
	s.body = slices.Grow(s.body, min(max(n, have, firstRoom), room))
	s.body = s.body[:have:min(cap(s.body), have+room)]
	return true
}

// overflow gives up what b makes longer than a call may be. What was certainly meant as one is reported, and the rest of the
// reply is dropped: it may be the inside of an argument, so nothing in it may run or be shown as an answer. Anything else is
// prose.
func (s *Stream) overflow(b byte) {
	inside := s.mode == inBlock
	s.stops, s.escaped = nil, false
	if inside && s.block.Read == nil { // what it holds is dropped anyway
		s.body = append(s.body[:0], b)
		s.scanBody()
		return
	}
	d := s.r.tooLong(s.body)
	switch {
	case inside:
		d.Raw = s.opener + d.Raw
	case d.Name == "":
		s.rejectCandidate()
		s.byte(b)
		return
	}
	s.hold, s.held, s.body, s.pending, s.others, s.thought = s.hold[:0], nil, nil, nil, nil, nil
	s.backToProse()
	s.emit(s.r.Broken(d))
	s.mode = inExcess
}

// enoughRead and timesRead bound how much is read again: so many bytes, and so many times as much as the reply has.
const (
	enoughRead = 64 << 10
	timesRead  = 2
)

// rereadTooMuch reports whether so much was read again, with n bytes more, that what is in them begins no block: else markers inside of
// markers, none of them a call, would be read as often as there are markers.
func (s *Stream) rereadTooMuch(n int) bool {
	tired := s.reread+n > enoughRead+timesRead*(s.seen-s.reread)
	s.gaveUp = s.gaveUp || tired
	return tired
}

// notAllRead tells the model that a call may have been missed.
const notAllRead = "So much of this reply looks like calls and is none that not all of it was searched for calls: " +
	"if a call was meant that was not made, make it again by itself, and if none was, nothing needs to be done."

package grammar

import (
	"slices"
)

// firstRoom is the size of the buffer that a call begins with: most fit. Buffers up to keptRoom serve the next reply.
const (
	firstRoom = 8 << 10
	keptRoom  = 2 << 20
)

func (s *Decoder) borrowBody() {
	if b, ok := s.g.bodies.Get().(*[]byte); ok {
		s.body = *b
	}
}

func (s *Decoder) giveBackBody() {
	if b := s.body[:0]; cap(b) >= firstRoom && cap(b) <= keptRoom {
		s.g.bodies.Put(&b)
	}
	s.body = nil
}

// clearBody makes way for the next body. What is read of a body is copied, so its buffer can be used again.
func (s *Decoder) clearBody() { s.body = s.body[:0:min(cap(s.body), MaxCall-len(s.pendingText))] }

// heldBytes is how much is held of what is being read.
func (s *Decoder) heldBytes() int { return len(s.pendingText) + len(s.body) }

// grow makes room for n more bytes of the body. The room ends where a call is too long: then it reports false.
func (s *Decoder) grow(n int) bool {
	have, room := len(s.body), MaxCall-s.heldBytes()
	if n > room {
		return false
	}
	s.body = slices.Grow(s.body, min(max(n, have, firstRoom), room))
	s.body = s.body[:have:min(cap(s.body), have+room)]
	return true
}

// enoughRead and timesRead bound how much is read again: so many bytes, and so many times as much as the reply has.
const (
	enoughRead = 64 << 10
	timesRead  = 2
)

// rereadTooMuch reports whether so much was read again, with n bytes more, that what is in them begins no block: else
// markers inside of markers, none of them a call, would be read as often as there are markers.
func (s *Decoder) rereadTooMuch(n int) bool {
	s.gaveUp = s.gaveUp || s.tired(n)
	return s.tired(n)
}

func (s *Decoder) tired(n int) bool { return s.reread+n > enoughRead+timesRead*(s.seen-s.reread) }

// notAllRead tells the model that a call may have been missed.
const notAllRead = "So much of this reply looks like calls and is none that not all of it was searched for calls: " +
	"if a call was meant that was not made, make it again by itself, and if none was, nothing needs to be done."

package toolcall

import (
	"bytes"
	"slices"
)

// A call with a marker may hang: it is one only if nothing but further calls follows it until the end of a whole reply.

// hang keeps a block until it is decided. What is no call, and what text follows, is decided at once. false: it begins a thought.
func (s *stream) hang(f found, events []Event) bool {
	if s.block.read == nil {
		then := s.block.then(f)
		if then.block != nil {
			header, _ := f.text()
			s.beginBlock("", then.block)
			s.opener = header // for the block's reader
			return true
		}
		if then.thought != nil {
			return false
		}
	}
	end := f.callEnd(s.block)
	s.held = append(append(s.held, s.opener...), f.body...)
	s.hung = len(s.held) - len(f.body) + end
	s.pending = append(s.pending, events...)
	whole := end == len(f.body)
	s.empty()
	s.mode, s.state = inPending, 0
	if !whole || !slices.ContainsFunc(events, meant) {
		s.unhang(nil)
	}
	return true
}

// hangingByte waits for what follows a call that hangs.
func (s *stream) hangingByte(b byte) {
	var hit int
	s.state, hit = s.g.top.step(s.state, b)
	s.held = append(s.held, b)
	switch {
	case s.holding() > maxCall:
		s.unhang(nil)
	case hit >= 0 && s.g.targets[hit].block != nil:
		t := s.g.targets[hit]
		s.held = s.held[:len(s.held)-len(t.marker)]
		s.hold = append(s.hold, t.marker...)
		s.enter(t)
	case hit >= 0 && s.g.targets[hit].thought == nil:
		s.state = 0
	case hit < 0 && (s.g.top.depth(s.state) > 0 || isSpace(b)):
	default:
		s.unhang(nil)
	}
}

// unhang gives back what hangs, as text, and reads afresh what came after it.
func (s *stream) unhang(rest []byte) {
	s.quote(s.pending, followedByText)
	held, after := s.held[:s.hung], append(s.held[s.hung:], rest...)
	s.held, s.pending, s.hung, s.hanging = nil, nil, 0, false
	s.empty()
	s.mode, s.state = inProse, 0
	before := s.text.inside()
	s.asText(held)
	if len(held) > 0 { // code and marks in it are its own
		before.last = s.text.last
		s.text = before
	}
	s.adjacent, s.because = len(held) > 0, followedByText
	s.again(after)
}

// asText shows what was taken for a marker or a call as it is.
func (s *stream) asText(text []byte) {
	s.advance(len(s.hold))
	s.hold = append(s.hold, text...)
	s.skipMarkers()
	s.show(len(s.hold))
}

// callEnd is where the call of a block ends: before the text that follows the JSON of one that nothing closes.
func (f found) callEnd(b *block) int {
	at := bytes.IndexByte(f.body, '{')
	if at < 0 || f.closed && len(b.closers) > 0 && !b.runsOn {
		return len(f.body)
	}
	end := balanced(string(f.body[at:]))
	if end < 0 || len(bytes.Trim(f.body[at+end:], " \t\r\n]`")) == 0 {
		return len(f.body)
	}
	return at + end
}

// meant reports whether an event comes from what was certainly meant as a call.
func meant(e Event) bool {
	m, broken := e.(Malformed)
	return isCall(e) || broken && m.Name != ""
}

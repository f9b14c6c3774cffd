package grammar

import (
	"bytes"
	"slices"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// A call with a marker may hang: it is one only if nothing but further calls follows it until the end of a whole reply.

// suspend keeps a block until it is decided. What is no call, and what text follows, is decided at once. false: it begins a thought.
func (s *Stream) suspend(f Found, events []toolcall.Event) bool {
	if s.block.Read == nil {
		then := s.block.Then(f)
		if then.Block != nil {
			header, _ := f.Text()
			s.beginBlock("", then.Block)
			s.opener = header // for the block's reader
			return true
		}
		if then.Thought != nil {
			return false
		}
	}
	end := f.callEnd(s.block)
	s.held = append(append(s.held, s.opener...), f.Body...)
	s.suspendedLen = len(s.held) - len(f.Body) + end
	s.pending = append(s.pending, events...)
	whole := end == len(f.Body)
	s.empty()
	s.mode, s.state = inPending, 0
	if !whole || !slices.ContainsFunc(events, isIntended) {
		s.release(nil)
	}
	return true
}

// suspendedByte waits for what follows a call that hangs.
func (s *Stream) suspendedByte(b byte) {
	var hit int
	s.state, hit = s.g.top.Step(s.state, b)
	s.held = append(s.held, b)
	switch {
	case s.holding() > MaxCall:
		s.release(nil)
	case hit >= 0 && s.g.targets[hit].block != nil:
		t := s.g.targets[hit]
		s.held = s.held[:len(s.held)-len(t.marker)]
		s.hold = append(s.hold, t.marker...)
		s.enter(t)
	case hit >= 0 && s.g.targets[hit].thought == nil:
		s.state = 0
	case hit < 0 && (s.g.top.Depth(s.state) > 0 || scan.IsSpace(b)):
	default:
		s.release(nil)
	}
}

// release gives back what hangs, as text, and reads afresh what came after it.
func (s *Stream) release(rest []byte) {
	s.quote(s.pending, followedByText)
	held, after := s.held[:s.suspendedLen], append(s.held[s.suspendedLen:], rest...)
	s.held, s.pending, s.suspendedLen, s.suspended = nil, nil, 0, false
	s.empty()
	s.mode, s.state = inProse, 0
	before := s.text.Inside()
	s.asText(held)
	if len(held) > 0 { // code and marks in it are its own
		before.Last = s.text.Last
		s.text = before
	}
	s.adjacent, s.because = len(held) > 0, followedByText
	s.replay(after)
}

// asText shows what was taken for a marker or a call as it is.
func (s *Stream) asText(text []byte) {
	s.advance(len(s.hold))
	s.hold = append(s.hold, text...)
	s.skipMarkers()
	s.show(len(s.hold))
}

// callEnd is where the call of a block ends: before the text that follows the JSON of one that nothing closes.
func (f Found) callEnd(b *Block) int {
	at := bytes.IndexByte(f.Body, '{')
	if at < 0 || f.Closed && len(b.Closers) > 0 && !b.RunsOn {
		return len(f.Body)
	}
	end := values.Balanced(string(f.Body[at:]))
	if end < 0 || len(bytes.Trim(f.Body[at+end:], " \t\r\n]`")) == 0 {
		return len(f.Body)
	}
	return at + end
}

// isIntended reports whether an event comes from what was certainly meant as a call.
func isIntended(e toolcall.Event) bool {
	m, broken := e.(toolcall.Malformed)
	return isCall(e) || broken && m.Name != ""
}

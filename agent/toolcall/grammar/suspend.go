package grammar

import (
	"slices"

	"github.com/assent-ls/assent/agent/toolcall"
)

// A call with a marker is suspended where the prose before it announces an example: it is one only if nothing but further calls follows it until the end of a whole reply.

// suspend keeps a block until it is decided. What is no call, and what text follows, is decided at once. false: it begins a thought.
func (s *Decoder) suspend(f Found, events []toolcall.Event) bool {
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
	s.pendingText = append(append(s.pendingText, s.opener...), f.Body...)
	s.suspendedLen = len(s.pendingText) - len(f.Body) + end
	s.pending = append(s.pending, events...)
	whole := end == len(f.Body)
	s.clearBody()
	s.mode, s.state = inPending, 0
	if !whole || !slices.ContainsFunc(events, isIntended) {
		s.release(nil)
	}
	return true
}

// release gives back suspended calls as text and reads afresh what came after it.
func (s *Decoder) release(rest []byte) {
	s.noteCall(s.pending, followedByText)
	held, after := s.pendingText[:s.suspendedLen], append(s.pendingText[s.suspendedLen:], rest...)
	s.pendingText, s.pending, s.suspendedLen, s.suspended = nil, nil, 0, false
	s.clearBody()
	s.mode, s.state = inProse, 0
	before := s.markdown.Inside()
	s.showAsText(held)
	if len(held) > 0 { // code and marks in it are its own
		before.Last = s.markdown.Last
		s.markdown = before
	}
	s.besideShown, s.shownBecause = len(held) > 0, followedByText
	s.replay(after)
}

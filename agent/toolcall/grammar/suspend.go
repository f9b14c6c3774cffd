package grammar

import (
	"slices"

	"github.com/assent-ls/assent/agent/toolcall"
)

// A call with a marker is suspended where the prose before it announces an example: it is one only if nothing but
// further calls follows it until the end of a whole reply.

// suspend keeps a block until it is decided. What is no call, and what text follows, is decided at once. false: it
// begins a thought.
func suspend(s *Decoder, f Found, events []toolcall.Event) bool {
	if s.block.Read == nil {
		then := s.block.Then(f)
		if then.Block != nil {
			s.beginMessage(f, then.Block)
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
	s.brokenForeign = s.brokenForeign || s.block.Foreign || s.strict
	whole := end == len(f.Body)
	s.clearBody()
	s.goOn(inPending)
	if !whole || !slices.ContainsFunc(events, isIntended) {
		release(s, nil)
	}
	return true
}

// expectCall goes on behind a header, or the marker of a section: it counts if a call in another envelope follows, else
// it is text.
func expectCall(s *Decoder, rest []byte) {
	s.pendingText = append(s.pendingText, s.opener...)
	s.suspendedLen = len(s.pendingText)
	s.clearBody()
	s.mode, s.place, s.suspended = inPending, place{}, true
	s.replay(rest)
}

// release gives back suspended calls as text and reads afresh what came after it.
func release(s *Decoder, rest []byte) {
	if !noteCall(s, s.pending, followedByText) && s.brokenForeign {
		noteBroken(s, s.pending)
	}
	s.brokenForeign = false
	held, after := s.pendingText[:s.suspendedLen], append(s.pendingText[s.suspendedLen:], rest...)
	s.pendingText, s.pending, s.suspendedLen, s.suspended = nil, nil, 0, false
	s.clearBody()
	s.goOn(inProse)
	before := s.markdown.Inside()
	s.showAsText(held)
	if len(held) > 0 { // code and marks in it are its own
		before.Last = s.markdown.Last
		s.markdown = before
	}
	s.besideShown, s.shownBecause = len(held) > 0, followedByText
	s.replay(after)
}

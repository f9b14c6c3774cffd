package grammar

import (
	"bytes"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// proseByte reads visible prose and looks for what may begin a call or a thought.
func (s *Decoder) proseByte(b byte) {
	if c := s.candidateAt(b); c != nil {
		s.beginCandidate(c, b)
		return
	}
	s.uncertain = append(s.uncertain, b)
	if t, found := s.step(b); found && s.marker(t) {
		return
	}
	depth := partial(s)
	s.advance(len(s.uncertain) - depth)
	n := len(s.uncertain)
	if depth > 0 || !scan.IsSpace(b) || n > 1 && !scan.IsSpace(s.uncertain[n-2]) { // once per run of whitespace
		s.show(n - depth)
	}
}

// marker takes a marker at the end of uncertain; false: it is text.
func (s *Decoder) marker(t target) bool {
	at := len(s.uncertain) - len(t.marker)
	s.advance(at)
	if t.foreign && t.block == nil && t.thought == nil && !t.section { // it counts only beside a call
		s.place = place{}
		return false
	}
	st, why := s.judge(t, at)
	if st == shown {
		s.place = place{}
		s.quoteMarker(t, why)
		return false
	}
	endMention(s, false)
	s.besideShown = false
	s.show(at)
	if s.suspended = st == ending && t.thought == nil; s.suspended && t.block == nil {
		s.pendingText = append(s.pendingText, t.marker...)
		s.suspendedLen = len(s.pendingText)
		s.uncertain = s.uncertain[:len(s.uncertain)-len(t.marker)]
		s.goOn(inPending)
		return true
	}
	s.enter(t)
	return true
}

// enter follows a marker; the prose before it was shown.
func (s *Decoder) enter(t target) {
	switch {
	case t.block != nil:
		s.beginBlock(t.marker, t.block)
		s.alternatives, s.entered = t.alternatives, t
	case t.thought != nil:
		beginThought(s, t.thought)
	default: // noise, or a closer that closes nothing
		s.uncertain = s.uncertain[:len(s.uncertain)-len(t.marker)]
		s.dropMarker(t.closer)
	}
}

// dropMarker goes on behind a marker without meaning.
func (s *Decoder) dropMarker(closer bool) {
	s.place, s.afterNoise = place{}, true
	// nothing was said yet: no whitespace before it counts
	if s.leadIn.Empty() && s.calls == 0 || closer && s.afterCall {
		s.dropUncertain()
		s.afterCall = true
	}
}

// pendingByte waits for what follows a candidate.
func (s *Decoder) pendingByte(b byte) {
	if s.suspended {
		s.suspendedByte(b)
		return
	}
	if partial(s) == 0 && !s.passing {
		for _, c := range candidates(s, nil) {
			if strings.IndexByte(c.Starts, b) >= 0 {
				s.beginCandidate(c, b)
				return
			}
		}
	}
	t, found := s.step(b)
	s.pendingText = append(s.pendingText, b)
	switch {
	case s.heldBytes() > MaxCall:
		s.rejectCandidate()
	case found && t.block == nil && t.thought == nil:
		s.place = place{}
	case !found && partial(s) > 0, scan.IsSpace(b), b == ';', b == ',':
	default:
		s.rejectCandidate()
	}
}

// suspendedByte waits for what follows a suspended call.
func (s *Decoder) suspendedByte(b byte) {
	t, found := s.step(b)
	s.pendingText = append(s.pendingText, b)
	switch {
	case s.heldBytes() > MaxCall:
		release(s, nil)
	case found && t.block != nil && s.noBlocks:
		release(s, nil)
	case found && t.block != nil:
		s.pendingText = s.pendingText[:len(s.pendingText)-len(t.marker)]
		s.uncertain = append(s.uncertain, t.marker...)
		s.enter(t)
	case found && t.thought == nil:
		s.place = place{}
	case !found && (partial(s) > 0 || scan.IsSpace(b)):
	default:
		release(s, nil)
	}
}

func (s *Decoder) thoughtByte(b byte) {
	s.uncertain = append(s.uncertain, b)
	var hit int
	s.place.own, hit = s.thought.Inner.Step(s.place.own, b)
	if hit < 0 {
		if s.thought.Inner.Depth(s.place.own) == 0 && scan.IsSpace(b) {
			return
		}
		showThought(s, len(s.uncertain)-s.thought.Inner.Depth(s.place.own))
		return
	}
	t := s.thought.Targets[hit]
	at := len(s.uncertain) - len(t.marker)
	switch {
	case t.closer:
		showThought(s, at)
		endThought(s)
	case t.block != nil && s.thought.Greedy:
		showThought(s, at)
		s.beginBlock(t.marker, t.block)
	case (t.block != nil || t.section) && !s.noBlocks:
		showThought(s, at)
		s.goOn(inThoughtCall)
	case s.fresh && len(bytes.TrimSpace(s.uncertain[:at])) == 0: // the opener, echoed
		s.uncertain, s.place = s.uncertain[:0], place{}
	default:
		s.place = place{}
		showThought(s, len(s.uncertain))
	}
}

// thoughtCallByte holds everything after a marker of a call inside a thought: if the thought still ends, the marker was
// quoted.
func (s *Decoder) thoughtCallByte(b byte) {
	s.uncertain = append(s.uncertain, b)
	var hit int
	s.place.own, hit = s.thought.Inner.Step(s.place.own, b)
	if hit >= 0 && s.thought.Targets[hit].closer {
		at := len(s.uncertain) - len(s.thought.Targets[hit].marker)
		showThought(s, at)
		endThought(s)
	} else if len(s.uncertain) > MaxCall { // it goes on for ever: the marker was quoted
		s.goOn(inThought)
		showThought(s, len(s.uncertain))
	}
}

package toolcall

import (
	"bytes"
	"strings"
)

// candidateAt gives the candidate that b may begin here.
func (s *stream) candidateAt(b byte) *candidate {
	if s.replaying > 0 || s.sealed || s.adjacent || s.mention != nil || !s.text.fresh() || s.followed < len(s.hold) {
		return nil
	}
	for i := range s.g.candidates {
		c := &s.g.candidates[i]
		if strings.IndexByte(c.starts, b) < 0 {
			continue
		}
		if where, loose := s.text.shows(true); where != "" && !loose || !c.certain && s.lead.forbids() != "" {
			return nil
		}
		return c
	}
	return nil
}

func (s *stream) beginCandidate(c *candidate, b byte) {
	s.mode, s.cand = inCandidate, c
	s.empty()
	s.scan = c.scan(s.r)
	s.byte(b)
}

func (s *stream) endCandidate(final bool) {
	events, ok := s.cand.read(s.r, string(s.body), final)
	if !ok {
		s.notThis()
		return
	}
	s.mode = inPending
	s.state = 0
	if s.cand.own && (s.lead.empty() && len(s.pending) == 0) {
		s.drop()
		s.held = nil
		s.empty()
		s.called = true
		for _, e := range events {
			s.emit(e)
		}
		return
	}
	s.held = append(s.held, s.body...)
	s.pending = append(s.pending, events...)
	s.empty()
}

// notThis tries the next candidate that begins like the one that is no call; there may be none.
func (s *stream) notThis() {
	var others []candidate
	for i := range s.g.candidates {
		if &s.g.candidates[i] == s.cand {
			others = s.g.candidates[i+1:]
		}
	}
	for i := range others {
		if c := &others[i]; len(s.body) > 0 && strings.IndexByte(c.starts, s.body[0]) >= 0 {
			rest := bytes.Clone(s.body)
			s.mode, s.cand, s.scan = inCandidate, c, c.scan(s.r)
			s.empty()
			for _, b := range rest {
				s.byte(b)
			}
			return
		}
	}
	s.rejectCandidate()
}

// rejectCandidate gives back all that was held as prose.
func (s *stream) rejectCandidate() {
	s.quote(s.pending, followedByText)
	rest := append(s.held, s.body...)
	s.held, s.pending = nil, nil
	s.empty()
	s.mode, s.state = inProse, 0
	s.again(rest)
}

// pendingByte waits for what follows a candidate.
func (s *stream) pendingByte(b byte) {
	if s.hanging {
		s.hangingByte(b)
		return
	}
	if s.g.top.depth(s.state) == 0 {
		for i := range s.g.candidates {
			if c := &s.g.candidates[i]; strings.IndexByte(c.starts, b) >= 0 {
				s.beginCandidate(c, b)
				return
			}
		}
	}
	var hit int
	s.state, hit = s.g.top.step(s.state, b)
	s.held = append(s.held, b)
	switch {
	case s.holding() > maxCall:
		s.rejectCandidate()
	case hit >= 0 && s.g.targets[hit].block == nil && s.g.targets[hit].thought == nil:
		s.state = 0
	case hit < 0 && s.g.top.depth(s.state) > 0, isSpace(b), b == ';', b == ',':
	default:
		s.rejectCandidate()
	}
}

const followedByText = "more text follows it"

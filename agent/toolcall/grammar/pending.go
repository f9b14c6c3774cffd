package grammar

import (
	"bytes"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// candidateAt gives the candidate that b may begin here.
func (s *Stream) candidateAt(b byte) *Candidate {
	if s.replaying > 0 || s.sealed || s.adjacent || s.mention != nil || !s.text.Fresh() || s.followed < len(s.hold) {
		return nil
	}
	for i := range s.g.Candidates {
		c := &s.g.Candidates[i]
		if strings.IndexByte(c.Starts, b) < 0 {
			continue
		}
		if where, loose := s.text.Shows(true); where != "" && !loose || !c.Unambiguous && s.lead.Forbids() != "" {
			return nil
		}
		return c
	}
	return nil
}

func (s *Stream) beginCandidate(c *Candidate, b byte) {
	s.mode, s.cand = inCandidate, c
	s.empty()
	s.scan = c.Scan(s.r)
	s.byte(b)
}

func (s *Stream) endCandidate(final bool) {
	events, ok := s.cand.Read(s.r, string(s.body), final)
	if !ok {
		s.notThis()
		return
	}
	s.mode = inPending
	s.state = 0
	if s.cand.OwnForm && (s.lead.Empty() && len(s.pending) == 0) {
		s.dropHold()
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
func (s *Stream) notThis() {
	var others []Candidate
	for i := range s.g.Candidates {
		if &s.g.Candidates[i] == s.cand {
			others = s.g.Candidates[i+1:]
		}
	}
	for i := range others {
		if c := &others[i]; len(s.body) > 0 && strings.IndexByte(c.Starts, s.body[0]) >= 0 {
			rest := bytes.Clone(s.body)
			s.mode, s.cand, s.scan = inCandidate, c, c.Scan(s.r)
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
func (s *Stream) rejectCandidate() {
	s.quote(s.pending, followedByText)
	rest := append(s.held, s.body...)
	s.held, s.pending = nil, nil
	s.empty()
	s.mode, s.state = inProse, 0
	s.replay(rest)
}

// pendingByte waits for what follows a candidate.
func (s *Stream) pendingByte(b byte) {
	if s.suspended {
		s.suspendedByte(b)
		return
	}
	if s.g.top.Depth(s.state) == 0 {
		for i := range s.g.Candidates {
			if c := &s.g.Candidates[i]; strings.IndexByte(c.Starts, b) >= 0 {
				s.beginCandidate(c, b)
				return
			}
		}
	}
	var hit int
	s.state, hit = s.g.top.Step(s.state, b)
	s.held = append(s.held, b)
	switch {
	case s.holding() > MaxCall:
		s.rejectCandidate()
	case hit >= 0 && s.g.targets[hit].block == nil && s.g.targets[hit].thought == nil:
		s.state = 0
	case hit < 0 && s.g.top.Depth(s.state) > 0, scan.IsSpace(b), b == ';', b == ',':
	default:
		s.rejectCandidate()
	}
}

const followedByText = "more text follows it"

package grammar

import (
	"bytes"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall/prose"
	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// candidateAt gives the candidate that b may begin here.
func (s *Decoder) candidateAt(b byte) *Candidate {
	if s.replaying > 0 || s.sealed || s.besideShown || s.mention != nil || !s.markdown.Fresh() ||
		s.followed < len(s.uncertain) {
		return nil
	}
	for _, c := range candidates(s, nil) {
		if strings.IndexByte(c.Starts, b) < 0 {
			continue
		}
		if where, loose := s.markdown.Shows(true); where != "" && !loose {
			return nil
		}
		if forbids(s, c) == "" {
			return c
		}
	}
	return nil
}

// forbids says why the prose before a candidate does not let it be a call; empty: it does.
func forbids(s *Decoder, c *Candidate) string {
	why := ""
	switch {
	case c.Unambiguous:
	case c.Marked != nil && c.Marked(s.r):
		var last prose.LeadIn
		last.Add(lastParagraph(s.before(len(s.uncertain))))
		why = last.Forbids()
	default:
		why = s.leadIn.Forbids()
	}
	if why == "" && c.Wary && announced(s) {
		why = announcedExample
	}
	return why
}

const announcedExample = "the words before it announce an example"

func lastParagraph(text []byte) []byte {
	return text[bytes.LastIndex(bytes.TrimRight(text, scan.Whitespace), []byte("\n\n"))+1:]
}

// announced reports whether the words right before a candidate announce that it is only shown.
func announced(s *Decoder) bool {
	before := s.before(len(s.uncertain))
	return !prose.Intends(before) && prose.Announces(before)
}

func (s *Decoder) beginCandidate(c *Candidate, b byte) {
	s.mode, s.candidate = inCandidate, c
	s.clearBody()
	s.scan = c.Scan(s.r)
	s.feed([]byte{b})
}

func (s *Decoder) endCandidate(final bool) {
	events, ok := s.candidate.Read(s.r, string(s.body), final)
	if !ok {
		s.tryNextCandidate()
		return
	}
	s.goOn(inPending)
	if s.candidate.OwnForm && (s.leadIn.Empty() && len(s.pending) == 0) {
		s.dropUncertain()
		s.pendingText = nil
		s.clearBody()
		s.afterCall = true
		s.emit(events...)
		return
	}
	s.pendingText = append(s.pendingText, s.body...)
	s.pending = append(s.pending, events...)
	s.clearBody()
}

// tryNextCandidate tries the next candidate that begins like the one that is no call; there may be none.
func (s *Decoder) tryNextCandidate() {
	for _, c := range candidates(s, s.candidate) {
		if len(s.body) > 0 && strings.IndexByte(c.Starts, s.body[0]) >= 0 && forbids(s, c) == "" {
			rest := bytes.Clone(s.body)
			s.mode, s.candidate, s.scan = inCandidate, c, c.Scan(s.r)
			s.clearBody()
			s.feed(rest)
			return
		}
	}
	if len(s.pending) > 0 && !s.passing { // a marker may begin alike
		rest := bytes.Clone(s.body)
		s.mode, s.place, s.passing = inPending, place{}, true
		s.clearBody()
		s.feed(rest)
		s.passing = false
		return
	}
	s.rejectCandidate()
}

// rejectCandidate gives back all that was held as prose.
func (s *Decoder) rejectCandidate() {
	noteCall(s, s.pending, followedByText)
	rest := append(s.pendingText, s.body...)
	s.pendingText, s.pending = nil, nil
	s.clearBody()
	s.goOn(inProse)
	s.replay(rest)
}

package toolcall

import (
	"bytes"
	"strings"
)

// argScan ends at the closer that belongs to the opener: one that follows the end of a call or an argument, while no call
// that a value quotes is open.
type argScan struct {
	k      *tagged
	m      *matcher
	marks  *byteSet
	asJSON func(*reader) scanner
	r      *reader
	inJSON scanner // of an inside that is JSON; nil: it is not, or has not begun
	state  int16
	depth  int
	quoted int  // where a call that a value quotes ended
	first  byte // of the inside, blanks aside; 0: not there yet
	inside int  // where it is
	likely bool // nothing that follows makes it implausible any more
	argued bool // it has an argument
	again  int  // where the last of several openers ends
}

func (s *argScan) heeds() *byteSet {
	switch {
	case s.inJSON != nil:
		return s.inJSON.heeds()
	case s.first != 0 && s.likely && s.m.depth(s.state) == 0:
		return s.marks
	}
	return nil
}

func (s *argScan) next(body []byte) (verdict, int) {
	if s.inJSON != nil {
		return s.inJSON.next(body)
	}
	b := body[len(body)-1]
	var hit int
	s.state, hit = s.m.step(s.state, b)
	if s.first == 0 && !isSpace(b) {
		s.first, s.inside = b, len(body)-1
		if s.k.json && (b == '{' || b == '[') {
			s.inJSON = s.asJSON(s.r)
			return s.inJSON.next(body)
		}
	}
	if s.first != 0 && hit < 0 && !s.likely {
		var possible bool
		if possible, s.likely = s.plausible(body); !possible {
			return notCall, s.again
		}
	}
	switch closers := s.k.closers; {
	case hit < 0:
		return more, 0
	case hit >= len(closers):
		return s.opened(body, s.k.open[hit-len(closers)])
	case s.depth > 0:
		s.depth--
		s.quoted = len(body)
		return more, 0
	case s.ended(body[:len(body)-len(closers[hit])]):
		return whole, 0
	}
	return more, 0
}

// opened has an opener inside: written twice, after a closer that was forgotten, or quoted by a value.
func (s *argScan) opened(body []byte, opener string) (verdict, int) {
	before := body[:len(body)-len(opener)]
	end := withoutBlanks(before)
	before = before[min(s.inside, end):end]
	switch {
	case len(before) == 0 || string(before) == opener:
		s.first, s.likely, s.again = 0, false, len(body)
	case endsWith(before, s.k.callEnd) && end > s.quoted:
		return whole, len(opener)
	default:
		s.depth++
	}
	return more, 0
}

// plausible looks at the first bytes of the inside only: a marker that prose only mentions is not followed by a call.
// certain says that what follows cannot change the answer.
func (s *argScan) plausible(body []byte) (possible, certain bool) {
	if s.k.first != "" {
		return strings.IndexByte(s.k.first, s.first) >= 0, true
	}
	head := body[s.inside:]
	if len(head) > 1 && bytes.ContainsAny(head[:len(head)-1], "<{\n") || len(head) > maxHead {
		return true, true
	}
	last := head[len(head)-1]
	if isNameByte(last) || last == ':' || last == '<' || last == '\n' || last == '{' {
		return len(head) < 2 || !isSpace(head[len(head)-2]) || last == '<' || last == '{' || last == '\n' || !isNameByte(last), false
	}
	return isSpace(last), false
}

// ended reports whether the inside may end here: after the end of a call or an argument, or before any argument.
func (s *argScan) ended(inner []byte) bool {
	trimmed := inner[:withoutBlanks(inner)]
	if endsWith(trimmed, s.k.callEnd) || endsWith(trimmed, s.k.argEnd) {
		return true
	}
	if !s.k.opens && bytes.HasSuffix(trimmed, []byte("}")) && bytes.IndexByte(inner[:min(len(inner), maxHead)], '{') >= 0 && !s.argues(inner[:min(len(inner), 4*maxHead)]) {
		return true // JSON after the name
	}
	return len(inner)-s.inside < maxHead && !s.argues(inner[min(s.inside, len(inner)):])
}

// argues reports whether there is an argument in the beginning of the inside.
func (s *argScan) argues(head []byte) bool {
	if !s.argued {
		s.r.scanned += len(head)
		s.argued = s.k.arg.Match(head)
	}
	return s.argued
}

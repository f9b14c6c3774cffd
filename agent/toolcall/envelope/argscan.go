package envelope

import (
	"bytes"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// argScan ends at the closer that belongs to the opener: one that follows the end of a call or an argument, while no
// call that a value quotes is open.
type argScan struct {
	k          *Tagged
	m          *scan.Matcher
	marks      *scan.ByteSet
	asJSON     grammar.Scans
	r          *grammar.Reader
	inJSON     grammar.Scanner // of an inside that is JSON; nil: it is not, or has not started
	state      int16
	depth      int
	quoted     int  // the end of the last call that a value quotes
	first      byte // of the inside, whitespace aside; 0: not there yet
	inside     int  // where it is
	opens      bool // what follows the tag was looked at
	likely     bool // what follows cannot make the call implausible any more
	hasArg     bool // it has an argument
	openersEnd int  // where the last of several openers ends
}

// StopBytes implements grammar.Scanner.
func (s *argScan) StopBytes() *scan.ByteSet {
	switch {
	case s.inJSON != nil:
		return s.inJSON.StopBytes()
	case s.k.known && !s.opens:
	case s.first != 0 && s.likely && s.m.Depth(s.state) == 0:
		return s.marks
	}
	return nil
}

// Next implements grammar.Scanner.
func (s *argScan) Next(body []byte) (grammar.Verdict, int) {
	if s.inJSON != nil {
		return s.inJSON.Next(body)
	}
	b := body[len(body)-1]
	var hit int
	s.state, hit = s.m.Step(s.state, b)
	if s.first == 0 && !scan.IsSpace(b) {
		s.first, s.inside = b, len(body)-1
		if s.k.JSON && (b == '{' || b == '[') {
			s.inJSON = s.asJSON(s.r)
			return s.inJSON.Next(body)
		}
	}
	if s.k.known && !s.opens && hit < 0 && s.first != 0 { // an argument, its end or JSON follows the tag, and not words
		if at := bytes.IndexByte(body, '>'); at >= 0 && at < len(body)-1 && !scan.IsSpace(b) {
			if s.opens = true; strings.IndexByte("<{\\", b) < 0 {
				return grammar.NotCall, 0
			}
		}
	}
	if s.first != 0 && hit < 0 && !s.likely {
		var possible bool
		if possible, s.likely = s.plausible(body); !possible {
			return grammar.NotCall, s.openersEnd
		}
	}
	switch closers := s.k.Closers; {
	case hit < 0:
		return grammar.More, 0
	case hit >= len(closers):
		return s.opened(body, s.k.Open[hit-len(closers)])
	case s.depth > 0:
		s.depth--
		s.quoted = len(body)
		return grammar.More, 0
	case s.ended(body[:len(body)-len(closers[hit])]):
		return grammar.Whole, 0
	}
	return grammar.More, 0
}

// opened handles an opener inside: it was written twice, or follows a forgotten closer, or a value quotes it.
func (s *argScan) opened(body []byte, opener string) (grammar.Verdict, int) {
	before := body[:len(body)-len(opener)]
	end := scan.TrimmedLen(before)
	before = before[min(s.inside, end):end]
	switch {
	case len(before) == 0 || string(before) == opener:
		s.first, s.likely, s.openersEnd = 0, false, len(body)
	case scan.EndsWith(before, s.k.CallEnd) && end > s.quoted:
		return grammar.Whole, len(opener)
	default:
		s.depth++
	}
	return grammar.More, 0
}

// plausible judges by the first bytes of the inside whether it may be a call, since prose may only mention the marker.
// certain says that what follows cannot change the answer.
func (s *argScan) plausible(body []byte) (possible, certain bool) {
	if s.k.First != "" {
		return strings.IndexByte(s.k.First, s.first) >= 0, true
	}
	head := body[s.inside:]
	if len(head) > 1 && bytes.ContainsAny(head[:len(head)-1], "<{\n") || len(head) > MaxHead {
		return true, true
	}
	last := head[len(head)-1]
	if scan.IsNameByte(last) || last == ':' || last == '<' || last == '\n' || last == '{' {
		return len(head) < 2 || !scan.IsSpace(head[len(head)-2]) || last == '<' || last == '{' || last == '\n' ||
			!scan.IsNameByte(last), false
	}
	return scan.IsSpace(last), false
}

// ended reports whether the inside may end here: after the end of a call or an argument, or before any argument.
func (s *argScan) ended(inner []byte) bool {
	trimmed := inner[:scan.TrimmedLen(inner)]
	if scan.EndsWith(trimmed, s.k.CallEnd) || scan.EndsWith(trimmed, s.k.ArgEnd) {
		return true
	}
	if !s.k.Opens && bytes.HasSuffix(trimmed, []byte("}")) &&
		bytes.IndexByte(inner[:min(len(inner), MaxHead)], '{') >= 0 &&
		!s.hasArgument(inner[:min(len(inner), 4*MaxHead)]) {
		return true // JSON after the name
	}
	return len(inner)-s.inside < MaxHead && !s.hasArgument(inner[min(s.inside, len(inner)):])
}

// hasArgument reports whether there is an argument in the beginning of the inside.
func (s *argScan) hasArgument(head []byte) bool {
	if !s.hasArg {
		s.r.Scanned += len(head)
		s.hasArg = s.k.Arg.Match(head)
	}
	return s.hasArg
}

package toolcall

import (
	"strings"
)

// finish decides what is still open. What is rejected is read again and may leave something open in turn, but less.
func (s *stream) finish(complete bool) {
	switch s.mode {
	case inBlock:
		s.finishBlock(complete)
	case inCandidate:
		s.finishCandidate(complete)
	case inPending:
		if !complete || s.natives > 0 { // a call that also came natively must not run twice
			s.rejectCandidate()
			break
		}
		s.hold = s.hold[:0]
		for _, e := range s.pending {
			s.emit(e)
		}
		s.pending, s.held = nil, nil
		s.prose()
	case inThought:
		s.finishThought(complete)
	case inDoubt:
		s.finishDoubt(complete)
	case inExcess:
		s.mode = inProse
	case inProse:
	}
	if s.mode != inProse {
		s.finish(complete)
		return
	}
	s.rest()
}

// rest shows the prose that was held back.
func (s *stream) rest() {
	if len(s.hold) == 0 {
		return
	}
	if s.called || s.calls > 0 {
		s.show(len(s.hold))
		s.hold = s.hold[:0]
		return
	}
	s.emitText(s.hold)
	s.hold = s.hold[:0]
}

func (s *stream) finishBlock(complete bool) {
	body := string(s.body)
	if s.block.read == nil {
		if s.opener == "" { // no header after all
			s.rejectBlock()
			return
		}
		s.hold = s.hold[:0]
		s.prose()
		return
	}
	if complete {
		rest, at := "", lastOf(body, s.block.closers)
		if at > 0 {
			body, rest = body[:at], body[at:]
		}
		s.last = true // what is rejected now is read once more, not again and again
		s.endBlock(s.found([]byte(body), at > 0))
		s.last = false
		s.again([]byte(rest))
		return
	}
	if s.opener == "" && s.block == s.g.opening && s.r.begun(body) == nil {
		s.rejectBlock()
		return
	}
	s.hold = s.hold[:0]
	s.prose()
	s.emit(s.r.brokenOff(s.opener + body))
}

func (s *stream) finishCandidate(complete bool) {
	if complete {
		s.endCandidate(true)
		return
	}
	if t := s.r.meant(string(s.body)); t != nil {
		raw := string(s.held) + string(s.body)
		s.held, s.pending, s.hold = nil, nil, s.hold[:0]
		s.empty()
		s.prose()
		s.emit(s.r.brokenOff(raw))
		return
	}
	s.rejectCandidate()
}

// lastOf is the place after the last of several markers in text, or 0.
func lastOf(text string, markers []string) int {
	end := 0
	for _, m := range markers { // forwards: strings.LastIndex is many times as slow
		for from := max(0, end-len(m)+1); ; {
			at := strings.Index(text[from:], m)
			if at < 0 {
				break
			}
			from += at + len(m)
			end = from
		}
	}
	return end
}

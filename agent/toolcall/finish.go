package toolcall

import (
	"regexp"
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
		if s.hanging && (!complete || s.natives > 0 || len(s.pending) == 0) {
			s.unhang(nil)
			break
		}
		if !complete || s.natives > 0 { // a call that also came natively must not run twice
			s.rejectCandidate()
			break
		}
		s.drop()
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
	s.advance(len(s.hold))
	s.endMention(false)
	s.rest()
}

// rest shows the prose that was held back.
func (s *stream) rest() {
	if len(s.hold) == 0 {
		return
	}
	if s.called || s.calls > 0 {
		s.show(len(s.hold))
		s.drop()
		return
	}
	s.emitText(s.hold)
	s.drop()
}

func (s *stream) finishBlock(complete bool) {
	body := string(s.body)
	if s.block.read == nil {
		s.finishSilent(body)
		return
	}
	if s.hanging && !complete {
		s.last = true
		s.unhang([]byte(s.opener + body))
		s.last = false
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
	s.drop()
	s.prose()
	s.emit(s.r.brokenOff(s.opener + body))
}

// finishSilent ends a reply in what is not shown: a header that is not whole goes; anything else is text, in which nothing is
// a call, since it may be results that the model made up.
func (s *stream) finishSilent(body string) {
	if s.opener != "" && (s.block.rest || s.block.then != nil && partOfHeader.MatchString(body)) {
		s.drop()
		s.prose()
		return
	}
	s.sealed = s.block.then == nil
	s.rejectBlock()
}

var partOfHeader = regexp.MustCompile(`^\s*(?:assistant|analysis|commentary|final|to=\S*|<\|[^ ]*)?\s*(?:$|to=|<\|)`)

func (s *stream) finishCandidate(complete bool) {
	if complete {
		s.endCandidate(true)
		return
	}
	if t := s.r.meant(string(s.body)); t != nil {
		raw := string(s.held) + string(s.body)
		s.held, s.pending = nil, nil
		s.drop()
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

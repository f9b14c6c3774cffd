package grammar

import (
	"regexp"

	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// finish decides what is still open. What is rejected is read again and may leave something open in turn, but less.
func (s *Stream) finish(complete bool) {
	switch s.mode {
	case inBlock:
		s.finishBlock(complete)
	case inCandidate:
		s.finishCandidate(complete)
	case inPending:
		if s.suspended && (!complete || s.natives > 0 || len(s.pending) == 0) {
			s.release(nil)
			break
		}
		if !complete || s.natives > 0 { // a call that also came natively must not run twice
			s.rejectCandidate()
			break
		}
		s.dropHold()
		for _, e := range s.pending {
			s.emit(e)
		}
		s.pending, s.held = nil, nil
		s.backToProse()
	case inThought:
		s.finishThought(complete)
	case inThoughtCall:
		s.finishThoughtCall(complete)
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
func (s *Stream) rest() {
	if len(s.hold) == 0 {
		return
	}
	if s.called || s.calls > 0 {
		s.show(len(s.hold))
		s.dropHold()
		return
	}
	s.emitText(s.hold)
	s.dropHold()
}

func (s *Stream) finishBlock(complete bool) {
	body := string(s.body)
	if s.block.Read == nil {
		s.finishSilent(body)
		return
	}
	if s.suspended && !complete {
		s.last = true
		s.release([]byte(s.opener + body))
		s.last = false
		return
	}
	if complete {
		rest, at := "", scan.LastEnd(body, s.block.Closers)
		if at > 0 {
			body, rest = body[:at], body[at:]
		}
		s.last = true // what is rejected now is read once more, not again and again
		s.endBlock(s.found([]byte(body), at > 0))
		s.last = false
		s.replay([]byte(rest))
		return
	}
	if s.opener == "" && s.block == s.g.Opening && s.r.toolOnFirstLine(body) == nil {
		s.rejectBlock()
		return
	}
	s.dropHold()
	s.backToProse()
	s.emit(s.r.brokenOff(s.opener + body))
}

// finishSilent ends a reply in what is not shown: a header that is not whole goes; anything else is text, in which nothing is
// a call, since it may be results that the model made up.
func (s *Stream) finishSilent(body string) {
	if s.opener != "" && (s.block.Rest || s.block.Then != nil && partOfHeader.MatchString(body)) {
		s.dropHold()
		s.backToProse()
		return
	}
	s.sealed = s.block.Then == nil
	s.rejectBlock()
}

var partOfHeader = regexp.MustCompile(`^\s*(?:assistant|analysis|commentary|final|to=\S*|<\|[^ ]*)?\s*(?:$|to=|<\|)`)

func (s *Stream) finishCandidate(complete bool) {
	if complete {
		s.endCandidate(true)
		return
	}
	if t := s.r.NamedTool(string(s.body)); t != nil {
		raw := string(s.held) + string(s.body)
		s.held, s.pending = nil, nil
		s.dropHold()
		s.empty()
		s.backToProse()
		s.emit(s.r.brokenOff(raw))
		return
	}
	s.rejectCandidate()
}

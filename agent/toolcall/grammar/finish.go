package grammar

import (
	"bytes"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// finish decides what is still open. What is rejected is read again and may leave something open in turn, but less.
func finish(s *Decoder, complete bool) {
	switch s.mode {
	case inBlock:
		finishBlock(s, complete)
	case inCandidate:
		finishCandidate(s, complete)
	case inPending:
		if s.suspended && (!complete || s.nativeCalls > 0 || len(s.pending) == 0) {
			release(s, nil)
			break
		}
		if !complete || s.nativeCalls > 0 { // a call that also came natively must not run twice
			s.rejectCandidate()
			break
		}
		s.emit(s.pending...)
		s.pending, s.pendingText, s.brokenForeign = nil, nil, false
		s.backToProse()
	case inThought:
		finishThought(s, complete)
	case inThoughtCall:
		finishThoughtCall(s, complete)
	case inExcess:
		s.mode = inProse
	case inProse:
	}
	if s.mode != inProse {
		finish(s, complete)
		return
	}
	s.advance(len(s.uncertain))
	endMention(s, false)
	showRest(s)
}

// showRest shows the prose that was held back.
func showRest(s *Decoder) {
	if len(s.uncertain) == 0 {
		return
	}
	if s.afterCall || s.calls > 0 {
		s.show(len(s.uncertain))
	} else {
		s.emitText(s.uncertain)
	}
	s.dropUncertain()
}

func finishBlock(s *Decoder, complete bool) {
	body := string(s.body)
	if !complete && s.resort != nil && !s.settled {
		s.alternatives = nil
		s.rejectBlock()
		return
	}
	if s.block.Read == nil {
		finishSilent(s, body)
		return
	}
	if s.suspended && !complete {
		s.noBlocks = true
		release(s, []byte(s.opener+body))
		s.noBlocks = false
		return
	}
	if complete {
		rest, at := "", scan.LastEnd(body, s.block.Closers)
		if at > 0 {
			body, rest = body[:at], body[at:]
		}
		// what is rejected now is read once more, not again and again
		s.noBlocks, s.afterForeign = true, s.block.Foreign
		s.endBlock(s.found([]byte(body), at > 0))
		s.noBlocks, s.afterForeign = false, false
		s.replay([]byte(rest))
		return
	}
	if s.opener == "" && s.block == s.g.Opening && s.r.toolOnFirstLine(body) == nil {
		s.rejectBlock()
		return
	}
	s.backToProse()
	s.emit(s.r.brokenOff(s.opener + body))
}

// finishSilent ends a reply in what is not shown: a header that is not whole goes; anything else is text, in which
// nothing is a call, since it may be results that the model made up.
func finishSilent(s *Decoder, body string) {
	if s.opener != "" && (s.block.Rest || s.block.Then != nil && partOfHeader().MatchString(body)) {
		s.backToProse()
		return
	}
	s.sealed = s.block.Then == nil
	s.rejectBlock()
}

func finishCandidate(s *Decoder, complete bool) {
	if complete {
		s.endCandidate(true)
		return
	}
	d, cut := cutCandidate(s, string(s.body))
	if !cut {
		s.rejectCandidate()
		return
	}
	d.Raw = string(s.pendingText) + string(s.body)
	s.pendingText, s.pending = nil, nil
	s.clearBody()
	s.backToProse()
	s.emit(s.r.Broken(d))
}

// cutCandidate is the broken call in what was held when the reply was cut off; false: there is none. Another candidate
// that begins alike may know its own.
func cutCandidate(s *Decoder, body string) (d Draft, ok bool) {
	if s.candidate.Cut == nil && s.r.NamedTool(body) != nil {
		return s.r.cutOff(body), true
	}
	for _, c := range candidates(s, nil) {
		if c.Cut == nil || body == "" || strings.IndexByte(c.Starts, body[0]) < 0 {
			continue
		}
		if d, ok = c.Cut(s.r, body); ok {
			return d, true
		}
	}
	return Draft{}, false
}

// finishThought ends a reply inside a thought. If the model meant to end there, what it thought may be its answer.
func finishThought(s *Decoder, complete bool) {
	showThought(s, len(s.uncertain))
	some := !s.fresh
	endThought(s)
	if complete && s.calls == 0 && some {
		s.unclosedThought = true
	}
}

// finishThoughtCall reads a thought that a call ended.
func finishThoughtCall(s *Decoder, complete bool) {
	rest := bytes.Clone(bytes.TrimLeft(s.uncertain, " \t\r\n"))
	if !complete {
		showThought(s, len(s.uncertain))
		rest = nil
	}
	endThought(s)
	s.replay(rest)
}

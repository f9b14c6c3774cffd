package toolcall

import (
	"fmt"
	"slices"
)

// maxCall bounds what is held of one call, or of what may be one: a model can loop inside an open tag for its whole context.
// It is far more than a context window holds, and than any tool takes.
const maxCall = 8 << 20

// keptOfExcess is how much of a call that was too long is reported: enough to see what it was.
const keptOfExcess = 4 << 10

// minGrowth is by how much the buffer of a long argument grows at least: most calls then fit at once.
const minGrowth = 8 << 10

// holding is how much is held of what is being read.
func (s *stream) holding() int { return len(s.held) + len(s.body) }

// grow makes room for n more bytes of the body, and for at least some more. The room ends where a call is too long: then it
// reports false.
func (s *stream) grow(n, least int) bool {
	have, room := len(s.body), maxCall-s.holding()
	if n > room {
		return false
	}
	s.body = slices.Grow(s.body, min(max(n, least, have), room))
	s.body = s.body[:have:min(cap(s.body), have+room)]
	return true
}

// overflow gives up what b makes longer than a call may be. What was certainly meant as one is reported, and the rest of the
// reply is dropped: it may be the inside of an argument, so nothing in it may run or be shown as an answer. Anything else is
// prose.
func (s *stream) overflow(b byte) {
	inside := s.mode == inBlock
	s.heed, s.escaped = nil, false
	if inside && s.block.read == nil { // what it holds is dropped anyway
		s.body = append(s.body[:0], b)
		s.scanBody()
		return
	}
	raw := string(s.body[:min(len(s.body), keptOfExcess)])
	d := draft{raw: raw, broken: fmt.Sprintf("it is longer than %d MiB, so that the rest of the reply was dropped", maxCall>>20)}
	if inside {
		d.raw = s.opener + raw
	}
	if t := s.r.meant(raw); t != nil {
		d.name = t.Name
	} else if !inside {
		s.rejectCandidate()
		s.byte(b)
		return
	}
	s.hold, s.held, s.body, s.pending, s.others = s.hold[:0], nil, nil, nil, nil
	s.thought = nil
	s.prose()
	s.emit(s.r.broken(d))
	s.mode = inExcess
}

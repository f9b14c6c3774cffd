package toolcall

import (
	"bytes"
	"slices"
)

// skim takes the bytes that do not matter to the open block, and gives the rest of text.
func (s *stream) skim(text string) string {
	at := 0
	if s.escaped {
		if s.escaped = false; s.heed[text[0]] == marking {
			s.scanBody()
			return text
		}
		at = 1
	}
	at, s.escaped = skip(text, at, s.heed)
	if room := maxCall - s.holding(); at > room { // the next byte is one too many
		at, s.escaped = room, false
	}
	if cap(s.body)-len(s.body) < at {
		s.grow(at)
	}
	s.seen += at
	s.body = append(s.body, text[:at]...)
	return text[at:]
}

func (s *stream) beginBlock(opener string, b *block) {
	// Blanks before the block stay in hold until it is certain that it is one.
	s.hold = s.hold[:len(s.hold)-len(opener)]
	s.mode, s.opener, s.block, s.state, s.others = inBlock, opener, b, 0, nil
	s.empty()
	s.scan = b.scan(s.r)
}

// scanBody shows the body of a block or a candidate to its scanner.
func (s *stream) scanBody() {
	v, back := s.scan.next(s.body)
	s.heed = nil
	if v == more {
		s.heed = s.scan.heeds()
		return
	}
	end := len(s.body) - back
	rest := bytes.Clone(s.body[end:])
	switch inside := s.mode == inBlock; {
	case v == notCall && inside:
		s.sure = back
		s.rejectBlock()
		return
	case v == notCall:
		s.notThis()
		return
	case inside:
		s.body = s.body[:end]
		s.endBlock(s.found(s.body, true))
	default:
		s.body = s.body[:end]
		s.endCandidate(true)
	}
	s.again(rest)
}

// found is the open block with a body.
func (s *stream) found(body []byte, closed bool) found {
	return found{opener: s.opener, body: body, final: true, closed: closed}
}

// endBlock reads a whole block and goes on.
func (s *stream) endBlock(f found) {
	b := s.block
	events, ok := []Event(nil), true
	if b.read != nil {
		events, ok = b.read(s.r, f)
	}
	if !ok || len(s.others) > 0 && !slices.ContainsFunc(events, isCall) {
		s.rejectBlock()
		return
	}
	if b.read == nil && b.then != nil && endsWith(f.body, b.closers) && !partOfHeader.Match(f.body) { // words, and no header
		s.rejectBlock()
		return
	}
	if b.read == nil && b.then == nil { // nothing was there
		s.mode, s.state = inProse, 0
		return
	}
	if s.hanging && s.hang(f, events) {
		return
	}
	s.drop()
	s.prose()
	for _, e := range events {
		s.emit(e)
	}
	if t := s.thought; t != nil && t.resumes {
		s.mode, s.fresh = inThought, true
		return
	}
	s.thought = nil
	if b.then == nil {
		return
	}
	switch then := b.then(f); {
	case then.thought != nil:
		s.beginThought(then.thought)
	case then.block != nil:
		header, _ := f.text()
		s.beginBlock("", then.block)
		s.opener = header // for the block's reader
	}
}

func isCall(e Event) bool {
	_, ok := e.(Called)
	return ok
}

// rejectBlock gives what was read back as prose: the marker as it is, the rest read again.
func (s *stream) rejectBlock() {
	sure := s.sure
	s.sure = 0
	rest := bytes.Clone(s.body)
	if len(s.others) > 0 {
		s.block, s.others = s.others[0], s.others[1:]
		s.empty()
		s.scan, s.mode = s.block.scan(s.r), inBlock
		for _, b := range rest {
			s.byte(b)
		}
		return
	}
	if s.hanging && len(s.held) > 0 {
		s.unhang([]byte(s.opener + string(rest)))
		return
	}
	opener, rest := append([]byte(s.opener), rest[:sure]...), rest[sure:]
	if s.thought != nil { // the thought goes on
		s.mode, s.state = inThought, 0
		s.hold = append(s.hold, opener...)
		s.empty()
		s.showThought(len(s.hold))
		s.again(rest)
		return
	}
	s.mode, s.state, s.hanging = inProse, 0, false
	if s.opener != "" && s.block.then == nil {
		s.mentioned += 1 + bytes.Count(opener[len(s.opener):], []byte(s.opener))
	}
	s.asText(opener)
	s.empty()
	if s.block == s.g.opening { // the reply has no header: it begins here
		for _, b := range rest {
			s.byte(b)
		}
		return
	}
	s.again(rest)
}

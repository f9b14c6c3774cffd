package grammar

import (
	"bytes"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// skipAhead takes the bytes that do not matter to the open block, and gives the rest of text.
func (s *Decoder) skipAhead(text string) string {
	at := 0
	if s.escaped {
		if s.escaped = false; s.stopBytes[text[0]] == scan.Marking {
			s.scanBody()
			return text
		}
		at = 1
	}
	at, s.escaped = scan.Skip(text, at, s.stopBytes)
	if room := MaxCall - s.heldBytes(); at > room { // the next byte is one too many
		at, s.escaped = room, false
	}
	if cap(s.body)-len(s.body) < at {
		s.grow(at)
	}
	s.seen += at
	s.body = append(s.body, text[:at]...)
	return text[at:]
}

func (s *Decoder) beginBlock(opener string, b *Block) {
	// Whitespace before the block stay uncertain until it is certain that it is a block.
	s.uncertain = s.uncertain[:len(s.uncertain)-len(opener)]
	s.mode, s.opener, s.block, s.place, s.alternatives = inBlock, opener, b, place{}, nil
	s.resort, s.settled, s.named, s.within, s.suspends = nil, false, false, 0, s.suspended
	s.headed, s.strict, s.entered = false, false, target{}
	s.suspended = s.suspended || b.Foreign
	s.clearBody()
	s.scan = b.Scan(s.r)
}

// scanBody shows the body of a block or a candidate to its scanner.
func (s *Decoder) scanBody() {
	v, back := s.scan.Next(s.body)
	s.stopBytes = nil
	if v == More && s.mode == inBlock {
		switch {
		case s.within > 0 && len(s.body) < s.within:
			return
		case s.within > 0, unnamed(s):
			v = NotCall
		default:
			s.named = s.named || len(s.body) >= namedWithin
		}
	}
	if v == More {
		s.stopBytes = s.scan.StopBytes()
		return
	}
	end := len(s.body) - back
	rest := bytes.Clone(s.body[end:])
	switch inside := s.mode == inBlock; {
	case v == NotCall && inside:
		s.proseInBody = back
		s.rejectBlock()
		return
	case v == NotCall:
		s.tryNextCandidate()
		return
	case inside:
		s.body = s.body[:end]
		s.endBlock(s.found(s.body, true))
	default:
		s.body = s.body[:end]
		s.endCandidate(true)
	}
	s.replay(rest)
}

// found is the open block with a body.
func (s *Decoder) found(body []byte, closed bool) Found {
	return Found{Opener: s.opener, Body: body, Final: true, Closed: closed}
}

// endBlock reads a whole block and goes on.
func (s *Decoder) endBlock(f Found) {
	b := s.block
	events, ok := []toolcall.Event(nil), true
	if b.Read != nil {
		events, ok = b.Read(s.r, f)
	}
	if !ok || tryLater(s, f, events) {
		s.rejectBlock()
		return
	}
	// words, and no header
	if b.Read == nil && b.Then != nil && scan.EndsWith(f.Body, b.Closers) && !partOfHeader().Match(f.Body) {
		s.rejectBlock()
		return
	}
	if b.Read == nil && b.Then == nil { // nothing was there
		s.goOn(inProse)
		return
	}
	if s.suspended && suspend(s, f, events) {
		return
	}
	s.backToProse()
	s.emit(events...)
	if t := s.thought; t != nil && t.Resumes {
		s.mode, s.fresh = inThought, true
		return
	}
	s.thought = nil
	if b.Then == nil {
		return
	}
	switch then := b.Then(f); {
	case then.Thought != nil:
		beginThought(s, then.Thought)
	case then.Block != nil:
		s.beginMessage(f, then.Block)
	}
}

// beginMessage goes on with the block that a header announces.
func (s *Decoder) beginMessage(header Found, b *Block) {
	strict := s.strict || s.block.Foreign
	text, _ := header.Text()
	s.beginBlock("", b)
	s.opener, s.headed, s.strict = text, true, strict // the block's reader needs the header
}

// rejectBlock gives what was read back as prose: the marker as it is, the rest read again.
func (s *Decoder) rejectBlock() {
	sure := s.proseInBody
	s.proseInBody = 0
	rest := bytes.Clone(s.body)
	if next := nextBlock(s); next != nil {
		s.block, s.suspended, s.named = next, s.suspends || next.Foreign, false
		s.clearBody()
		s.scan, s.mode = next.Scan(s.r), inBlock
		s.reread += len(rest)
		s.feed(rest)
		return
	}
	if (s.headed || s.entered.expects || s.entered.noise && s.suspends) && s.thought == nil &&
		!s.rereadTooMuch(len(rest)) {
		expectCall(s, rest)
		return
	}
	s.suspended = s.suspends || s.block.Foreign
	if s.suspended && len(s.pendingText) > 0 {
		release(s, []byte(s.opener+string(rest)))
		return
	}
	opener, rest := append([]byte(s.opener), rest[:sure]...), rest[sure:]
	if s.thought != nil { // the thought goes on
		s.goOn(inThought)
		s.uncertain = append(s.uncertain, opener...)
		s.clearBody()
		showThought(s, len(s.uncertain))
		s.replay(rest)
		return
	}
	s.mode, s.place, s.suspended = inProse, place{}, false
	if s.entered.noise {
		s.dropMarker(false)
		s.clearBody()
		s.replay(rest)
		return
	}
	if s.opener != "" && s.block.Then == nil && !s.block.Foreign {
		s.mentioned += 1 + bytes.Count(opener[len(s.opener):], []byte(s.opener))
	}
	s.showAsText(opener)
	s.clearBody()
	if s.block == s.g.Opening { // the reply has no header: it begins here
		s.feed(rest)
		return
	}
	s.replay(rest)
}

package grammar

import (
	"bytes"
	"slices"

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
	s.mode, s.opener, s.block, s.state, s.alternatives = inBlock, opener, b, 0, nil
	s.clearBody()
	s.scan = b.Scan(s.r)
}

// scanBody shows the body of a block or a candidate to its scanner.
func (s *Decoder) scanBody() {
	v, back := s.scan.Next(s.body)
	s.stopBytes = nil
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
	if !ok || len(s.alternatives) > 0 && !slices.ContainsFunc(events, isCall) {
		s.rejectBlock()
		return
	}
	if b.Read == nil && b.Then != nil && scan.EndsWith(f.Body, b.Closers) && !partOfHeader().Match(f.Body) { // words, and no header
		s.rejectBlock()
		return
	}
	if b.Read == nil && b.Then == nil { // nothing was there
		s.mode, s.state = inProse, 0
		return
	}
	if s.suspended && s.suspend(f, events) {
		return
	}
	s.dropUncertain()
	s.backToProse()
	for _, e := range events {
		s.emit(e)
	}
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
		s.beginThought(then.Thought)
	case then.Block != nil:
		header, _ := f.Text()
		s.beginBlock("", then.Block)
		s.opener = header // for the block's reader
	}
}

// rejectBlock gives what was read back as prose: the marker as it is, the rest read again.
func (s *Decoder) rejectBlock() {
	sure := s.proseInBody
	s.proseInBody = 0
	rest := bytes.Clone(s.body)
	if len(s.alternatives) > 0 {
		s.block, s.alternatives = s.alternatives[0], s.alternatives[1:]
		s.clearBody()
		s.scan, s.mode = s.block.Scan(s.r), inBlock
		s.feed(rest)
		return
	}
	if s.suspended && len(s.pendingText) > 0 {
		s.release([]byte(s.opener + string(rest)))
		return
	}
	opener, rest := append([]byte(s.opener), rest[:sure]...), rest[sure:]
	if s.thought != nil { // the thought goes on
		s.mode, s.state = inThought, 0
		s.uncertain = append(s.uncertain, opener...)
		s.clearBody()
		s.showThought(len(s.uncertain))
		s.replay(rest)
		return
	}
	s.mode, s.state, s.suspended = inProse, 0, false
	if s.opener != "" && s.block.Then == nil {
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

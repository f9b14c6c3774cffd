package grammar

import (
	"slices"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// NewDecoder starts decoding. foreign has the envelopes of other families; nil: none are looked for. prompted says that
// the prompt already opened a thought.
func NewDecoder(g, foreign *Grammar, tools []model.Tool, prompted bool) *Decoder {
	s := &Decoder{g: g, foreign: foreign, r: NewReader(tools)}
	s.borrowBody()
	switch {
	case prompted && len(g.Thoughts) > 0:
		beginThought(s, &g.Thoughts[0])
		s.prompted = true
	case g.Opening != nil:
		s.beginBlock("", g.Opening)
	}
	return s
}

// OfferAll makes every plain name count as offered.
func (s *Decoder) OfferAll() { s.r.Catalog.Open = true }

// Scanned is how many bytes were read or searched, some more than once.
func (s *Decoder) Scanned() int { return s.seen + s.r.Scanned }

// GaveUp reports whether so much was read again that something was not searched for calls.
func (s *Decoder) GaveUp() bool { return s.gaveUp }

// Push implements toolcall.Decoder.
//
// Most chunks are a piece of a long argument in which nothing matters: that is found out at once.
func (s *Decoder) Push(c model.Chunk) []toolcall.Event {
	stops, text, have := s.stopBytes, c.Text, len(s.body)
	if stops == nil || len(text) > cap(s.body)-have || c.Thinking != "" || len(c.Calls) > 0 || c.Done != nil {
		return s.push(c)
	}
	room := s.body[have : have+len(text)]
	end, escaped := 0, s.escaped
	if escaped && text != "" && stops[text[0]] != scan.Marking {
		end = 1
	} else if escaped {
		return s.push(c)
	}
	if end, escaped = scan.Skip(text, end, stops); end < len(text) {
		return s.push(c)
	}
	copy(room, text)
	s.body, s.escaped = s.body[:have+len(text)], escaped
	s.seen += len(text)
	return nil
}

func (s *Decoder) push(c model.Chunk) []toolcall.Event {
	if c.Thinking != "" {
		leavePromptedThought(s)
		s.emitThinking([]byte(c.Thinking))
	}
	s.read(c.Text)
	for _, call := range c.Calls {
		s.native(call)
	}
	if c.Done != nil && c.Done.Reason == "length" {
		s.hitLimit = true
	}
	if len(s.textOut)+len(s.thinkingOut)+len(s.out) == 0 { // most chunks are a piece of a long argument
		return nil
	}
	s.flush(false)
	return s.take()
}

// End implements Decoder.
func (s *Decoder) End(complete bool) []toolcall.Event {
	complete = complete && !s.hitLimit
	finish(s, complete)
	s.reportQuoted(complete)
	s.flush(true)
	s.giveBackBody()
	if s.unclosedThought {
		s.out = append(s.out, toolcall.Unclosed{})
	}
	return s.take()
}

// native takes a call from the backend's own field: it needs no envelope.
func (s *Decoder) native(call model.Call) {
	s.nativeCalls++
	// for people: it may not be JSON
	raw := values.WriteObject(
		[]values.Member{{Key: "name", Text: call.Name}, {Key: "arguments", Value: values.OrNull(call.Arguments)}},
	)
	s.emit(s.r.Event(Draft{ID: call.ID, Name: call.Name, Arguments: call.Arguments, Unchecked: true, Raw: string(raw)}))
}

// read takes text. Inside a block it steps over the bytes that do not matter.
func (s *Decoder) read(text string) {
	for len(text) > 0 && s.mode != inExcess {
		if s.stopBytes != nil {
			if text = s.skipAhead(text); text == "" {
				return
			}
		}
		s.byte(text[0])
		text = text[1:]
	}
}

func (s *Decoder) byte(b byte) {
	s.seen++
	if s.replaying > 0 {
		s.reread++
	}
	switch s.mode {
	case inProse:
		s.proseByte(b)
	case inThought:
		s.thoughtByte(b)
	case inThoughtCall:
		s.thoughtCallByte(b)
	case inBlock, inCandidate:
		if len(s.body) == cap(s.body) && !s.grow(1) {
			s.overflow(b)
			return
		}
		s.body = append(s.body, b)
		s.scanBody()
	case inPending:
		s.pendingByte(b)
	case inExcess:
	}
}

// overflow gives up what b makes longer than a call may be. What was certainly meant as one is reported, and the rest
// of the reply is dropped: it may be the inside of an argument, so nothing in it may run or be shown as an answer.
// Anything else is prose.
func (s *Decoder) overflow(b byte) {
	inside := s.mode == inBlock
	s.stopBytes, s.escaped = nil, false
	if inside && s.block.Read == nil { // what it holds is dropped anyway
		s.body = append(s.body[:0], b)
		s.scanBody()
		return
	}
	d := s.r.tooLong(s.body)
	switch {
	case inside:
		d.Raw = s.opener + d.Raw
	case d.Name == "":
		s.rejectCandidate()
		s.byte(b)
		return
	}
	s.pendingText, s.body, s.pending, s.alternatives, s.thought = nil, nil, nil, nil, nil
	s.backToProse()
	s.emit(s.r.Broken(d))
	s.mode = inExcess
}

// reportQuoted reports what was shown and not made, unless the same call was made as well, or that something was not
// searched.
func (s *Decoder) reportQuoted(complete bool) {
	if len(s.shownCalls) == 0 && complete && s.calls == 0 && !s.hasWords {
		s.searchThoughts()
	}
	if !complete {
		return
	}
	left := slices.DeleteFunc(s.shownCalls, func(shown toolcall.Call) bool { return contains(s.madeCalls, shown) })
	switch {
	case len(left) > 0:
		s.notice = noticeOf(left, s.shownWhy)
	case s.notice.Reason == "" && s.gaveUp:
		s.notice.Reason = notAllRead
	case s.notice.Reason == "":
		return
	}
	s.notice.Alone = !s.hasWords && s.calls == 0
	s.flush(true)
	s.out = append(s.out, s.notice)
}

// searchThoughts looks for a call in the thoughts of a reply that has nothing else.
func (s *Decoder) searchThoughts() {
	d := NewDecoder(s.g, s.foreign, nil, false)
	d.r, d.inThoughts = s.r, true
	d.read(string(s.thoughts))
	finish(d, true)
	noteCall(s, d.out, foundIn("the thinking"))
	s.gaveUp = s.gaveUp || d.gaveUp
}

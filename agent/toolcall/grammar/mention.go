package grammar

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/prose"
	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// mention is what looks like a call and is only shown. It is read along, so that nothing in it is taken for another one, and so
// that the model can be told if it has the whole form of a call.
type mention struct {
	why    string // it is only shown; follows "because"
	bound  bool   // it ends where what shows it ends
	scan   Scanner
	body   []byte
	opener string
	block  *Block
	others []*Block
	json   values.Scan    // of a block that runs on
	cand   *Candidate     // instead of a block
	before prose.Markdown // what was known of the prose before it
}

// quoteMarker takes a marker that is text.
func (s *Stream) quoteMarker(t target, why string) {
	if m := s.mention; m != nil {
		if s.advance(len(s.hold)); s.mention != nil || t.block == nil {
			return // it is inside
		}
		why = m.why // that ended before it
	}
	if closer, _ := s.text.Wrapped(); s.text.Marks.Closer == 0 {
		s.text.Marks.Closer = closer
	}
	before := s.text.Inside()
	s.text.Held = true
	s.skipMarkers()
	s.text.Held = false
	switch {
	case t.block != nil && why != "":
		s.mention = &mention{why: why, bound: strings.HasPrefix(why, standsIn("")), scan: t.block.Scan(s.r), opener: t.marker, block: t.block, others: t.others, before: before}
		s.text.Held = true
		s.mentioned++
	case t.block != nil || t.thought != nil:
		s.mentioned++
	default:
		if s.adjacent = true; why != "" {
			s.because = why
		}
	}
}

// skipMarkers says that the rest of hold is a marker which is text: no words.
func (s *Stream) skipMarkers() {
	for ; s.followed < len(s.hold); s.followed++ {
		s.text.Next(s.hold[s.followed])
	}
}

// mentionCandidate begins a mention with the first byte of a line, where no candidate may begin.
func (s *Stream) mentionCandidate(b byte) {
	if s.replaying > 0 || s.mode != inProse {
		return
	}
	for i := range s.g.Candidates {
		c := &s.g.Candidates[i]
		if strings.IndexByte(c.Starts, b) < 0 {
			continue
		}
		at := s.text
		at.Span.Length = 0 // b may begin a fence
		where, _ := at.Shows(true)
		why, bound := standsIn(where), where != ""
		if !bound {
			why = s.lead.Forbids()
		}
		if why != "" {
			s.mention = &mention{why: why, bound: bound, scan: c.Scan(s.r), cand: c}
		}
		return
	}
}

// watch shows a byte of text to the open mention.
func (s *Stream) watch(b byte, content bool) {
	m := s.mention
	if m.bound && s.text.Fence.Size == 0 && (s.text.Begun || strings.IndexByte("`\">", b) >= 0 || b >= 0x80) {
		if where, _ := s.text.Shows(false); where == "" {
			s.endMention(false)
			return
		}
	}
	if !content {
		return
	}
	if len(m.body) == MaxCall {
		s.forget(nil)
		return
	}
	m.body = append(m.body, b)
	if len(m.body) == 2 && m.block != nil && strings.IndexByte("\"'`", m.body[0]) >= 0 && !scan.IsNameByte(b) { // only the marker is quoted
		s.forget(m.body)
		s.text = m.before
		for i := range len(m.opener) + 2 {
			s.text.Next((m.opener + string(m.body))[i])
		}
		return
	}
	v, back := m.scan.Next(m.body)
	if m.block != nil && m.block.RunsOn && (m.json.Started || b == '{') && m.json.Next(b) {
		v = Whole
	}
	switch {
	case v == Whole:
		if m.body = m.body[:len(m.body)-back]; back == 0 && m.block != nil { // code and marks in it are its own
			last := s.text.Last
			s.text = m.before
			s.text.Last = last
		}
		s.endMention(true)
	case v == NotCall && len(m.others) > 0:
		s.mention = &mention{why: m.why, bound: m.bound, scan: m.others[0].Scan(s.r), opener: m.opener, block: m.others[0], others: m.others[1:], before: m.before}
		for _, b := range m.body {
			if s.mention != nil && s.mention.block == m.others[0] {
				s.watch(b, true)
			}
		}
	case v == NotCall:
		s.forget(m.body)
		s.text.Marks.Next(b, s.text.Last)
	}
}

// forget drops a mention that is no call: what it held are words.
func (s *Stream) forget(body []byte) {
	s.mention, s.text.Held = nil, false
	s.words = s.words || len(bytes.TrimSpace(body)) > 0
}

// endMention reads what was shown, to its own end or to that of what shows it, and notes it if it is a call.
func (s *Stream) endMention(closed bool) {
	m := s.mention
	if m == nil {
		return
	}
	s.mention, s.adjacent, s.because, s.text.Held = nil, closed, m.why, false
	if m.cand != nil {
		var events []toolcall.Event
		if bytes.ContainsAny(m.body, "{[(<") { // no call is without any of them
			events, _ = m.cand.Read(s.r, string(m.body), true)
		}
		s.note(events, m)
		return
	}
	if s.mentioned > 0 && closed {
		s.mentioned--
	}
	f := Found{Opener: m.opener, Body: m.body, Final: true, Closed: closed}
	if m.block.Read != nil {
		events, _ := m.block.Read(s.r, f)
		s.note(events, m)
	}
	if m.block.Then == nil || !closed {
		return
	}
	if then := m.block.Then(f); then.Block != nil {
		header, _ := f.Text()
		s.mention = &mention{why: m.why, bound: m.bound, scan: then.Block.Scan(s.r), opener: header, block: then.Block, before: m.before}
		s.text.Held = true
	}
}

func (s *Stream) note(events []toolcall.Event, m *mention) {
	if !s.quote(events, m.why) {
		s.forget(m.body)
	}
}

// quote notes the first call of what is only shown; false: there is none.
func (s *Stream) quote(events []toolcall.Event, why string) bool {
	for _, e := range events {
		if c, ok := e.(toolcall.Called); ok {
			if s.quoted == nil {
				s.quoted = &c.Call
				s.notice = toolcall.Quoted{Name: c.Call.Name, Reason: fmt.Sprintf("The call of %s in this reply was shown and not made, because %s: "+
					"if it was meant, make it again by itself, and if it was only to be shown, nothing needs to be done.", c.Call.Name, why)}
			}
			return true
		}
	}
	return false
}

// reportQuoted reports what was shown and not made, unless the same call was made as well, or that something was not searched.
func (s *Stream) reportQuoted(complete bool) {
	if s.quoted == nil && complete && s.calls == 0 && !s.words {
		s.searchThoughts()
	}
	switch {
	case !complete || s.quoted == nil && !s.gaveUp:
		return
	case s.quoted == nil:
		s.notice.Reason = notAllRead
	case slices.ContainsFunc(s.made, func(c toolcall.Call) bool {
		return c.Name == s.quoted.Name && bytes.Equal(c.Arguments, s.quoted.Arguments)
	}):
		return
	}
	s.notice.Alone = !s.words && s.calls == 0
	s.flush(true)
	s.out = append(s.out, s.notice)
}

// searchThoughts looks for a call in the thoughts of a reply that has nothing else.
func (s *Stream) searchThoughts() {
	d := NewDecoder(s.g, nil, false)
	d.r, d.inThoughts = s.r, true
	d.read(string(s.thoughts))
	d.finish(true)
	s.quote(d.out, standsIn("the thinking"))
	s.gaveUp = s.gaveUp || d.gaveUp
}

package toolcall

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// mention is what looks like a call and is only shown. It is read along, so that nothing in it is taken for another one, and so
// that the model can be told if it has the whole form of a call.
type mention struct {
	why    string // it is only shown; follows "because"
	bound  bool   // it ends where what shows it ends
	scan   scanner
	body   []byte
	opener string
	block  *block
	others []*block
	json   jsonScan   // of a block that runs on
	cand   *candidate // instead of a block
	before markdown   // what was known of the prose before it
}

// quoteMarker takes a marker that is text.
func (s *stream) quoteMarker(t target, why string) {
	if m := s.mention; m != nil {
		if s.advance(len(s.hold)); s.mention != nil || t.block == nil {
			return // it is inside
		}
		why = m.why // that ended before it
	}
	if closer, _ := s.text.wrapped(); s.text.marks.closer == 0 {
		s.text.marks.closer = closer
	}
	before := s.text.inside()
	s.text.held = true
	s.skipMarkers()
	s.text.held = false
	switch {
	case t.block != nil && why != "":
		s.mention = &mention{why: why, bound: strings.HasPrefix(why, standsIn("")), scan: t.block.scan(s.r), opener: t.marker, block: t.block, others: t.others, before: before}
		s.text.held = true
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
func (s *stream) skipMarkers() {
	for ; s.followed < len(s.hold); s.followed++ {
		s.text.next(s.hold[s.followed])
	}
}

// mentionCandidate begins a mention with the first byte of a line, where no candidate may begin.
func (s *stream) mentionCandidate(b byte) {
	if s.replaying > 0 || s.mode != inProse {
		return
	}
	for i := range s.g.candidates {
		c := &s.g.candidates[i]
		if strings.IndexByte(c.starts, b) < 0 {
			continue
		}
		at := s.text
		at.span.length = 0 // b may begin a fence
		where, _ := at.shows(true)
		why, bound := standsIn(where), where != ""
		if !bound {
			why = s.lead.forbids()
		}
		if why != "" {
			s.mention = &mention{why: why, bound: bound, scan: c.scan(s.r), cand: c}
		}
		return
	}
}

// watch shows a byte of text to the open mention.
func (s *stream) watch(b byte, content bool) {
	m := s.mention
	if m.bound && s.text.fence.size == 0 && (s.text.begun || strings.IndexByte("`\">", b) >= 0 || b >= 0x80) {
		if where, _ := s.text.shows(false); where == "" {
			s.endMention(false)
			return
		}
	}
	if !content {
		return
	}
	if len(m.body) == maxCall {
		s.forget(nil)
		return
	}
	m.body = append(m.body, b)
	if len(m.body) == 2 && m.block != nil && strings.IndexByte("\"'`", m.body[0]) >= 0 && !isNameByte(b) { // only the marker is quoted
		s.forget(m.body)
		s.text = m.before
		for i := range len(m.opener) + 2 {
			s.text.next((m.opener + string(m.body))[i])
		}
		return
	}
	v, back := m.scan.next(m.body)
	if m.block != nil && m.block.runsOn && (m.json.started || b == '{') && m.json.next(b) {
		v = whole
	}
	switch {
	case v == whole:
		if m.body = m.body[:len(m.body)-back]; back == 0 && m.block != nil { // code and marks in it are its own
			last := s.text.last
			s.text = m.before
			s.text.last = last
		}
		s.endMention(true)
	case v == notCall && len(m.others) > 0:
		s.mention = &mention{why: m.why, bound: m.bound, scan: m.others[0].scan(s.r), opener: m.opener, block: m.others[0], others: m.others[1:], before: m.before}
		for _, b := range m.body {
			if s.mention != nil && s.mention.block == m.others[0] {
				s.watch(b, true)
			}
		}
	case v == notCall:
		s.forget(m.body)
		s.text.marks.next(b, s.text.last)
	}
}

// forget drops a mention that is no call: what it held are words.
func (s *stream) forget(body []byte) {
	s.mention, s.text.held = nil, false
	s.words = s.words || len(bytes.TrimSpace(body)) > 0
}

// endMention reads what was shown, to its own end or to that of what shows it, and notes it if it is a call.
func (s *stream) endMention(closed bool) {
	m := s.mention
	if m == nil {
		return
	}
	s.mention, s.adjacent, s.because, s.text.held = nil, closed, m.why, false
	if m.cand != nil {
		var events []Event
		if bytes.ContainsAny(m.body, "{[(<") { // no call is without any of them
			events, _ = m.cand.read(s.r, string(m.body), true)
		}
		s.note(events, m)
		return
	}
	if s.mentioned > 0 && closed {
		s.mentioned--
	}
	f := found{opener: m.opener, body: m.body, final: true, closed: closed}
	if m.block.read != nil {
		events, _ := m.block.read(s.r, f)
		s.note(events, m)
	}
	if m.block.then == nil || !closed {
		return
	}
	if then := m.block.then(f); then.block != nil {
		header, _ := f.text()
		s.mention = &mention{why: m.why, bound: m.bound, scan: then.block.scan(s.r), opener: header, block: then.block, before: m.before}
		s.text.held = true
	}
}

func (s *stream) note(events []Event, m *mention) {
	if !s.quote(events, m.why) {
		s.forget(m.body)
	}
}

// quote notes the first call of what is only shown; false: there is none.
func (s *stream) quote(events []Event, why string) bool {
	for _, e := range events {
		if c, ok := e.(Called); ok {
			if s.quoted == nil {
				s.quoted = &c.Call
				s.notice = Quoted{Name: c.Call.Name, Reason: fmt.Sprintf("The call of %s in this reply was shown and not made, because %s: "+
					"if it was meant, make it again by itself, and if it was only to be shown, nothing needs to be done.", c.Call.Name, why)}
			}
			return true
		}
	}
	return false
}

// tell reports what was shown and not made, unless the same call was made as well, or that something was not searched.
func (s *stream) tell(complete bool) {
	if s.quoted == nil && complete && s.calls == 0 && !s.words {
		s.searchThoughts()
	}
	switch {
	case !complete || s.quoted == nil && !s.gaveUp:
		return
	case s.quoted == nil:
		s.notice.Reason = notAllRead
	case slices.ContainsFunc(s.made, func(c Call) bool {
		return c.Name == s.quoted.Name && bytes.Equal(c.Arguments, s.quoted.Arguments)
	}):
		return
	}
	s.notice.Alone = !s.words && s.calls == 0
	s.flush(true)
	s.out = append(s.out, s.notice)
}

// searchThoughts looks for a call in the thoughts of a reply that has nothing else.
func (s *stream) searchThoughts() {
	d := newStream(s.g, nil, false)
	d.r, d.inThoughts = s.r, true
	d.read(string(s.thoughts))
	d.finish(true)
	s.quote(d.out, standsIn("the thinking"))
	s.gaveUp = s.gaveUp || d.gaveUp
}

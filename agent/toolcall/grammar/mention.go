package grammar

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// mentionCandidate begins a mention with the first byte of a line, where no candidate may begin.
func mentionCandidate(s *Decoder, b byte) {
	if s.replaying > 0 || s.mode != inProse {
		return
	}
	for _, c := range candidates(s, nil) {
		if strings.IndexByte(c.Starts, b) < 0 {
			continue
		}
		at := s.markdown
		at.Span.Length = 0 // b may begin a fence
		where, _ := at.Shows(true)
		why, bound := foundIn(where), where != ""
		if !bound {
			why = forbids(s, c)
		}
		if why != "" {
			s.mention = &mention{why: why, bound: bound, scan: c.Scan(s.r), candidate: c}
		}
		return
	}
}

// extendMention shows a byte of text to the open mention.
func extendMention(s *Decoder, b byte, content bool) {
	m := s.mention
	if m.bound && s.markdown.Fence.Size == 0 &&
		(s.markdown.TextStart || strings.IndexByte("`\">", b) >= 0 || b >= 0x80) {
		if where, _ := s.markdown.Shows(false); where == "" {
			endMention(s, false)
			return
		}
	}
	if !content {
		return
	}
	if len(m.body) == MaxCall {
		dropMention(s, nil)
		return
	}
	m.body = append(m.body, b)
	// only the marker is quoted
	if len(m.body) == 2 && m.block != nil && strings.IndexByte("\"'`", m.body[0]) >= 0 && !scan.IsNameByte(b) {
		dropMention(s, m.body)
		s.markdown = m.before
		for i := range len(m.opener) + 2 {
			s.markdown.Next((m.opener + string(m.body))[i])
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
			last := s.markdown.Last
			s.markdown = m.before
			s.markdown.Last = last
		}
		endMention(s, true)
	case v == NotCall && len(m.alternatives) > 0:
		tryMention(s, &mention{
			why: m.why, bound: m.bound, scan: m.alternatives[0].Scan(s.r), opener: m.opener, block: m.alternatives[0],
			alternatives: m.alternatives[1:], before: m.before,
		}, m.body)
	case v == NotCall && m.candidate != nil && mentionNext(s, m):
	case v == NotCall:
		if dropMention(s, m.body); m.block != nil { // while it was open, marks in it were its own
			s.markdown.Quotes.Next(b, s.markdown.Last)
		}
	}
}

// tryMention reads what was held as another mention, which may give way to the next one.
func tryMention(s *Decoder, next *mention, held []byte) {
	s.mention = next
	for _, b := range held {
		if s.mention == next {
			extendMention(s, b, true)
		}
	}
}

// mentionNext goes on with the next candidate that begins like the one that is no call; false: there is none.
func mentionNext(s *Decoder, m *mention) bool {
	for _, c := range candidates(s, m.candidate) {
		if c.Cut == nil || strings.IndexByte(c.Starts, m.body[0]) < 0 {
			continue
		}
		tryMention(
			s, &mention{why: m.why, bound: m.bound, scan: c.Scan(s.r), candidate: c, before: m.before}, m.body,
		)
		return true
	}
	return false
}

// dropMention drops a mention that is no call: what it held are words.
func dropMention(s *Decoder, body []byte) {
	s.mention, s.markdown.Held = nil, false
	s.hasWords = s.hasWords || len(bytes.TrimSpace(body)) > 0
}

// endMention reads what was shown, to its own end or to that of what shows it, and notes it if it is a call.
func endMention(s *Decoder, closed bool) {
	m := s.mention
	if m == nil {
		return
	}
	s.mention, s.besideShown, s.shownBecause, s.markdown.Held = nil, closed, m.why, false
	if m.candidate != nil {
		var events []toolcall.Event
		if bytes.ContainsAny(m.body, "{[(<") { // no call is without any of them
			events, _ = m.candidate.Read(s.r, string(m.body), true)
		}
		noteShown(s, events, m)
		return
	}
	if s.mentioned > 0 && closed {
		s.mentioned--
	}
	f := Found{Opener: m.opener, Body: m.body, Final: true, Closed: closed}
	if m.block.Read != nil {
		events, _ := m.block.Read(s.r, f)
		noteShown(s, events, m)
	}
	if m.block.Then == nil || !closed {
		return
	}
	if then := m.block.Then(f); then.Block != nil {
		header, _ := f.Text()
		s.mention = &mention{
			why: m.why, bound: m.bound, scan: then.Block.Scan(s.r), opener: header, block: then.Block, before: m.before,
		}
		s.markdown.Held = true
	}
}

func noteShown(s *Decoder, events []toolcall.Event, m *mention) {
	if !noteCall(s, events, m.why) {
		dropMention(s, m.body)
	}
}

// noteCall notes the calls of what is only shown; false: there is none.
func noteCall(s *Decoder, events []toolcall.Event, why string) (some bool) {
	for _, e := range events {
		if c, ok := e.(toolcall.Called); ok {
			if len(s.shownCalls) == 0 {
				s.shownWhy = why
			}
			// it may be read twice: as a fence, and by its marker
			if len(s.shownCalls) < maxNamed && !contains(s.shownCalls, c.Call) {
				s.shownCalls = append(s.shownCalls, c.Call)
			}
			some = true
		}
	}
	return some
}

func contains(calls []toolcall.Call, c toolcall.Call) bool {
	return slices.ContainsFunc(calls, func(have toolcall.Call) bool {
		return have.Name == c.Name && bytes.Equal(have.Arguments, c.Arguments)
	})
}

// maxNamed is how many shown calls a notice speaks of at most.
const maxNamed = 8

// noticeOf tells the model of calls that were shown and not made.
func noticeOf(calls []toolcall.Call, why string) toolcall.Quoted {
	var names []string
	for _, c := range calls {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	if len(calls) == 1 {
		return toolcall.Quoted{Name: names[0], Reason: fmt.Sprintf("The call of %s in this reply was shown and not "+
			"made, because %s: "+
			"if it was meant, make it again by itself, and if it was only to be shown, nothing needs to be done.",
			names[0], why)}
	}
	return toolcall.Quoted{Name: names[0], Reason: fmt.Sprintf("%d calls in this reply (%s) were shown and not made, "+
		"the first because %s: "+
		"if they were meant, make them again without any text between or after them, "+
		"and if they were only to be shown, nothing needs to be done.",
		len(calls), strings.Join(names, ", "), why)}
}

// noteBroken notes the first broken call of a tool in an envelope that is only shown.
func noteBroken(s *Decoder, events []toolcall.Event) {
	for _, e := range events {
		if m, ok := e.(toolcall.Malformed); ok && m.Name != "" && s.notice.Reason == "" {
			s.notice = toolcall.Quoted{Name: m.Name, Reason: m.Reason}
		}
	}
}

const followedByText = "more text follows it"

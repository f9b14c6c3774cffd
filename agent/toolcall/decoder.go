package toolcall

import (
	"bytes"
	"unicode/utf8"

	"github.com/assent-ls/assent/agent/model"
)

type mode int

const (
	inProse mode = iota
	inThought
	inDoubt // in a thought, after a marker of a call: quoted if the thought still ends
	inBlock
	inCandidate
	inPending // after a candidate: it is a call if nothing else follows
	inExcess  // after a call that was too long: nothing is read any more
)

// stream is the one streaming decoder. It works byte by byte on state that depends on nothing but the bytes so far, so any
// chunking gives the same result; every byte is looked at a bounded number of times.
type stream struct {
	g     *grammar
	r     *reader
	mode  mode
	state int16 // of g.top in prose, of the thought's matcher in a thought

	quoting   quoting
	hold      []byte // prose or thought that is not certain yet
	lead      leadIn
	tail      []byte // the last prose that was shown
	called    bool   // a call or a thought just ended: blanks that follow are not shown
	calls     int    // calls so far, the broken ones included
	natives   int    // those that came in the backend's own field
	mentioned int    // opening markers that were only quoted and are not closed yet
	replaying int    // > 0 while rejected text is read again as prose

	thought *thought
	fresh   bool // nothing of the thought was shown yet
	opener  string
	block   *block
	others  []*block // to try if block is no call
	cand    *candidate
	scan    scanner
	heed    *byteSet // the bytes that matter to scan; nil: all
	escaped bool     // body ends with a backslash that scan has not seen: it matters only if a marker begins after it
	body    []byte
	held    []byte  // the raw text of pending candidates
	pending []Event // the calls in it

	text     []byte // certain, not yet emitted
	thinking []byte
	out      []Event
	prompted bool // the prompt opened a thought, of which nothing came yet
	last     bool // no block begins any more
	cut      bool // the model was stopped by a limit
}

// newStream starts decoding. prompted says that the prompt already opened a thought.
func newStream(g *grammar, tools []model.Tool, prompted bool) *stream {
	s := &stream{g: g, r: &reader{newCatalog(tools, &g.schemas)}}
	s.borrow()
	switch {
	case prompted && len(g.thoughts) > 0:
		s.beginThought(&g.thoughts[0])
		s.prompted = true
	case g.opening != nil:
		s.beginBlock("", g.opening)
	}
	return s
}

// Push implements Decoder. Most chunks are a piece of a long argument in which nothing matters: that is found out at once.
func (s *stream) Push(c model.Chunk) []Event {
	heed, text, have := s.heed, c.Text, len(s.body)
	if heed == nil || len(text) > cap(s.body)-have || c.Thinking != "" || len(c.Calls) > 0 || c.Done != nil {
		return s.push(c)
	}
	room, escaped := s.body[have:have+len(text)], s.escaped
	for at := range room {
		room[at] = text[at]
		switch kind := heed[text[at]]; {
		case kind == free && !escaped:
		case escaped && kind != marking:
			escaped = false
		case kind == escaping:
			escaped = true
		default:
			return s.push(c)
		}
	}
	s.body, s.escaped = s.body[:have+len(text)], escaped
	return nil
}

func (s *stream) push(c model.Chunk) []Event {
	if c.Thinking != "" {
		s.unprompt()
		s.emitThinking([]byte(c.Thinking))
	}
	s.read(c.Text)
	for _, call := range c.Calls {
		s.native(call)
	}
	if c.Done != nil && c.Done.Reason == "length" {
		s.cut = true
	}
	if len(s.text)+len(s.thinking)+len(s.out) == 0 {
		return nil
	}
	s.flush(false)
	return s.take()
}

// End implements Decoder.
func (s *stream) End(complete bool) []Event {
	s.finish(complete && !s.cut)
	s.flush(true)
	s.giveBack()
	return s.take()
}

func (s *stream) take() []Event {
	out := s.out
	s.out = nil
	return out
}

// native takes a call from the backend's own field: it needs no envelope.
func (s *stream) native(call model.Call) {
	s.natives++
	raw := writeObject([]member{{key: "name", text: call.Name}, {key: "arguments", value: orNull(call.Arguments)}}) // for people: it may not be JSON
	s.emit(s.r.event(draft{id: call.ID, name: call.Name, arguments: call.Arguments, unchecked: true, raw: string(raw)}))
}

// read takes text. Inside a block it steps over the bytes that do not matter.
func (s *stream) read(text string) {
	for len(text) > 0 && s.mode != inExcess {
		if s.heed != nil {
			if text = s.skim(text); text == "" {
				return
			}
		}
		s.byte(text[0])
		text = text[1:]
	}
}

func (s *stream) byte(b byte) {
	switch s.mode {
	case inProse:
		s.proseByte(b)
	case inThought:
		s.thoughtByte(b)
	case inDoubt:
		s.doubtByte(b)
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

// proseByte reads visible prose and looks for what may begin a call or a thought.
func (s *stream) proseByte(b byte) {
	if c := s.candidateAt(b); c != nil {
		s.beginCandidate(c, b)
		return
	}
	s.hold = append(s.hold, b)
	var hit int
	s.state, hit = s.g.top.step(s.state, b)
	s.quoting.next(b)
	if hit >= 0 {
		t := s.g.targets[hit]
		at := len(s.hold) - len(t.marker)
		if s.live(t, at) {
			s.show(at)
			s.enter(t)
			return
		}
		s.state = 0
	}
	n := len(s.hold)
	if depth := s.g.top.depth(s.state); depth > 0 || !isSpace(b) || n > 1 && !isSpace(s.hold[n-2]) { // once per run of blanks
		s.show(len(s.hold) - depth)
	}
}

// live reports whether a marker means what it says, and is not only mentioned. What closes a mentioned marker is prose too.
func (s *stream) live(t target, at int) bool {
	opens := t.block != nil || t.thought != nil
	switch {
	case s.last && t.block != nil:
		return false
	case t.block != nil && t.block.exempt:
		return true
	case s.quoting.quoted(s.byteBefore(at)) || opens && announces(s.before(at)):
		if opens {
			s.mentioned++
		}
		return false
	case !opens && s.mentioned > 0:
		s.mentioned--
		return false
	}
	return true
}

// maxTail is how much prose is kept to see whether it announces a quotation.
const maxTail = 120

// before is the end of the prose in front of hold[at].
func (s *stream) before(at int) []byte { return append(bytes.Clone(s.tail), s.hold[:at]...) }

// byteBefore is the byte of prose in front of hold[at].
func (s *stream) byteBefore(at int) byte {
	if at > 0 {
		return s.hold[at-1]
	}
	if len(s.lead.text) > 0 && !s.called {
		return s.lead.text[len(s.lead.text)-1]
	}
	return '\n'
}

// show makes the first n bytes of hold certain, but keeps blanks at their end: they go if a call follows.
func (s *stream) show(n int) {
	if s.called {
		lead := len(s.hold[:n]) - len(bytes.TrimLeft(s.hold[:n], " \t\r\n"))
		s.hold = s.hold[:copy(s.hold, s.hold[lead:])]
		if n -= lead; n == 0 {
			return
		}
		s.called = false
	}
	n = withoutBlanks(s.hold[:n])
	if n == 0 {
		return
	}
	s.lead.add(s.hold[:n])
	s.tail = append(s.tail, s.hold[:n]...)
	if extra := len(s.tail) - maxTail; extra > maxTail {
		s.tail = s.tail[:copy(s.tail, s.tail[extra:])]
	}
	s.emitText(s.hold[:n])
	s.hold = s.hold[:copy(s.hold, s.hold[n:])]
}

// withoutBlanks is the length of text without the blanks at its end.
func withoutBlanks(text []byte) int {
	n := len(text)
	for n > 0 && isSpace(text[n-1]) {
		n--
	}
	return n
}

// enter follows a marker; the prose before it was shown.
func (s *stream) enter(t target) {
	switch {
	case t.block != nil:
		s.beginBlock(t.marker, t.block)
		s.others = t.others
	case t.thought != nil:
		s.beginThought(t.thought)
	default: // noise, or a closer that closes nothing
		s.hold = s.hold[:len(s.hold)-len(t.marker)]
		s.state = 0
		if s.lead.empty() && s.calls == 0 || t.closer && s.called { // nothing was said yet: no blanks before it begins
			s.hold, s.called = s.hold[:0], true
		}
	}
}

// prose goes back to the top level after a call or a thought.
func (s *stream) prose() {
	s.mode, s.state, s.called, s.tail = inProse, 0, true, nil
	s.quoting = quoting{}
}

// again reads bytes once more, as prose in which no candidate begins.
func (s *stream) again(rest []byte) {
	s.replaying++
	for _, b := range rest {
		s.byte(b)
	}
	s.replaying--
}

func (s *stream) emitText(text []byte) {
	if len(text) == 0 {
		return
	}
	if len(s.thinking) > 0 {
		s.flush(true)
	}
	s.text = append(s.text, text...)
}

func (s *stream) emitThinking(text []byte) {
	if len(text) == 0 {
		return
	}
	if len(s.text) > 0 {
		s.flush(true)
	}
	s.thinking = append(s.thinking, text...)
}

func (s *stream) emit(e Event) {
	s.flush(true)
	s.out = append(s.out, e)
	s.calls++
	s.called = true
}

// flush emits what is certain; unless all of it is wanted, a rune that is not whole waits.
func (s *stream) flush(all bool) {
	if n := wholeRunes(s.text, all); n > 0 {
		s.out = append(s.out, Text{string(s.text[:n])})
		s.text = s.text[:copy(s.text, s.text[n:])]
	}
	if n := wholeRunes(s.thinking, all); n > 0 {
		s.out = append(s.out, Thinking{string(s.thinking[:n])})
		s.thinking = s.thinking[:copy(s.thinking, s.thinking[n:])]
	}
}

// wholeRunes is the length of text without a rune at its end that may still become whole.
func wholeRunes(text []byte, all bool) int {
	if all {
		return len(text)
	}
	for back := 1; back <= min(3, len(text)); back++ {
		tail := text[len(text)-back:]
		if utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return len(text) - back
			}
			break
		}
	}
	return len(text)
}

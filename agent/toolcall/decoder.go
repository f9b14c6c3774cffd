package toolcall

import (
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

	text      markdown // of the prose so far, but for what may become a marker
	hold      []byte   // prose or thought that is not certain yet
	followed  int      // how much of hold text has seen
	blank     int      // how much of hold is known to be blank
	lead      leadIn
	tail      []byte // the last prose that was shown
	called    bool   // a call or a thought just ended: blanks that follow are not shown
	calls     int    // calls so far, the broken ones included
	natives   int    // those that came in the backend's own field
	mentioned int    // opening markers that were only quoted and are not closed yet
	replaying int    // > 0 while rejected text is read again as prose
	seen      int    // bytes that were read
	reread    int    // of them: those that were read again
	gaveUp    bool   // that was so much that something was not searched for calls
	marked    bool   // a marker without meaning was just dropped
	sealed    bool   // nothing that follows is a call

	mention  *mention
	adjacent bool   // what is only shown just ended: a marker beside it is shown too
	because  string // it was only shown
	quoted   *Call  // the first that was shown and not made
	notice   Quoted // of it
	made     []Call
	words    bool   // there is prose besides what was shown
	thoughts []byte // while there is nothing else
	unclosed bool

	inThoughts bool // what is read are thoughts: none begins in them

	thought *thought
	fresh   bool // nothing of the thought was shown yet
	opener  string
	block   *block
	sure    int      // how much of body is prose if block is no call
	others  []*block // to try if block is no call
	cand    *candidate
	scan    scanner
	heed    *byteSet // the bytes that matter to scan; nil: all
	escaped bool     // body ends with a backslash that scan has not seen: it matters only if a marker begins after it
	body    []byte
	held    []byte  // the raw text of pending calls
	pending []Event // the calls in it
	hanging bool    // what is read, or pending, are calls with a marker that must end the reply
	hung    int     // how much of held is such calls

	certain  []byte // text not yet emitted
	thinking []byte
	out      []Event
	prompted bool // the prompt opened a thought, of which nothing came yet
	last     bool // no block begins any more
	cut      bool // the model was stopped by a limit
}

// newStream starts decoding. prompted says that the prompt already opened a thought.
func newStream(g *grammar, tools []model.Tool, prompted bool) *stream {
	s := &stream{g: g, r: &reader{catalog: newCatalog(tools, &g.schemas)}}
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
	s.seen += len(text)
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
	if len(s.certain)+len(s.thinking)+len(s.out) == 0 {
		return nil
	}
	s.flush(false)
	return s.take()
}

// End implements Decoder.
func (s *stream) End(complete bool) []Event {
	complete = complete && !s.cut
	s.finish(complete)
	s.tell(complete)
	s.flush(true)
	if s.unclosed {
		s.out = append(s.out, Unclosed{})
	}
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
	s.seen++
	if s.replaying > 0 {
		s.reread++
	}
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

func (s *stream) emitText(text []byte) {
	if len(text) == 0 {
		return
	}
	if len(s.thinking) > 0 {
		s.flush(true)
	}
	s.certain = append(s.certain, text...)
}

func (s *stream) emitThinking(text []byte) {
	if len(text) == 0 {
		return
	}
	if len(s.certain) > 0 {
		s.flush(true)
	}
	s.thinking = append(s.thinking, text...)
	if !s.words && s.calls == 0 && len(s.thoughts)+len(text) <= maxCall {
		s.thoughts = append(s.thoughts, text...)
	}
}

func (s *stream) emit(e Event) {
	s.flush(true)
	s.out = append(s.out, e)
	s.calls++
	s.called = true
	if c, ok := e.(Called); ok {
		s.made = append(s.made, c.Call)
	}
}

// flush emits what is certain; unless all of it is wanted, a rune that is not whole waits.
func (s *stream) flush(all bool) {
	if n := wholeRunes(s.certain, all); n > 0 {
		s.out = append(s.out, Text{string(s.certain[:n])})
		s.certain = s.certain[:copy(s.certain, s.certain[n:])]
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

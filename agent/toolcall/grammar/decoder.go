package grammar

import (
	"unicode/utf8"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/prose"
	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

type mode int

const (
	inProse mode = iota
	inThought
	inThoughtCall // in a thought, after a marker of a call: quoted if the thought still ends
	inBlock
	inCandidate
	inPending // after a candidate: it is a call if nothing else follows
	inExcess  // after a call that was too long: nothing is read any more
)

// Stream is the one streaming decoder. It works byte by byte on state that depends on nothing but the bytes so far, so any
// chunking gives the same result; every byte is looked at a bounded number of times.
type Stream struct {
	g     *Grammar
	r     *Reader
	mode  mode
	state int16 // of g.top in prose, of the thought's matcher in a thought

	text      prose.Markdown // of the prose so far, but for what may become a marker
	hold      []byte         // prose or thought that is not certain yet
	followed  int            // how much of hold text has seen
	blank     int            // how much of hold is known to be blank
	lead      prose.LeadIn
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
	adjacent bool            // what is only shown just ended: a marker beside it is shown too
	because  string          // it was only shown
	quoted   *toolcall.Call  // the first that was shown and not made
	notice   toolcall.Quoted // of it
	made     []toolcall.Call
	words    bool   // there is prose besides what was shown
	thoughts []byte // while there is nothing else
	unclosed bool

	inThoughts bool // what is read are thoughts: none begins in them

	thought      *Thought
	fresh        bool // nothing of the thought was shown yet
	opener       string
	block        *Block
	sure         int      // how much of body is prose if block is no call
	others       []*Block // to try if block is no call
	cand         *Candidate
	scan         Scanner
	stops        *scan.ByteSet // the bytes that matter to scan; nil: all
	escaped      bool          // body ends with a backslash that scan has not seen: it matters only if a marker begins after it
	body         []byte
	held         []byte           // the raw text of pending calls
	pending      []toolcall.Event // the calls in it
	suspended    bool             // what is read, or pending, are calls with a marker that must end the reply
	suspendedLen int              // how much of held is such calls

	certain  []byte // text not yet emitted
	thinking []byte
	out      []toolcall.Event
	prompted bool // the prompt opened a thought, of which nothing came yet
	last     bool // no block begins any more
	cut      bool // the model was stopped by a limit
}

// NewDecoder starts decoding. prompted says that the prompt already opened a thought.
func NewDecoder(g *Grammar, tools []model.Tool, prompted bool) *Stream {
	s := &Stream{g: g, r: NewReader(tools)}
	switch {
	case prompted && len(g.Thoughts) > 0:
		s.beginThought(&g.Thoughts[0])
		s.prompted = true
	case g.Opening != nil:
		s.beginBlock("", g.Opening)
	}
	return s
}

// OfferAll makes every plain name count as offered.
func (s *Stream) OfferAll() { s.r.Catalog.open = true }

// Scanned is how many bytes were read or searched, some more than once.
func (s *Stream) Scanned() int { return s.seen + s.r.Scanned }

// GaveUp reports whether so much was read again that something was not searched for calls.
func (s *Stream) GaveUp() bool { return s.gaveUp }

// Push implements toolcall.Decoder.
func (s *Stream) Push(c model.Chunk) []toolcall.Event {
	if c.Thinking != "" {
		s.leavePromptedThought()
		s.emitThinking([]byte(c.Thinking))
	}
	s.read(c.Text)
	for _, call := range c.Calls {
		s.native(call)
	}
	if c.Done != nil && c.Done.Reason == "length" {
		s.cut = true
	}
	s.flush(false)
	return s.take()
}

// End implements Decoder.
func (s *Stream) End(complete bool) []toolcall.Event {
	complete = complete && !s.cut
	s.finish(complete)
	s.reportQuoted(complete)
	s.flush(true)
	if s.unclosed {
		s.out = append(s.out, toolcall.Unclosed{})
	}
	return s.take()
}

func (s *Stream) take() []toolcall.Event {
	out := s.out
	s.out = nil
	return out
}

// native takes a call from the backend's own field: it needs no envelope.
func (s *Stream) native(call model.Call) {
	s.natives++
	raw := values.WriteObject([]values.Member{{Key: "name", Text: call.Name}, {Key: "arguments", Value: values.OrNull(call.Arguments)}}) // for people: it may not be JSON
	s.emit(s.r.Event(Draft{Id: call.ID, Name: call.Name, Arguments: call.Arguments, Unchecked: true, Raw: string(raw)}))
}

// read takes text. Inside a block it steps over the bytes that do not matter.
func (s *Stream) read(text string) {
	for len(text) > 0 && s.mode != inExcess {
		if s.stops != nil {
			if text = s.skim(text); text == "" {
				return
			}
		}
		s.byte(text[0])
		text = text[1:]
	}
}

func (s *Stream) byte(b byte) {
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

func (s *Stream) emitText(text []byte) {
	if len(text) == 0 {
		return
	}
	if len(s.thinking) > 0 {
		s.flush(true)
	}
	s.certain = append(s.certain, text...)
}

func (s *Stream) emitThinking(text []byte) {
	if len(text) == 0 {
		return
	}
	if len(s.certain) > 0 {
		s.flush(true)
	}
	s.thinking = append(s.thinking, text...)
	if !s.words && s.calls == 0 && len(s.thoughts)+len(text) <= MaxCall {
		s.thoughts = append(s.thoughts, text...)
	}
}

func (s *Stream) emit(e toolcall.Event) {
	s.flush(true)
	s.out = append(s.out, e)
	s.calls++
	s.called = true
	if c, ok := e.(toolcall.Called); ok {
		s.made = append(s.made, c.Call)
	}
}

// flush emits what is certain; unless all of it is wanted, a rune that is not whole waits.
func (s *Stream) flush(all bool) {
	if n := wholeRunes(s.certain, all); n > 0 {
		s.out = append(s.out, toolcall.Text{Text: string(s.certain[:n])})
		s.certain = s.certain[:copy(s.certain, s.certain[n:])]
	}
	if n := wholeRunes(s.thinking, all); n > 0 {
		s.out = append(s.out, toolcall.Thinking{Text: string(s.thinking[:n])})
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

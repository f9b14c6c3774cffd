package grammar

import (
	"slices"
	"unicode/utf8"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/prose"
	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// Decoder is the one streaming decoder. It works byte by byte on state that depends on nothing but the bytes so far, so
// any chunking gives the same result; every byte is looked at a bounded number of times.
type Decoder struct {
	g       *Grammar
	foreign *Grammar // of the envelopes of other families; nil: none are looked for
	known   []*Candidate
	r       *Reader
	mode    mode
	place   place

	markdown    prose.Markdown // of the prose so far, but for what may become a marker
	uncertain   []byte         // prose or thought that is not certain yet
	followed    int            // how much of uncertain markdown has followed
	blank       int            // how much of uncertain is known to be blank
	leadIn      prose.LeadIn
	shownTail   []byte // the last prose that was shown
	afterCall   bool   // a call or a thought just ended: whitespace that follows is not shown
	calls       int    // calls so far, the broken ones included
	nativeCalls int    // those that came in the backend's own field
	mentioned   int    // opening markers that were only quoted and are not closed yet
	replaying   int    // > 0 while rejected text is read again as prose
	seen        int    // bytes that were read
	reread      int    // of them: those that were read again
	gaveUp      bool   // that was so much that something was not searched for calls
	afterNoise  bool   // a marker without meaning was just dropped
	sealed      bool   // nothing that follows is a call

	mention         *mention
	besideShown     bool            // what is only shown just ended: a marker beside it is shown too
	shownBecause    string          // it was only shown
	shownCalls      []toolcall.Call // that were shown and not made, the first maxNamed
	shownWhy        string          // the first was
	notice          toolcall.Quoted // of it
	madeCalls       []toolcall.Call
	hasWords        bool   // there is prose besides what was shown
	thoughts        []byte // while there is nothing else
	unclosedThought bool

	inThoughts bool // what is read are thoughts: none begins in them

	thought      *Thought
	fresh        bool // nothing of the thought was shown yet
	opener       string
	block        *Block
	proseInBody  int      // how much of body is prose if block is no call
	alternatives []*Block // to try if block is no call
	resort       *Block   // to try last, since it says best what is wrong; nil: none was called wrongly
	settled      bool     // block is that one
	named        bool     // the foreign block names an offered tool
	within       int      // how much of the body a block may read that is tried after another one; 0: all
	suspends     bool     // the marker was judged to be ending
	headed       bool     // block belongs to a header
	strict       bool     // that is foreign
	entered      target   // the marker that led to block
	candidate    *Candidate
	passing      bool // what follows a candidate is read again, as markers
	scan         Scanner
	stopBytes    *scan.ByteSet // the bytes that matter to scan; nil: all
	// body ends with a backslash that scan has not seen: it matters only if a marker begins after it
	escaped      bool
	body         []byte
	pendingText  []byte           // the raw text of pending calls
	pending      []toolcall.Event // the calls in it
	suspended    bool             // what is read, or pending, are calls with a marker that must end the reply
	suspendedLen int              // how much of pendingText is such calls

	textOut       []byte // text not yet emitted
	thinkingOut   []byte
	out           []toolcall.Event
	prompted      bool // the prompt opened a thought, of which nothing came yet
	noBlocks      bool // no block begins any more
	afterForeign  bool // since a foreign envelope is read again that nothing closes
	brokenForeign bool // what is pending has a broken call in a foreign envelope
	hitLimit      bool // the model was stopped by a limit
}

// mode is what is being read.
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

// mention is text that looks like a call and is only shown. It is parsed too, so that nothing in it counts as another
// call, and so that the model can be informed if it has the complete form of a call.
type mention struct {
	why          string // it is only shown; follows "because"
	bound        bool   // it ends where what shows it ends
	scan         Scanner
	body         []byte
	opener       string
	block        *Block
	alternatives []*Block
	json         values.Scan    // of a block that runs on
	candidate    *Candidate     // instead of a block
	before       prose.Markdown // what was known of the prose before it
}

// goOn goes on with what is read by a mode, at the beginning of any marker.
func (s *Decoder) goOn(m mode) { s.mode, s.place = m, place{} }

func (s *Decoder) take() []toolcall.Event {
	out := s.out
	s.out = nil
	return out
}

func (s *Decoder) emitText(text []byte) {
	if len(text) == 0 {
		return
	}
	if len(s.thinkingOut) > 0 {
		s.flush(true)
	}
	s.textOut = append(s.textOut, text...)
}

func (s *Decoder) emitThinking(text []byte) {
	if len(text) == 0 {
		return
	}
	if len(s.textOut) > 0 {
		s.flush(true)
	}
	s.thinkingOut = append(s.thinkingOut, text...)
	if !s.hasWords && s.calls == 0 && len(s.thoughts)+len(text) <= MaxCall {
		s.thoughts = append(s.thoughts, text...)
	}
}

// emit emits calls, the broken ones included.
func (s *Decoder) emit(calls ...toolcall.Event) {
	for _, e := range calls {
		s.flush(true)
		s.out = append(s.out, e)
		s.calls++
		s.afterCall = true
		if c, ok := e.(toolcall.Called); ok {
			s.madeCalls = append(s.madeCalls, c.Call)
		}
	}
}

// flush emits what is certain; unless all of it is wanted, a rune that is not whole waits.
func (s *Decoder) flush(all bool) {
	if n := wholeRunes(s.textOut, all); n > 0 {
		s.out = append(s.out, toolcall.Text{Text: string(s.textOut[:n])})
		s.textOut = slices.Delete(s.textOut, 0, n)
	}
	if n := wholeRunes(s.thinkingOut, all); n > 0 {
		s.out = append(s.out, toolcall.Thinking{Text: string(s.thinkingOut[:n])})
		s.thinkingOut = slices.Delete(s.thinkingOut, 0, n)
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

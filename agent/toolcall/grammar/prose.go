package grammar

import (
	"bytes"
	"slices"
	"unicode"

	"github.com/assent-ls/assent/agent/toolcall/prose"
	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// advance says that the first n bytes of uncertain begin no marker: they are text.
func (s *Decoder) advance(n int) {
	for ; s.followed < n; s.followed++ {
		s.follow(s.uncertain[s.followed])
	}
}

// follow takes one byte of text.
func (s *Decoder) follow(b byte) {
	content := s.markdown.Next(b)
	if !scan.IsSpace(b) {
		s.afterNoise = false
	}
	if s.mention == nil {
		if !scan.IsSpace(b) {
			s.besideShown = false
		}
		if s.markdown.TextStart {
			mentionCandidate(s, b)
		}
	}
	if s.mention != nil {
		extendMention(s, b, content)
		return
	}
	if content && !s.markdown.Fence.Opens && (b >= 0x80 || unicode.IsLetter(rune(b)) || unicode.IsDigit(rune(b))) {
		s.hasWords = true
	}
}

// skipMarkerText says that the rest of uncertain is a marker which is text: no words.
func (s *Decoder) skipMarkerText() {
	for ; s.followed < len(s.uncertain); s.followed++ {
		s.markdown.Next(s.uncertain[s.followed])
	}
}

// maxTail is how much prose is kept to see whether it announces a quotation.
const maxTail = 120

// before is the end of the prose in front of uncertain[at].
func (s *Decoder) before(at int) []byte {
	return append(bytes.Clone(s.shownTail), s.uncertain[max(0, at-2*maxTail):at]...)
}

// show makes the first n bytes of uncertain certain, but keeps whitespace at their end: it goes if a call follows.
func (s *Decoder) show(n int) {
	if s.afterCall {
		lead := n - len(bytes.TrimLeft(s.uncertain[:n], " \t\r\n"))
		s.shorten(lead)
		if n -= lead; n == 0 {
			return
		}
		s.afterCall = false
	}
	known := min(s.blank, n)
	some := known + scan.TrimmedLen(s.uncertain[known:n])
	s.r.Scanned += n - some
	if some == known {
		s.blank = n
		return
	}
	n = some
	s.leadIn.Add(s.uncertain[:n])
	s.shownTail = append(s.shownTail, s.uncertain[:n]...)
	if extra := len(s.shownTail) - maxTail; extra > maxTail {
		s.shownTail = slices.Delete(s.shownTail, 0, extra)
	}
	s.emitText(s.uncertain[:n])
	s.shorten(n)
}

// shorten takes the first n bytes from uncertain.
func (s *Decoder) shorten(n int) {
	s.uncertain = slices.Delete(s.uncertain, 0, n)
	s.followed, s.blank = max(0, s.followed-n), max(0, s.blank-n)
}

// dropUncertain empties uncertain.
func (s *Decoder) dropUncertain() { s.uncertain, s.followed, s.blank = s.uncertain[:0], 0, 0 }

// showAsText shows what was taken for a marker or a call as it is.
func (s *Decoder) showAsText(text []byte) {
	s.advance(len(s.uncertain))
	s.uncertain = append(s.uncertain, text...)
	s.skipMarkerText()
	s.show(len(s.uncertain))
}

// backToProse goes back to the top level after a call or a thought.
func (s *Decoder) backToProse() {
	s.dropUncertain()
	s.mode, s.place, s.afterCall, s.shownTail = inProse, place{}, true, nil
	s.markdown, s.mention, s.mentioned, s.besideShown, s.suspended = prose.Markdown{}, nil, 0, false, false
}

// replay reads bytes once more, as prose in which no candidate begins.
func (s *Decoder) replay(rest []byte) {
	last := s.noBlocks
	s.noBlocks = last || s.rereadTooMuch(len(rest))
	s.replaying++
	s.feed(rest)
	s.replaying--
	s.noBlocks = last
}

// feed reads bytes that were held, as what they are now.
func (s *Decoder) feed(held []byte) {
	for _, b := range held {
		s.byte(b)
	}
}

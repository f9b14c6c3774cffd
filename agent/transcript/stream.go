package transcript

import (
	"strings"
	"unicode/utf8"
)

// stream writes text that arrives in pieces, so that any pieces of the same text give the same result. It holds back
// only what the next piece might change: whitespace and line ends, which are invisible, and the start of a line that
// may need a backslash.
type stream struct {
	out   *strings.Builder
	open  func() // writes what is before the text; called before the first visible character
	style style
	hold  string // not yet written, all of it in the current line (or a CR at its end)
	gap   []byte // blank ends of lines and line ends that are written before the next visible character
	begun bool   // something visible was written
	mid   bool   // a part of the current line was written
}

// style is how the lines of a text are written.
type style interface {
	// begin returns where a backslash goes into a line, or -1; wait asks for more of a line that is not whole.
	begin(line string, whole bool) (at int, wait bool)
	// encodable is how many bytes of a piece of a line can be encoded without knowing what follows.
	encodable(piece string) int
	// encode writes encodable bytes.
	encode(piece string) string
	// trailing writes the whitespace at the end of a line.
	trailing(end string) string
	// ended takes every line as it was written.
	ended(line string)
}

// push takes the next piece.
func (s *stream) push(piece string) {
	s.hold += piece
	if strings.HasSuffix(s.hold, "\r") {
		return // the next piece may begin with the LF of a CRLF
	}
	s.hold = normalNewlines(s.hold)
	for {
		line, rest, ok := strings.Cut(s.hold, "\n")
		if !ok {
			break
		}
		s.endLine(line)
		s.gap = append(s.gap, '\n')
		s.hold = rest
	}
	visible := strings.TrimRight(s.hold, " \t")
	visible = visible[:s.style.encodable(visible)]
	if visible = strings.TrimRight(visible, " \t"); visible == "" {
		return
	}
	at := -1
	if !s.mid {
		var wait bool
		if at, wait = s.style.begin(s.hold, false); wait {
			return
		}
	}
	s.hold = s.hold[len(visible):]
	s.write(visible, at)
}

// endLine writes what is left of a line. Its line end, and a blank line, wait in gap.
func (s *stream) endLine(rest string) {
	visible := strings.TrimRight(rest, " \t")
	if visible != "" {
		at := -1
		if !s.mid {
			at, _ = s.style.begin(rest, true)
		}
		s.write(visible, at)
	}
	blanks := s.style.trailing(rest[len(visible):])
	s.gap = append(s.gap, blanks...)
	s.style.ended(blanks)
	s.mid = false
}

func (s *stream) write(visible string, at int) {
	if !s.begun {
		s.open()
		s.begun, s.gap = true, nil // blank lines before a text do not count
	}
	if at >= 0 {
		visible = visible[:at] + `\` + visible[at:]
	}
	s.out.Write(s.gap)
	s.gap, s.mid = s.gap[:0], true
	s.out.WriteString(s.style.encode(visible))
}

// end writes what was held back; whitespace and line ends at the end of a text do not count.
func (s *stream) end() {
	if strings.HasSuffix(s.hold, "\r") {
		s.push("\n")
	}
	if s.hold != "" || s.mid {
		s.endLine(s.hold)
	}
	s.hold, s.gap = "", nil
}

// proseStyle writes Markdown: the line starts that Assent would read as its own get a backslash, and in what a model
// says what must not have its meaning in a preview.
type proseStyle struct {
	track tracker
	line  strings.Builder // the current line as it was written
	model bool
	inert inert
}

func (p *proseStyle) begin(line string, whole bool) (at int, wait bool) {
	if !p.track.top(leading(line, ' ')) {
		return -1, false
	}
	at, m := ownMark(line, whole)
	if p.model && m != no && isInline(line, at) {
		return -1, false
	}
	switch m {
	case yes:
		return at, false
	case maybe:
		return -1, true
	case no:
	}
	return -1, false
}

func (p *proseStyle) encodable(piece string) int {
	n, head := wholeRunes(piece), p.head(piece)
	if !p.model || p.track.inCode(head) {
		return n
	}
	probe := p.inert
	probe.begin(head)
	_, decided := probe.scan(piece, false)
	return min(n, decided)
}

func (p *proseStyle) trailing(end string) string { return end }

func (p *proseStyle) encode(piece string) string {
	if head := p.head(piece); p.model && !p.track.inCode(head) {
		p.inert.begin(head)
		piece = p.inert.disarm(piece)
	}
	p.line.WriteString(piece)
	return piece
}

// head is as much of the current line, of which a piece follows, as decides what kind of line it is.
func (p *proseStyle) head(piece string) string {
	if line := p.line.String(); strings.TrimLeft(line, lineMarkers) != "" {
		return line
	}
	return p.line.String() + piece
}

func (p *proseStyle) ended(blanks string) {
	line := p.line.String() + blanks
	p.inert.ended(line, p.track.feed(line), &p.track)
	p.line.Reset()
}

// thinkingStyle writes a body whose fence was chosen before its text was known.
type thinkingStyle struct{ fence fence }

func (t thinkingStyle) begin(line string, whole bool) (at int, wait bool) {
	if !t.fence.isCloser(line, whole) {
		return -1, false
	}
	return leading(line, ' '), !whole
}

func (t thinkingStyle) encodable(piece string) int {
	if i := strings.LastIndexByte(piece, '<'); i >= 0 && mayBeCode(piece[i:]) {
		return i
	}
	return wholeRunes(piece)
}

// mayBeCode reports whether more text could make s a <U+XXXX> or <0xXX>.
func mayBeCode(s string) bool {
	for _, form := range []struct {
		prefix string
		digits int
	}{{"<U+", 6}, {"<0x", 2}} {
		digits, ok := strings.CutPrefix(s, form.prefix)
		if strings.HasPrefix(form.prefix, s) || ok && len(digits) <= form.digits && upperHex(digits) {
			return true
		}
	}
	return false
}

func (t thinkingStyle) encode(piece string) string { return encode(piece, hidden) }
func (t thinkingStyle) trailing(end string) string { return encodeTrailingSpace(end) }
func (t thinkingStyle) ended(string)               {}

// wholeRunes is the length of s without an incomplete character at its end.
func wholeRunes(s string) int {
	for i := len(s) - 1; i >= 0 && i > len(s)-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			if !utf8.FullRuneInString(s[i:]) {
				return i
			}
			break
		}
	}
	return len(s)
}

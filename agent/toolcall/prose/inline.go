package prose

import (
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// The parts of Markdown that type markdown is made of. Each takes bytes and keeps no text.

// fence is a fenced code block; size 0: none is open.
type fence struct {
	Size   int
	char   byte
	Opens  bool // the line that opens it is not over
	closes bool // the line closes it if nothing follows on it
	quoted bool // it is in a quotation
}

func (f *fence) text(b byte) { f.closes = f.closes && scan.IsSpace(b) }

// span is a code span, or a fence after text: it may go over several lines of one paragraph.
type span struct {
	Length     int // of the run of fence characters that is being read
	char       byte
	startsLine bool // that run began the line
	open       int  // length of the run that opened the span; 0: none is open
	label      int  // what followed on the line: 0: nothing, 1: one word, 2: whitespace after these, 3: more
	line       bool // that line is not over
}

func (s *span) goesOn(b byte) bool {
	if s.Length == 0 || b != s.char {
		return false
	}
	s.Length++
	return true
}

func (s *span) begin(b byte, startsLine bool) { s.Length, s.char, s.startsLine = 1, b, startsLine }

func (s *span) take() (run int, startsLine bool) {
	run, s.Length = s.Length, 0
	return run, s.startsLine
}

// run opens the span, or closes one that was opened by as many.
func (s *span) run(n int) {
	switch s.open {
	case 0:
		s.open, s.label, s.line = n, 0, true
	case n:
		s.open = 0
	}
}

func (s *span) text(b byte) {
	switch blank := scan.IsSpace(b); {
	case blank && s.label <= 1: // a label directly follows the fence
		s.label = 2
	case !blank && s.label != 1:
		s.label++
	}
}

// fenced reports, at the end of a line, whether the span is a fence: only a label follows three characters or more.
func (s *span) fenced() bool {
	line := s.line
	s.line = false
	return line && s.open >= 3 && s.label <= 2
}

// quoteMarks are the quotation marks of one paragraph.
type quoteMarks struct {
	straight bool   // an odd number of them
	Closer   uint32 // the other mark that closes, or a bracket or a star; 0: none is open
	opened   bool   // with the last byte
	escaped  bool
}

func (q *quoteMarks) within() bool { return q.straight || q.Closer != 0 }

// The typographic quotation marks as they end in UTF-8.
const (
	leftDouble, rightDouble, lowDouble = 0xE2809C, 0xE2809D, 0xE2809E
	leftSingle, rightSingle, lowSingle = 0xE28098, 0xE28099, 0xE2809A
	leftAngle, rightAngle              = 0xC2AB, 0xC2BB
	oneLeftAngle, oneRightAngle        = 0xE280B9, 0xE280BA
	wideDouble                         = 0xEFBC82
)

// closers says by what each mark that opens is closed. Languages point guillemets either way.
var closers = map[uint32]uint32{
	leftDouble: rightDouble, lowDouble: leftDouble, leftSingle: rightSingle, lowSingle: leftSingle,
	leftAngle: rightAngle, rightAngle: leftAngle, oneLeftAngle: oneRightAngle, oneRightAngle: oneLeftAngle,
	wideDouble: wideDouble,
	0xE3808A:   0xE3808B, 0xE3808C: 0xE3808D, 0xE3808E: 0xE3808F, // 《》「」『』
}

// Next takes one byte; last are the last four.
func (q *quoteMarks) Next(b byte, last uint32) {
	q.opened = q.opened && scan.IsSpace(b)
	if b == '"' && !q.escaped {
		q.straight = !q.straight
		q.opened = q.straight
	}
	q.escaped = b == '\\' && !q.escaped
	if byte(last>>8) == '\'' {
		q.apostrophe(b, byte(last>>16))
	}
	if b < 0x80 {
		if uint32(b) == q.Closer && b != '\'' {
			q.Closer = 0
		}
		return
	}
	mark := last & 0xFFFFFF
	if two := last & 0xFFFF; two == leftAngle || two == rightAngle {
		mark = two
	}
	closer := closers[mark]
	if before := byte(last >> 24); mark == rightDouble && (before == 0 || scan.IsSpace(before)) {
		closer = rightDouble // as in Swedish
	}
	switch {
	case q.Closer != 0 && q.closedBy(mark):
		q.Closer = 0
	case closer != 0:
		q.opened = true
		// one in another does not end it; apostrophes may be none
		if q.Closer == 0 || q.Closer == '\'' || q.Closer == rightSingle {
			q.Closer = closer
		}
	}
}

// closedBy reports whether a mark closes the open one: after a low one some languages write the right one.
func (q *quoteMarks) closedBy(mark uint32) bool {
	return mark == q.Closer || q.Closer == leftDouble && mark == rightDouble ||
		q.Closer == leftSingle && mark == rightSingle
}

// apostrophe takes an apostrophe between two bytes: it opens a quotation after whitespace and before text, and closes
// one where the word does not go on.
func (q *quoteMarks) apostrophe(after, before byte) {
	switch {
	case q.Closer == '\'' && !scan.IsNameByte(after):
		q.Closer = 0
	case q.Closer == 0 && !scan.IsSpace(after) && (before == 0 || scan.IsSpace(before) || before == '('):
		q.Closer = '\''
	}
}

// htmlElement is the outermost open HTML element of those that show their content, or a comment.
type htmlElement struct {
	open       string
	depth      int
	startsLine bool // it began a line
	comment    bool
	dashes     int

	name    [10]byte // of the tag that is being read
	length  int
	reading bool
	ending  bool // it is an end tag
	first   bool // it begins a line
}

// The elements: those whose content is as it is, those that are part of a paragraph, and those that are blocks.
var (
	verbatimElements = []string{"pre", "script", "style", "textarea", "xmp"}
	inlineElements   = []string{"code", "kbd", "samp", "tt", "q"}
	blockElements    = []string{
		"details", "blockquote", "table", "ul", "ol", "dl", "div", "figure", "section", "article", "aside",
	}
)

func (h *htmlElement) next(b byte, startsLine bool) {
	switch {
	case h.comment:
		h.comment = b != '>' || h.dashes < 2
		if h.dashes++; b != '-' {
			h.dashes = 0
		}
	case b == '<':
		h.reading, h.ending, h.length, h.first = true, false, 0, startsLine
	case !h.reading:
	case b == '/' && h.length == 0:
		h.ending = true
	case h.length < len(h.name) && (scan.IsNameByte(b) || b == '!' || b == '-'):
		h.name[h.length] = b
		h.length++
		if string(h.name[:h.length]) == "!--" {
			h.comment, h.reading, h.dashes = true, false, 0
		}
	default:
		h.reading = false
		if b == '>' || scan.IsSpace(b) || b == '/' {
			h.tag(strings.ToLower(string(h.name[:h.length])))
		}
	}
}

func (h *htmlElement) tag(name string) {
	switch {
	case h.open == name && h.ending:
		if h.depth--; h.depth == 0 {
			h.open = ""
		}
	case h.open == name:
		h.depth++
	case h.open != "" || h.ending:
	case slices.Contains(verbatimElements, name), slices.Contains(inlineElements, name), h.first &&
		slices.Contains(blockElements, name):
		h.open, h.depth, h.startsLine = name, 1, h.first
	}
}

func (h *htmlElement) endLine() {
	if h.reading && !h.comment {
		h.next('\n', false)
	}
}

// endParagraph closes what a paragraph can hold.
func (h *htmlElement) endParagraph() {
	h.comment = h.comment && h.first
	if slices.Contains(inlineElements, h.open) || !h.startsLine && slices.Contains(verbatimElements, h.open) {
		h.open = ""
	}
	h.reading = false
}

func (h *htmlElement) verbatim() bool {
	return h.comment || h.startsLine && slices.Contains(verbatimElements, h.open)
}

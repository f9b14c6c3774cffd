// Package prose judges by the prose around a call whether the call is meant or only shown: by Markdown, HTML or
// quotation marks, and by words before it that announce an example or quote somebody.
package prose

import (
	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// Markdown follows the Markdown of visible prose byte by byte, far enough to know what is only shown: code, quotations,
// lists, tables, HTML. It keeps a few numbers and no text. Where writers and CommonMark differ it accepts both: a fence
// may be after text, and code in a list need not be indented.
type Markdown struct {
	Last      uint32 // the last four bytes
	stage     stage
	TextStart bool // the last byte was the first of its line's text
	column    int  // columns of the line before its text
	indent    int  // those after its last ">" or list marker
	quote     bool // the line began with ">"
	item      bool // the line is part of a list item
	row       bool // the line begins with "|"
	code      bool // the line is code because it is indented
	rule      bool // the line has nothing but what is below the head of a table
	pipe      bool // the line has a "|"
	content   int  // the column of the open list item's text; 0: none is open
	seenText  bool // an earlier line had text
	blank     bool // the line before was blank
	coded     bool // the line before was indented code
	wasQuote  bool // the line before began with ">"
	lazy      bool // the paragraph began as a quotation and lost its ">"
	table     bool // the lines are rows
	Held      bool // what is read now has marks and blank lines of its own: what was open before stays open

	Fence  fence
	Span   span
	Quotes quoteMarks
	html   htmlElement
}

// stage is how much of a line was read.
type stage int

const (
	inIndent stage = iota
	inMarker       // after a list marker, which whitespace must follow
	inNumber       // in a number that may become a list marker
	inText
)

// Next takes one byte of prose. It reports whether the byte belongs to the text of its line, not to what marks a
// quotation.
func (m *Markdown) Next(b byte) bool {
	m.TextStart = false
	m.Last = m.Last<<8 | uint32(b)
	if m.Span.goesOn(b) {
		return true
	}
	m.endRun()
	if b == '\n' {
		m.endLine()
		return true
	}
	m.rule = m.rule && (scan.IsSpace(b) || b == '-' || b == ':' || b == '|')
	m.pipe = m.pipe || b == '|'
	if m.stage != inText && m.marker(b) {
		return false
	}
	switch {
	case b == '`' || b == '~':
		m.Span.begin(b, m.TextStart)
		m.rule = false
	case m.Fence.Size > 0:
		m.Fence.text(b)
	case m.Span.open > 0:
		m.Span.text(b)
	default:
		if !m.Held {
			m.Quotes.Next(b, m.Last)
		}
		m.html.next(b, m.TextStart)
	}
	return true
}

// marker reads what is before the text of a line; false: the text begins with b.
func (m *Markdown) marker(b byte) bool {
	m.column++
	switch {
	case m.stage == inIndent && scan.IsSpace(b):
		if b == '\t' {
			m.column += 3 - (m.column-1)%4
			m.indent += 3
		}
		m.indent++
		return true
	case m.stage == inMarker && (b == ' ' || b == '\t'):
		m.endParagraph()
		if m.item = true; m.content == 0 || m.column <= m.content+1 { // an item in the open one does not close it
			m.content = m.column
		}
		m.stage, m.indent = inIndent, 0
		return true
	case m.html.comment, m.Fence.Size > 0 && (!m.Fence.quoted || m.quote):
	case m.stage == inIndent && b == '>':
		m.quote, m.indent = true, 0
		return true
	case m.Fence.Size > 0:
		m.Fence = fence{} // it was part of a quotation, which is over
	case m.stage == inIndent && (b == '-' || b == '*' || b == '+'):
		m.stage = inMarker
		return true
	case m.stage <= inNumber && m.stage != inMarker && b >= '0' && b <= '9':
		m.stage = inNumber
		return true
	case m.stage == inNumber && (b == '.' || b == ')'):
		m.stage = inMarker
		return true
	}
	m.beginText(b)
	return false
}

func (m *Markdown) beginText(b byte) {
	plain := m.stage == inIndent // no list marker was begun
	m.stage, m.TextStart = inText, plain
	if m.Fence.Size > 0 {
		return
	}
	if !m.item {
		if m.item = m.content > 0 && m.column > m.content; !m.item {
			m.content = 0
		}
	}
	if m.quote != m.wasQuote && m.quote {
		m.endParagraph()
	}
	m.lazy = m.lazy || m.wasQuote && !m.quote && !m.blank
	m.code = m.indent >= 4 && !m.item && m.seenText && (m.blank || m.coded)
	m.row = b == '|'
	m.seenText = true
}

// endRun decides what a run of fence characters was.
func (m *Markdown) endRun() {
	run, startsLine := m.Span.take()
	switch open, b := &m.Fence, m.Span.char; {
	case run == 0:
	case open.Size > 0 && open.Opens && b == '`' && open.char == '`': // no fence: its first line has a span
		m.Span.open, *open = open.Size, fence{}
		m.Span.run(run)
	case open.Size > 0:
		open.closes = startsLine && b == open.char && run >= open.Size
	case startsLine && run >= 3:
		m.endParagraph()
		*open = fence{Size: run, char: b, Opens: true, quoted: m.quote}
	case b == '`':
		m.Span.run(run)
	}
}

func (m *Markdown) endLine() {
	m.html.endLine()
	m.Quotes.Next('\n', m.Last)
	m.Quotes.opened = false
	empty := m.stage == inIndent && !m.TextStart
	switch {
	case m.Fence.Size > 0:
		if m.Fence.Opens = false; m.Fence.closes {
			m.Fence = fence{}
		}
	case m.Span.fenced():
		m.Fence = fence{Size: m.Span.open, char: '`'}
		m.Span = span{}
	case empty:
		m.endParagraph()
		m.lazy, m.table = false, false
	case m.rule && m.pipe:
		m.table = true
	}
	m.blank, m.coded, m.wasQuote = empty && !m.quote, m.code || m.coded && empty, m.quote
	m.stage, m.column, m.indent = inIndent, 0, 0
	m.quote, m.item, m.row, m.code, m.pipe, m.rule = false, false, false, false, false, true
}

func (m *Markdown) endParagraph() {
	if m.Held {
		return
	}
	m.Span, m.Quotes = span{}, quoteMarks{}
	m.html.endParagraph()
}

// Fresh reports whether the text of the line has not begun.
func (m *Markdown) Fresh() bool { return m.stage == inIndent && m.Span.Length == 0 }

// Wrapped says what the last byte opens if text follows at once, in words as those of shows, and the byte that closes
// it.
func (m *Markdown) Wrapped() (closer uint32, where string) {
	switch b := m.Last & 0xFF; b {
	case '\'':
		return b, "quotation marks"
	case '(':
		return ')', "brackets"
	case '[':
		return ']', "brackets"
	case '*', '_':
		before := m.Last
		for before&0xFF == b {
			before >>= 8
		}
		if before == 0 || scan.IsSpace(byte(before)) {
			return b, "emphasis"
		}
	}
	return 0, ""
}

// Inside is what is known where text begins now.
func (m *Markdown) Inside() Markdown {
	at := *m
	at.endRun()
	if at.stage != inText {
		at.stage = inIndent
		at.column++
		at.beginText('x')
	}
	return at
}

// Shows says in what a call that begins now would be shown and not made, in words that follow "in"; empty: in nothing.
// loose says that the call begins a line, so that what was left open before it, by mistake or for good, is known only
// if it is closed behind the call.
func (m *Markdown) Shows(begins bool) (where string, loose bool) {
	at := m.Inside()
	switch {
	case at.Fence.Size > 0 && !at.Fence.closes:
		return "a code fence", false
	case at.html.verbatim():
		return "HTML", false
	case at.quote:
		return "a quotation", false
	case at.item:
		return "a list", false
	case at.row:
		return "a table", false
	case at.code:
		return "indented code", false
	case at.Span.open > 0:
		return "a code span", begins
	case at.Quotes.opened:
		return "quotation marks", false
	case at.Quotes.within():
		return "quotation marks", begins
	case at.html.open != "":
		return "HTML", begins
	case at.table:
		return "a table", begins
	case at.lazy:
		return "a quotation", begins
	}
	return "", false
}

// Verbatim reports whether what is here is certainly written as it is, so that markers without meaning are text
// too.
func (m *Markdown) Verbatim() bool {
	at := *m
	at.endRun()
	return at.Fence.Size > 0 && !at.Fence.closes || at.Span.open > 0 || at.quote || at.html.verbatim()
}

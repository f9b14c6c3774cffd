package documents

import (
	"fmt"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// Sizes of pieces in bytes. An edit copies about one piece and the index of pieces, never the text.
const (
	pieceSize = 16 << 10
	pieceMax  = 2 * pieceSize
	pieceMin  = pieceSize / 4
)

// Text is an immutable text. Edits return a new Text that shares all but the edited part. The zero value is empty.
// A Text may be used by several goroutines.
type Text struct {
	d *textData
}

type textData struct {
	pieces []piece
	lfOnly bool

	once sync.Once
	full string // guarded by once
}

// piece is a run of the text. No character and no CRLF is split between two pieces.
type piece struct {
	s   string
	end counts // of the text up to the end of this piece
}

// counts measures a stretch of text.
type counts struct {
	bytes, breaks, utf16, runes int
}

func (c counts) plus(d counts) counts {
	return counts{c.bytes + d.bytes, c.breaks + d.breaks, c.utf16 + d.utf16, c.runes + d.runes}
}

func (c counts) minus(d counts) counts {
	return counts{c.bytes - d.bytes, c.breaks - d.breaks, c.utf16 - d.utf16, c.runes - d.runes}
}

// NewText returns a text whose lines end with LF, CRLF or CR, as LSP says.
func NewText(s string) Text { return newText(s, false) }

// NewLFText returns a text whose lines end with LF only; a CR is a character of its line. Editors other than
// VS Code count so; a text with CRs and no LF has lines that end with CR all the same.
func NewLFText(s string) Text {
	return newText(s, strings.Contains(s, "\n") || !strings.Contains(s, "\r"))
}

func newText(s string, lfOnly bool) Text {
	d := &textData{lfOnly: lfOnly}
	d.pieces = appendPieces(nil, s, lfOnly)
	d.once.Do(func() { d.full = s })
	return Text{d}
}

// Len returns the length in bytes.
func (t Text) Len() int { return t.total().bytes }

// String returns the whole text. The first call on a Text copies it, later ones do not.
func (t Text) String() string {
	if t.d == nil {
		return ""
	}
	t.d.once.Do(func() {
		var b strings.Builder
		b.Grow(t.Len())
		for _, p := range t.d.pieces {
			b.WriteString(p.s)
		}
		t.d.full = b.String()
	})
	return t.d.full
}

// Slice returns the bytes from start to end; offsets outside of the text are moved into it.
func (t Text) Slice(start, end int) string {
	start, end = max(0, start), min(end, t.Len())
	if start >= end {
		return ""
	}
	if end-start == t.Len() {
		return t.String() // which may be at hand
	}
	first, last := t.pieceAt(start), t.pieceAt(end)
	base := t.before(first).bytes
	if first == last {
		return t.piece(first)[start-base : end-base]
	}
	var b strings.Builder
	b.Grow(end - start)
	b.WriteString(t.piece(first)[start-base:])
	for i := first + 1; i < last; i++ {
		b.WriteString(t.piece(i))
	}
	b.WriteString(t.piece(last)[:end-t.before(last).bytes])
	return b.String()
}

// Replace returns the text with the span replaced. A span outside of the text or with its start behind its end is
// ErrBadRange.
func (t Text) Replace(s Span, text string) (Text, error) {
	if s.Start < 0 || s.Start > s.End || s.End > t.Len() {
		return t, fmt.Errorf(
			"%w or outside of the document: bytes %d to %d of %d", ErrBadRange, s.Start, s.End, t.Len(),
		)
	}
	if t.d == nil {
		return NewText(text), nil
	}
	first, last := t.pieceAt(s.Start), t.pieceAt(s.End)
	mid := t.piece(first)[:s.Start-t.before(first).bytes] + text + t.piece(last)[s.End-t.before(last).bytes:]
	first, last, mid = t.widen(first, min(last+1, len(t.d.pieces)), mid)

	d := &textData{lfOnly: t.d.lfOnly}
	d.pieces = make([]piece, first, len(t.d.pieces)+2+len(mid)/pieceSize)
	copy(d.pieces, t.d.pieces)
	d.pieces = appendPieces(d.pieces, mid, d.lfOnly)
	grown := Text{d}.total().minus(t.before(last))
	for _, p := range t.d.pieces[last:] {
		d.pieces = append(d.pieces, piece{p.s, p.end.plus(grown)})
	}
	return Text{d}, nil
}

// widen takes neighbours into the pieces first to last (exclusive) that mid replaces, until mid is not tiny and splits
// no character and no CRLF.
func (t Text) widen(first, last int, mid string) (int, int, string) {
	for {
		before, after := "", ""
		if first > 0 {
			before = t.piece(first - 1)
		}
		if last < len(t.d.pieces) {
			after = t.piece(last)
		}
		switch {
		case before != "" && (len(mid) < pieceMin || joins(before, mid)):
			first, mid = first-1, before+mid
		case after != "" && (len(mid) < pieceMin || joins(mid, after)):
			last, mid = last+1, mid+after
		default:
			return first, last, mid
		}
	}
}

// joins reports whether the border between two strings lies inside a CRLF or a character.
func joins(a, b string) bool {
	return a[len(a)-1] == '\r' && b[0] == '\n' || !utf8.RuneStart(b[0])
}

// appendPieces cuts s and appends the pieces.
func appendPieces(pieces []piece, s string, lfOnly bool) []piece {
	var end counts
	if n := len(pieces); n > 0 {
		end = pieces[n-1].end
	}
	for s != "" {
		n := len(s)
		if n > pieceMax {
			n = alignDown(s, pieceSize)
			if s[n-1] == '\r' && s[n] == '\n' {
				n++
			}
		}
		end = end.plus(count(s[:n], lfOnly))
		pieces = append(pieces, piece{s[:n], end})
		s = s[n:]
	}
	return pieces
}

func count(s string, lfOnly bool) counts {
	c := counts{bytes: len(s), breaks: strings.Count(s, "\n"), runes: utf8.RuneCountInString(s)}
	if !lfOnly && strings.Contains(s, "\r") {
		c.breaks += strings.Count(s, "\r") - strings.Count(s, "\r\n")
	}
	c.utf16 = c.runes
	if c.runes == c.bytes {
		return c
	}
	for _, r := range s {
		if r > 0xFFFF { // counts twice in UTF-16
			c.utf16++
		}
	}
	return c
}

func (t Text) lfOnly() bool { return t.d != nil && t.d.lfOnly }

// total counts the whole text.
func (t Text) total() counts {
	return t.before(len(t.pieces()))
}

// before counts the text before piece i.
func (t Text) before(i int) counts {
	if i = min(i, len(t.pieces())); i == 0 {
		return counts{}
	}
	return t.d.pieces[i-1].end
}

// piece returns the text of piece i; behind the last piece there is nothing.
func (t Text) piece(i int) string {
	if i >= len(t.pieces()) {
		return ""
	}
	return t.d.pieces[i].s
}

// search returns the first piece whose end fulfils f, or the last piece.
func (t Text) search(f func(end counts) bool) int {
	pieces := t.pieces()
	i := sort.Search(len(pieces), func(i int) bool { return f(pieces[i].end) })
	return max(0, min(i, len(pieces)-1))
}

// pieceAt returns the piece that holds an offset; the text's end belongs to the last piece.
func (t Text) pieceAt(offset int) int {
	return t.search(func(end counts) bool { return end.bytes > offset })
}

// line returns the line of an offset.
func (t Text) line(offset int) int {
	i := t.pieceAt(offset)
	before, s := t.before(i), t.piece(i)
	at := offset - before.bytes
	if at > 0 && at < len(s) && s[at-1] == '\r' && s[at] == '\n' {
		at-- // inside a line's end: still on that line
	}
	return before.breaks + count(s[:at], t.lfOnly()).breaks
}

// lineStart returns the offset of a line's first byte; lines past the end begin at the end.
func (t Text) lineStart(line int) int {
	if line <= 0 {
		return 0
	}
	if line > t.total().breaks {
		return t.Len()
	}
	i := t.search(func(end counts) bool { return end.breaks >= line })
	before, s := t.before(i), t.piece(i)
	at := 0
	for range line - before.breaks {
		at += t.breakEnd(s[at:])
	}
	return before.bytes + at
}

// breakEnd returns the offset behind the first line's end in s, which has one.
func (t Text) breakEnd(s string) int {
	if t.lfOnly() {
		return strings.IndexByte(s, '\n') + 1
	}
	at := strings.IndexAny(s, "\r\n")
	if s[at] == '\r' && at+1 < len(s) && s[at+1] == '\n' {
		at++
	}
	return at + 1
}

// lineEnd returns the offset of the end of the line that begins at start, without its line end.
func (t Text) lineEnd(line, start int) int {
	end := t.lineStart(line + 1)
	tail := t.Slice(max(start, end-2), end)
	if line >= t.total().breaks {
		return end
	}
	if t.lfOnly() {
		return end - len(tail) + len(strings.TrimSuffix(tail, "\n"))
	}
	if strings.HasSuffix(tail, "\r\n") {
		return end - 2
	}
	return end - 1
}

// common returns the lengths of the common start and end of two strings; no character is cut.
func common(a, b string) (pre, suf int) {
	n := min(len(a), len(b))
	for pre < n && a[pre] == b[pre] {
		pre++
	}
	pre = min(alignDown(a, pre), alignDown(b, pre))
	for suf < n-pre && a[len(a)-1-suf] == b[len(b)-1-suf] {
		suf++
	}
	for suf > 0 && !utf8.RuneStart(a[len(a)-suf]) {
		suf--
	}
	return pre, suf
}

// pieces are the pieces of the text; the zero value has none.
func (t Text) pieces() []piece {
	if t.d == nil {
		return nil
	}
	return t.d.pieces
}

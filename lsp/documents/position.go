package documents

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Encoding says what Position.Character counts. The zero value counts as UTF16, LSP's default.
type Encoding string

// The encodings of LSP 3.17.
const (
	UTF8  Encoding = "utf-8"
	UTF16 Encoding = "utf-16"
	UTF32 Encoding = "utf-32"
)

// Position is a place in a document: zero-based line, and code units of the negotiated encoding within it.
type Position struct {
	Line, Character uint32
}

// Range is what lies between two positions; the end is exclusive.
type Range struct {
	Start, End Position
}

// Span is what lies between two byte offsets; the end is exclusive.
type Span struct {
	Start, End int
}

// At is the empty span at an offset.
func At(offset int) Span { return Span{offset, offset} }

// ErrBadRange says that a range's start lies behind its end.
var ErrBadRange = errors.New("the start of the range lies behind its end")

// Offset returns the byte offset of a position. A position past the end of a line or of the text is moved to that end,
// one inside a character to the character's start.
func (t Text) Offset(p Position, enc Encoding) int {
	start := t.lineStart(int(p.Line))
	if p.Character == 0 {
		return start
	}
	end := t.lineEnd(int(p.Line), start)
	want := t.units(start, enc) + int(p.Character)
	if want >= t.units(end, enc) {
		return end
	}
	return t.unitOffset(want, enc)
}

// Position returns the position of a byte offset. An offset outside of the text is moved into it, one inside a
// character to the character's start, one inside a line's end to the end of that line.
func (t Text) Position(offset int, enc Encoding) Position {
	offset = t.runeStart(max(0, min(offset, t.Len())))
	line := t.line(offset)
	start := t.lineStart(line)
	offset = min(offset, t.lineEnd(line, start))
	return Position{Line: uint32(line), Character: uint32(t.units(offset, enc) - t.units(start, enc))}
}

// Span returns the byte offsets of a range, or ErrBadRange.
func (t Text) Span(r Range, enc Encoding) (Span, error) {
	if r.End.Line < r.Start.Line || r.End.Line == r.Start.Line && r.End.Character < r.Start.Character {
		return Span{}, fmt.Errorf(
			"%w: %d:%d is behind %d:%d", ErrBadRange, r.Start.Line, r.Start.Character, r.End.Line, r.End.Character,
		)
	}
	return Span{t.Offset(r.Start, enc), t.Offset(r.End, enc)}, nil
}

// Range returns the positions of a span.
func (t Text) Range(s Span, enc Encoding) Range {
	return Range{t.Position(s.Start, enc), t.Position(s.End, enc)}
}

// Positions returns the positions of byte offsets, which are in order and at the starts of characters: faster than one
// after the other where there are many.
func (t Text) Positions(offsets []int, enc Encoding) []Position {
	all := make([]Position, 0, len(offsets))
	s, lfOnly := t.String(), t.lfOnly()
	line, start, at := 0, 0, 0 // at is behind the last line's end that was found
	for _, offset := range offsets {
		end := max(at, min(offset, len(s)))
		if !lfOnly && end > at && end < len(s) && s[end-1] == '\r' && s[end] == '\n' {
			end-- // inside a line's end: still on that line
		}
		for breaks(s[at:end], lfOnly) {
			at += t.breakEnd(s[at:])
			line, start = line+1, at
		}
		all = append(all, Position{Line: uint32(line), Character: uint32(count(s[start:end], lfOnly).of(enc))})
	}
	return all
}

func breaks(s string, lfOnly bool) bool {
	return strings.IndexByte(s, '\n') >= 0 || !lfOnly && strings.IndexByte(s, '\r') >= 0
}

// of returns a count in the units of an encoding.
func (c counts) of(enc Encoding) int {
	switch enc {
	case UTF8:
		return c.bytes
	case UTF32:
		return c.runes
	default:
		return c.utf16
	}
}

// units counts the code units before an offset.
func (t Text) units(offset int, enc Encoding) int {
	if enc == UTF8 {
		return offset
	}
	i := t.pieceAt(offset)
	before := t.before(i)
	return before.of(enc) + count(t.piece(i)[:offset-before.bytes], t.lfOnly()).of(enc)
}

// unitOffset is the inverse of units; inside a character it returns the character's start.
func (t Text) unitOffset(want int, enc Encoding) int {
	i := t.search(func(end counts) bool { return end.of(enc) > want })
	before, s := t.before(i), t.piece(i)
	left := want - before.of(enc)
	if enc == UTF8 {
		return t.runeStart(before.bytes + min(left, len(s)))
	}
	at := 0
	for at < len(s) && left > 0 {
		r, n := utf8.DecodeRuneInString(s[at:])
		left--
		if enc != UTF32 && r > 0xFFFF {
			left--
		}
		if left < 0 {
			break
		}
		at += n
	}
	return before.bytes + at
}

// runeStart moves an offset inside a character to the character's start.
func (t Text) runeStart(offset int) int {
	i := t.pieceAt(offset)
	base := t.before(i).bytes
	return base + alignDown(t.piece(i), offset-base)
}

// alignDown returns the start of the character that the offset at lies in. Bytes that are no UTF-8 are characters.
func alignDown(s string, at int) int {
	for back := 1; back < utf8.UTFMax && at-back >= 0 && at < len(s) && !utf8.RuneStart(s[at]); back++ {
		if _, n := utf8.DecodeRuneInString(s[at-back:]); n > back {
			return at - back
		}
	}
	return at
}

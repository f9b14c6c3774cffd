// Package visible holds the one table of characters that are invisible or that act on a terminal, and shows them to
// people.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Hidden says whether a character shows nothing, or changes how others are shown: controls but for line ends and tabs,
// line separators, and what Unicode lets a font leave out (bidirectional marks, zero-width characters, fillers, tags,
// variation selectors).
func Hidden(r rune) bool {
	if r < 0x7F {
		return r < ' ' && r != '\n' && r != '\t'
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || blank(r)
}

// blank reports the letters and symbols that are drawn as nothing although no property of Unicode says so: the empty
// Braille cell, the null notehead of music, the Khitan filler.
func blank(r rune) bool { return r == 0x2800 || r == 0x1D159 || r == 0x16FE4 }

// Hidden characters that ordinary writing needs.
const (
	nonJoiner     = 0x200C
	joiner        = 0x200D // also makes one picture of several
	firstSelector = 0xFE00 // a variation selector chooses how the character before it is drawn
	EmojiSelector = 0xFE0F // asks for the coloured picture of a sign
)

// Joins says whether a hidden character is one that names in some scripts need: a joiner or a variation selector.
func Joins(r rune) bool {
	return r == nonJoiner || r == joiner || unicode.Is(unicode.Variation_Selector, r)
}

// Joined says whether one joiner or common variation selector is where writing in some script has it: after a
// visible character outside ASCII. A run of them can only be meant for a machine.
func Joined(previous, r rune) bool {
	selector := func(r rune) bool { return r >= firstSelector && r <= EmojiSelector }
	switch {
	case r != nonJoiner && r != joiner && !selector(r), previous < utf8.RuneSelf:
		return false
	}
	return !Hidden(previous) || selector(previous) && r == joiner
}

// shown says whether a character may be as it is after another one where a person decides by what they see: of the
// hidden ones only a joiner and the emoji selector after a picture.
func shown(previous, r rune) bool {
	if !Hidden(r) {
		return true
	}
	picture := unicode.In(previous, unicode.So, unicode.Sk) && !Hidden(previous)
	return r == EmojiSelector && picture || r == joiner && (picture || previous == EmojiSelector)
}

// Text writes hidden characters as <U+202E> and bytes that are not UTF-8 as U+FFFD. Line ends and tabs stay, and so
// does what holds a picture together.
func Text(s string) string {
	if isPlain(s) {
		return s
	}
	var t Stream
	return t.Push([]byte(s)) + t.End()
}

// isPlain reports whether a text is ASCII without a hidden character, as most are: it shows as it is.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x7F || Hidden(rune(s[i])) {
			return false
		}
	}
	return true
}

// Line is Text for one line of a message: line ends appear as ⏎, tabs as <U+0009>.
func Line(s string) string { return lineEnds.Replace(Text(s)) }

// lineEnds is made once: making it takes far longer than to look through a title.
var lineEnds = strings.NewReplacer("\n", "⏎", "\t", "<U+0009>")

// CodeSpan is Line for words of others in Markdown: nothing in them is a link, an image or a mark.
func CodeSpan(s string) string { return "`" + strings.ReplaceAll(Line(s), "`", "'") + "`" }

// JSON writes the hidden characters of JSON text, which can only be in its strings, as \uXXXX: it means the same.
// Bytes that are not UTF-8 become U+FFFD.
func JSON(s string) string {
	if isPlain(s) {
		return s
	}
	t := Stream{JSON: true}
	return t.Push([]byte(s)) + t.End()
}

// Shorten leaves out the middle of a text of more than most runes and says how many, so that neither padding in front
// nor a tail can hide what matters.
func Shorten(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	head, tail := most/2, most/2-1
	return fmt.Sprintf("%s…(%d more)…%s", string(runes[:head]), len(runes)-head-tail, string(runes[len(runes)-tail:]))
}

// Tail is the end of a text, in at most most bytes and without a part of a character.
func Tail(s string, most int) string {
	from := max(0, len(s)-most)
	for from > 0 && from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}

// WholeEnd is where the whole characters of a text end that may go on: behind it are the first bytes of one, or
// nothing.
func WholeEnd(text []byte) int {
	for i := len(text) - 1; i >= 0 && i > len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				return i
			}
			break
		}
	}
	return len(text)
}

// Stream is Text, or JSON, for a text that comes in pieces: any pieces of the same text give the same result. The zero
// value is ready; it is used by one goroutine.
type Stream struct {
	JSON bool

	part     []byte // the first bytes of a character whose others are still to come
	previous rune
}

// Push returns what is to be shown of the next piece.
func (t *Stream) Push(piece []byte) string {
	text := append(t.part, piece...)
	whole := WholeEnd(text)
	t.part = append([]byte(nil), text[whole:]...)
	return t.show(string(text[:whole]))
}

// End returns what is to be shown of a character that never became whole.
func (t *Stream) End() string {
	rest := string(t.part)
	t.part = nil
	return t.show(rest)
}

func (t *Stream) show(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case shown(t.previous, r):
			b.WriteRune(r)
		case !t.JSON:
			fmt.Fprintf(&b, "<U+%04X>", r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		t.previous = r
	}
	return b.String()
}

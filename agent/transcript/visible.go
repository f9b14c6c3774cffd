package transcript

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-ls/assent/internal/visible"
)

// hidden reports the characters that a body shows as <U+XXXX>: a person would not see them, or an editor might change
// them. The emoji selector stays: many models write it, and it hides nothing.
func hidden(r rune) bool { return r != visible.EmojiSelector && visible.Hidden(r) }

// encode writes the characters that hide reports as <U+XXXX>, bytes that are not UTF-8 as <0xFF>, and the "<" of what
// reads as either as <U+003C>.
func encode(s string, hide func(rune) bool) string {
	i := firstEncoded(s, hide)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for {
		b.WriteString(s[:i])
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, "<0x%02X>", s[i])
		} else {
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
		s = s[i+n:]
		if i = firstEncoded(s, hide); i < 0 {
			b.WriteString(s)
			return b.String()
		}
	}
}

// firstEncoded returns the offset of the first character of s that encode does not copy, or -1.
func firstEncoded(s string, hide func(rune) bool) int {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c == '<' {
				if _, n := decodeOne(s[i:]); n > 0 {
					return i
				}
			} else if (c < ' ' || c == 0x7F) && hide(rune(c)) {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || hide(r) {
			return i
		}
		i += n
	}
	return -1
}

// decodeOne reads <U+XXXX> or <0xXX> at the start of s; n is 0 if there is none.
func decodeOne(s string) (text string, n int) {
	end := strings.IndexByte(s[:min(len(s), len("<U+10FFFF>"))], '>')
	if end < 0 {
		return "", 0
	}
	if digits, ok := strings.CutPrefix(s[:end], "<U+"); ok && len(digits) >= 4 && upperHex(digits) {
		v, err := strconv.ParseUint(digits, 16, 32)
		if err != nil || !utf8.ValidRune(rune(v)) {
			return "", 0
		}
		return string(rune(v)), end + 1
	}
	if digits, ok := strings.CutPrefix(s[:end], "<0x"); ok && len(digits) == 2 && upperHex(digits) {
		v, err := strconv.ParseUint(digits, 16, 8)
		if err != nil {
			return "", 0
		}
		return string([]byte{byte(v)}), end + 1
	}
	return "", 0
}

func upperHex(s string) bool { return strings.Trim(s, "0123456789ABCDEF") == "" }

// decode is the inverse of encode.
func decode(s string) string {
	if !strings.Contains(s, "<U+") && !strings.Contains(s, "<0x") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		if text, n := decodeOne(s[i:]); n > 0 {
			b.WriteString(text)
			s = s[i+n:]
			continue
		}
		b.WriteByte('<')
		s = s[i+1:]
	}
}

// encodeTrailingSpace shows the last character of a line if it is a blank, which editors cut off.
func encodeTrailingSpace(line string) string {
	r, n := utf8.DecodeLastRuneInString(line)
	if n == 0 || !unicode.IsSpace(r) {
		return line
	}
	return line[:len(line)-n] + fmt.Sprintf("<U+%04X>", r)
}

// encodeBody writes text for a body: LF ends its lines, and nothing in it is invisible.
func encodeBody(text string) string {
	return mapLines(encode(text, hidden), encodeTrailingSpace)
}

// decodeBody reads what encodeBody wrote. What cannot be seen does not count: the kind of the line ends, whitespace at
// ends of lines, and the last line end.
func decodeBody(body string) string {
	return decode(trimTrailingSpace(strings.TrimSuffix(normalNewlines(body), "\n")))
}

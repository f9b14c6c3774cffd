package values

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// shortEscapes are the escapes of two bytes, by the second one.
var shortEscapes = map[byte]string{
	'n': "\n", 't': "\t", 'r': "\r", 'b': "\b", 'f': "\f", '0': "\x00", '\n': "",
	'\\': "\\", '"': `"`, '\'': "'", '/': "/",
}

// unescape reads the escape at the start of text. An escape that no language knows stays as it is.
func unescape(text string) (string, int) {
	if meant, ok := shortEscapes[text[1]]; ok {
		return meant, 2
	}
	switch text[1] {
	case 'x':
		return hexRune(text, 2)
	case 'u':
		return hexRune(text, 4)
	case 'U':
		return hexRune(text, 8)
	}
	return text[:2], 2
}

func hexRune(text string, digits int) (string, int) {
	end := 2 + digits
	if len(text) < end {
		return text[:2], 2
	}
	n, err := strconv.ParseUint(text[2:end], 16, 32)
	if err != nil {
		return text[:2], 2
	}
	if low := text[end:]; n >= 0xD800 && n < 0xDC00 && strings.HasPrefix(low, `\u`) && len(low) >= 6 {
		if second, err := strconv.ParseUint(low[2:6], 16, 32); err == nil && second >= 0xDC00 && second < 0xE000 {
			return string(rune((n-0xD800)<<10 + (second - 0xDC00) + 0x10000)), end + 6
		}
	}
	if n > utf8.MaxRune {
		return string(utf8.RuneError), end
	}
	return string(rune(n)), end
}

// StringStream decodes the inside of a JSON string byte by byte; escapes and surrogate pairs may be split anywhere.
type StringStream struct {
	escape []byte // the escape that is being read, without its backslash; nil: none
	high   rune   // a high surrogate that waits for its low one
}

// Next takes one byte and gives what is certain. done is true at the closing quote.
func (s *StringStream) Next(b byte) (out []byte, done bool) {
	switch {
	case s.escape == nil && b == '"':
		return s.End(), true
	case s.escape == nil && b == '\\':
		s.escape = []byte{}
		return nil, false
	case s.escape == nil:
		return append(s.End(), b), false
	}
	s.escape = append(s.escape, b)
	if s.escape[0] == 'u' {
		if len(s.escape) < 5 {
			return nil, false
		}
		code, err := strconv.ParseUint(string(s.escape[1:]), 16, 32)
		s.escape = nil
		if err != nil {
			return utf8.AppendRune(s.End(), utf8.RuneError), false
		}
		return s.unit(rune(code)), false
	}
	s.escape = nil
	text, _ := unescape(string([]byte{'\\', b}))
	return append(s.End(), text...), false
}

// unit takes one UTF-16 unit.
func (s *StringStream) unit(r rune) []byte {
	if s.high != 0 {
		if pair := utf16.DecodeRune(s.high, r); pair != utf8.RuneError {
			s.high = 0
			return utf8.AppendRune(nil, pair)
		}
	}
	out := s.End()
	if r >= 0xD800 && r < 0xDC00 {
		s.high = r
		return out
	}
	return utf8.AppendRune(out, r)
}

// End gives what is left: a high surrogate without its low one is not a character.
func (s *StringStream) End() []byte {
	if s.high == 0 {
		return nil
	}
	s.high = 0
	return utf8.AppendRune(nil, utf8.RuneError)
}

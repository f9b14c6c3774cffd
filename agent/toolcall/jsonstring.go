package toolcall

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// stringStream decodes the inside of a JSON string byte by byte; escapes and surrogate pairs may be split anywhere.
type stringStream struct {
	escape []byte // the escape that is being read, without its backslash; nil: none
	high   rune   // a high surrogate that waits for its low one
}

// next takes one byte and gives what is certain. done is true at the closing quote.
func (s *stringStream) next(b byte) (out []byte, done bool) {
	switch {
	case s.escape == nil && b == '"':
		return s.end(), true
	case s.escape == nil && b == '\\':
		s.escape = []byte{}
		return nil, false
	case s.escape == nil:
		return append(s.end(), b), false
	}
	s.escape = append(s.escape, b)
	if s.escape[0] == 'u' {
		if len(s.escape) < 5 {
			return nil, false
		}
		code, err := strconv.ParseUint(string(s.escape[1:]), 16, 32)
		s.escape = nil
		if err != nil {
			return utf8.AppendRune(s.end(), utf8.RuneError), false
		}
		return s.unit(rune(code)), false
	}
	s.escape = nil
	text, _ := unescape(string([]byte{'\\', b}))
	return append(s.end(), text...), false
}

// unit takes one UTF-16 unit.
func (s *stringStream) unit(r rune) []byte {
	if s.high != 0 {
		if pair := utf16.DecodeRune(s.high, r); pair != utf8.RuneError {
			s.high = 0
			return utf8.AppendRune(nil, pair)
		}
	}
	out := s.end()
	if r >= 0xD800 && r < 0xDC00 {
		s.high = r
		return out
	}
	return utf8.AppendRune(out, r)
}

// end gives what is left: a high surrogate without its low one is not a character.
func (s *stringStream) end() []byte {
	if s.high == 0 {
		return nil
	}
	s.high = 0
	return utf8.AppendRune(nil, utf8.RuneError)
}

// keyReader reads the first key of a JSON object up to the quote that opens its value.
type keyReader struct {
	key   []byte
	state int // 0: before the key, 1: in it, 2: after it, 3: after the colon; 4 to 7 the same for the value of "do" or "done"
}

type keyVerdict int

const (
	keyPending keyVerdict = iota
	keyAnswer             // the value of an answer begins after this byte
	keyOther              // anything else
)

func (k *keyReader) next(b byte) keyVerdict {
	switch {
	case k.state == 0 && b == '"':
		k.state = 1
	case k.state == 1 && b == '"':
		k.state = 2
		switch string(k.key) {
		case "answer", "response":
		case "do", "done":
			k.state = 4
		default:
			return keyOther
		}
	case k.state == 1:
		if k.key = append(k.key, b); len(k.key) > len("response") {
			return keyOther
		}
	case k.state == 2 && b == ':':
		k.state = 3
	case k.state == 3 && b == '"':
		return keyAnswer
	case k.state == 4 && b == ':':
		k.state = 5
	case k.state == 5 && b == '"':
		k.state = 6
	case k.state == 6 && b == '"':
		k.state = 7
	case k.state == 6 && b != '\\':
	case k.state == 7 && b == ',':
		k.key, k.state = nil, 0
	case isSpace(b) || k.state == 0 && b == '{':
	default:
		return keyOther
	}
	return keyPending
}

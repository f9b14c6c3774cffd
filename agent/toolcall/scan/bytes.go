// Package scan has sets of bytes, and the search for markers in a stream.
package scan

import "strings"

// Whitespace are the bytes that separate words.
const Whitespace = " \t\n\f\r"

// Letters may begin a name.
const Letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

// ByteSet tells what each byte means to a scanner.
type ByteSet [256]byte

// What a byte means; Free must be the zero value.
const (
	Free     byte = iota
	Stopping      // it matters, unless it is escaped
	Marking       // it may begin a marker, and matters even then
	escaping      // the byte after it is escaped
)

// StopSet is the set of the given bytes; a backslash among them escapes.
func StopSet(stops string) *ByteSet {
	var set ByteSet
	for i := range len(stops) {
		set[stops[i]] = Stopping
		if stops[i] == '\\' {
			set['\\'] = escaping
		}
	}
	return &set
}

// Skip gives the place of the first byte from at on that matters, or the end of text. escaped says that the text ends
// with a backslash: what it escapes is still to come.
func Skip[T string | []byte](text T, at int, set *ByteSet) (end int, escaped bool) {
	for {
		for at < len(text) && set[text[at]] == Free {
			at++
		}
		switch {
		case at == len(text) || set[text[at]] != escaping:
			return at, false
		case at+1 == len(text):
			return at + 1, true
		case set[text[at+1]] == Marking:
			return at, false
		}
		at += 2
	}
}

// IsSpace reports whether b is whitespace in JSON.
func IsSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// IsNameByte reports whether b may be in a bare word, a number or a dotted name.
func IsNameByte(b byte) bool {
	return b == '_' || b == '.' || b == '-' || b >= 0x80 || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' ||
		b >= 'A' && b <= 'Z'
}

// SkipSpace gives the place of the first byte from at on that is not whitespace.
func SkipSpace[T string | []byte](text T, at int) int {
	for at < len(text) && IsSpace(text[at]) {
		at++
	}
	return at
}

// TrimmedLen is the length of text without the whitespace at its end.
func TrimmedLen[T string | []byte](text T) int {
	n := len(text)
	for n > 0 && IsSpace(text[n-1]) {
		n--
	}
	return n
}

// CutAny drops the first of the endings that text ends with.
func CutAny[T string | []byte](text T, endings []string) T {
	for _, e := range endings {
		if end := len(text) - len(e); end >= 0 && string(text[end:]) == e {
			return text[:end]
		}
	}
	return text
}

// EndsWith reports whether text ends with one of the endings.
func EndsWith[T string | []byte](text T, endings []string) bool {
	return len(CutAny(text, endings)) < len(text)
}

// LastEnd is the place after the last of several markers in text, or 0.
func LastEnd(text string, markers []string) int {
	end := 0
	for _, m := range markers {
		if at := strings.LastIndex(text, m); at >= 0 {
			end = max(end, at+len(m))
		}
	}
	return end
}

// Package values reads values as models write them: JSON, Python literals and what is nearly either. It repairs what it
// can, reads schemas, and fits values to them.
package values

import (
	"strings"

	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// Scan follows the brackets and strings of a value byte by byte. It never looks back, so scanning is linear in any
// chunking. It accepts more than JSON: repairing comes later.
type Scan struct {
	Python  bool // as in Python, round brackets count and an apostrophe quotes, once a bracket is open
	Depth   int
	Quote   byte // the quotation mark of the open string, or 0
	Escaped bool // the last byte was a backslash inside a string
	Started bool // a bracket was seen
}

// Next takes one byte and reports whether the outermost value is whole with it.
func (s *Scan) Next(b byte) bool {
	switch {
	case s.Escaped:
		s.Escaped = false
	case s.Quote != 0:
		switch b {
		case '\\':
			s.Escaped = true
		case s.Quote:
			s.Quote = 0
		}
	case b == '"' && (!s.Python || s.Depth > 0), b == '\'' && s.Python && s.Depth > 0:
		s.Quote = b
	case b == '{' || b == '[' || b == '(' && s.Python:
		s.Depth++
		s.Started = true
	case b == '}' || b == ']' || b == ')' && s.Python:
		s.Depth--
		return s.Started && s.Depth == 0
	}
	return false
}

// InString reports whether a string is open.
func (s *Scan) InString() bool { return s.Quote != 0 }

// InText reports whether the next byte is inside a string and not escaped.
func (s *Scan) InText() bool { return s.Quote != 0 && !s.Escaped }

// StopBytes gives the bytes that matter now; nil: all.
func (s *Scan) StopBytes() *scan.ByteSet {
	if s.InText() {
		return stringStops
	}
	return nil
}

// stringStops are the bytes that matter inside a JSON string.
var stringStops = scan.StopSet("\"\\")

// Balanced gives the length of the first whole JSON value in text, leading whitespace included, or -1.
func Balanced(text string) int {
	var s Scan
	for i := 0; i < len(text); i++ {
		if s.InText() {
			if i, _ = scan.Skip(text, i, stringStops); i == len(text) {
				break
			}
		}
		if s.Next(text[i]) {
			return i + 1
		}
		if !s.Started && !scan.IsSpace(text[i]) {
			return -1
		}
	}
	return -1
}

// ValuesIn splits text into its JSON values, separated by whitespace, commas or semicolons; nil if anything else is in
// it.
func ValuesIn(text string) []string {
	var values []string
	for {
		text = strings.TrimLeft(text, " \t\r\n,;")
		if text == "" {
			return values
		}
		end := Balanced(text)
		if end < 0 {
			return nil
		}
		values = append(values, text[:end])
		text = text[end:]
	}
}

package toolcall

// jsonScan follows brackets and strings of a JSON value byte by byte. It never looks back, so scanning is linear in any
// chunking. It accepts more than JSON: repairing comes later.
type jsonScan struct {
	depth   int
	inText  bool // inside a string
	escaped bool // the last byte was a backslash inside a string
	started bool // a bracket was seen
}

// next takes one byte and reports whether the value is whole with it.
func (s *jsonScan) next(b byte) bool {
	switch {
	case s.escaped:
		s.escaped = false
	case s.inText:
		switch b {
		case '\\':
			s.escaped = true
		case '"':
			s.inText = false
		}
	case b == '"':
		s.inText = true
	case b == '{' || b == '[':
		s.depth++
		s.started = true
	case b == '}' || b == ']':
		s.depth--
		return s.started && s.depth == 0
	}
	return false
}

// within reports whether the next byte is inside a string and not escaped.
func (s *jsonScan) within() bool { return s.inText && !s.escaped }

// inString are the bytes that matter inside a string.
var inString = (*matcher)(nil).heeding("\"\\")

// heeds gives the bytes that matter now; nil: all.
func (s *jsonScan) heeds() *byteSet {
	if s.within() {
		return inString
	}
	return nil
}

// balanced gives the length of the first whole JSON value in text, leading blanks included, or -1.
func balanced(text string) int {
	var s jsonScan
	for i := 0; i < len(text); i++ {
		if s.within() {
			if i, _ = skip(text, i, inString); i == len(text) {
				break
			}
		}
		if s.next(text[i]) {
			return i + 1
		}
		if !s.started && !isSpace(text[i]) {
			return -1
		}
	}
	return -1
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

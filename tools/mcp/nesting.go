package mcp

import (
	"io"
	"slices"
)

// maxMessageDepth is how deep lists and objects lie in each other in a message that is read: the SDK gives a connection
// up for more. It is more than a definition may have, so that one that was cut is left out.
const maxMessageDepth = 500

// nesting follows JSON byte by byte.
type nesting struct {
	depth             int
	inString, escaped bool
}

// keeps reports whether the next byte is kept. Lists and objects that lie too deep are emptied, so what is kept is JSON
// if all of it is.
func (n *nesting) keeps(b byte) bool {
	switch {
	case n.inString:
		n.inString = n.escaped || b != '"'
		n.escaped = !n.escaped && b == '\\'
	case b == '"':
		n.inString = true
	case b == '{' || b == '[':
		n.depth++
		return n.depth <= maxMessageDepth
	case b == '}' || b == ']':
		kept := n.depth <= maxMessageDepth
		n.depth = max(0, n.depth-1)
		return kept
	}
	return n.depth < maxMessageDepth
}

// shallow is the body of an answer without what is nested too deeply in it.
type shallow struct {
	io.ReadCloser
	events bool // a stream of events, of which each begins anew
	blank  bool // the line has nothing so far
	nested nesting
}

// Read implements io.Reader.
func (s *shallow) Read(p []byte) (int, error) {
	for {
		n, err := s.ReadCloser.Read(p)
		kept := 0
		for _, b := range p[:n] {
			if b == '\n' && s.events {
				s.nested.inString, s.nested.escaped = false, false // none goes on behind the end of a line
				if s.blank {
					s.nested = nesting{}
				}
				s.blank = true
				p[kept] = b
				kept++
				continue
			}
			s.blank = s.blank && b == '\r'
			if s.nested.keeps(b) {
				p[kept] = b
				kept++
			}
		}
		if kept > 0 || err != nil || len(p) == 0 {
			return kept, err
		}
	}
}

// shallowMessage is a message without what is nested too deeply in it. It is written over.
func shallowMessage(message []byte) []byte {
	var n nesting
	return slices.DeleteFunc(message, func(b byte) bool { return !n.keeps(b) })
}

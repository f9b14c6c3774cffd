package tooldef

import (
	"io"
	"slices"
)

// MaxMessageDepth is how deep lists and objects lie in each other in a message that is read: the SDK gives a connection
// up for more. It is more than a definition may have, so that one that was cut is left out.
const MaxMessageDepth = 500

// Nesting follows JSON byte by byte.
type Nesting struct {
	Depth             int
	inString, escaped bool
}

// Keeps reports whether the next byte is kept. Lists and objects that lie too deep are emptied, so what is kept is JSON
// if all of it is.
func (n *Nesting) Keeps(b byte) bool {
	switch {
	case n.inString:
		n.inString = n.escaped || b != '"'
		n.escaped = !n.escaped && b == '\\'
	case b == '"':
		n.inString = true
	case b == '{' || b == '[':
		n.Depth++
		return n.Depth <= MaxMessageDepth
	case b == '}' || b == ']':
		kept := n.Depth <= MaxMessageDepth
		n.Depth = max(0, n.Depth-1)
		return kept
	}
	return n.Depth < MaxMessageDepth
}

// Shallow is the body of an answer without what is nested too deeply in it.
type Shallow struct {
	io.ReadCloser
	Events bool // a stream of events, of which each begins anew
	blank  bool // the line has nothing so far
	nested Nesting
}

// Read implements io.Reader.
func (s *Shallow) Read(p []byte) (int, error) {
	for {
		n, err := s.ReadCloser.Read(p)
		kept := 0
		for _, b := range p[:n] {
			if b == '\n' && s.Events {
				s.nested.inString, s.nested.escaped = false, false // none goes on behind the end of a line
				if s.blank {
					s.nested = Nesting{}
				}
				s.blank = true
				p[kept] = b
				kept++
				continue
			}
			s.blank = s.blank && b == '\r'
			if s.nested.Keeps(b) {
				p[kept] = b
				kept++
			}
		}
		if kept > 0 || err != nil || len(p) == 0 {
			return kept, err
		}
	}
}

// ShallowMessage is a message without what is nested too deeply in it. It is written over.
func ShallowMessage(message []byte) []byte {
	var n Nesting
	return slices.DeleteFunc(message, func(b byte) bool { return !n.Keeps(b) })
}

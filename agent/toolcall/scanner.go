package toolcall

import (
	"bytes"
	"slices"
	"strings"
)

// verdict is what a scanner says after each byte.
type verdict int

const (
	more    verdict = iota // the block goes on
	whole                  // the block is whole; back bytes at its end do not belong to it
	notCall                // this was never a call: what was read is prose, and its first back bytes begin nothing else
)

// scanner finds the end of a block. next is called after each byte with all that was read; it must not read all of it
// again, so that scanning stays linear.
type scanner interface {
	next(body []byte) (v verdict, back int)
	// heeds gives the bytes that matter now: next need not see others that come before one of them. nil: all matter.
	heeds() *byteSet
}

// scanFunc is a scanner made of one function; every byte matters to it.
type scanFunc func(body []byte) (verdict, int)

func (f scanFunc) next(body []byte) (verdict, int) { return f(body) }

func (scanFunc) heeds() *byteSet { return nil }

// skipping is a scanner that steps over most of a long value.
type skipping struct {
	scanFunc
	heed func() *byteSet
}

func (s skipping) heeds() *byteSet { return s.heed() }

// scanTagged ends at one of the closers, outside JSON strings. If starts is not empty, the first byte that is not blank
// must be one of its bytes, else it was no call. An opener after a whole value ends the block too: its closer was forgotten.
func scanTagged(closers, openers []string, starts string) func(*reader) scanner {
	m := newMatcher(append(slices.Clone(closers), openers...))
	kind := tagKind{m: m, closers: len(closers), openers: openers, starts: starts, inText: m.heeding("\"\\"), inCode: m.heeding("")}
	return func(*reader) scanner { return &tagScan{tagKind: &kind} }
}

// tagKind is what all scanners of one envelope share.
type tagKind struct {
	m              *matcher
	closers        int // how many of m's markers are closers; the openers follow them
	openers        []string
	starts         string
	inText, inCode *byteSet
}

type tagScan struct {
	*tagKind
	json    jsonScan
	state   int16
	prelude prelude
	first   byte // of the inside, blanks aside; 0: not there yet
	done    bool // a JSON value was whole
	again   int  // where the last of several openers ends
}

func (s *tagScan) heeds() *byteSet {
	switch {
	case s.m.depth(s.state) > 0:
	case s.json.within():
		return s.inText
	case s.first != 0 && s.first != '{' && s.first != '[':
		return s.inCode
	}
	return nil
}

func (s *tagScan) next(body []byte) (verdict, int) {
	b := body[len(body)-1]
	var hit int
	s.state, hit = s.m.step(s.state, b)
	if s.first == 0 && !s.prelude.skips(b) {
		s.first = b
	}
	if s.starts != "" && s.first != 0 && hit < 0 && s.m.depth(s.state) == 0 && strings.IndexByte(s.starts, s.first) < 0 {
		return notCall, s.again
	}
	if s.first == '{' || s.first == '[' {
		s.done = s.json.next(b) || s.done
	}
	if hit < 0 || s.json.inText {
		return more, 0
	}
	if hit < s.closers {
		return whole, 0
	}
	switch {
	case s.done && s.json.depth == 0:
		return whole, len(s.openers[hit-s.closers])
	case !s.json.started: // the opener, written twice
		s.first, s.prelude, s.again = 0, prelude{}, len(body)
	}
	return more, 0
}

// prelude steps over what may stand between a marker and its JSON: blanks, literal newlines, the head of a code fence.
type prelude struct{ slash, fence bool }

func (p *prelude) skips(b byte) bool {
	switch {
	case p.slash:
		p.slash = false
		return b == 'n' || b == 't'
	case b == '\\':
		p.slash = true
		return true
	case b == '`':
		p.fence = true
		return true
	case p.fence && b >= 'a' && b <= 'z' || isSpace(b):
		return true
	}
	return false
}

// scanJSON ends with the bracket that balances the first one; the value must come first, blanks aside.
func scanJSON(starts string) func(*reader) scanner {
	return func(*reader) scanner {
		var json jsonScan
		return skipping{heed: json.heeds, scanFunc: func(body []byte) (verdict, int) {
			b := body[len(body)-1]
			if !json.started && !isSpace(b) && strings.IndexByte(starts, b) < 0 {
				return notCall, 0
			}
			if json.next(b) {
				return whole, 0
			}
			return more, 0
		}}
	}
}

// keyGate lets a JSON candidate through only while its first key may be one of a call's. It decides once.
type keyGate struct{ decided bool }

// open reports whether body may still be a call.
func (g *keyGate) open(body []byte) bool {
	if g.decided {
		return true
	}
	rest := bytes.TrimLeft(body, "{[ \t\r\n")
	if len(rest) == 0 {
		return len(body) < 64 // a long run of brackets is data
	}
	mark := rest[0]
	if mark == ']' || mark == '}' {
		g.decided = true
		return false
	}
	if mark != '"' && mark != '\'' {
		return false
	}
	key, _, closed := bytes.Cut(rest[1:], rest[:1])
	if !closed {
		return len(key) < 32
	}
	g.decided = true
	name := string(key)
	return slices.Contains(nameKeys(), name) || slices.Contains(argumentKeys(), name) || slices.Contains(wrapperKeys(), name) ||
		name == "id" || name == "type" || name == "tool_call_id"
}

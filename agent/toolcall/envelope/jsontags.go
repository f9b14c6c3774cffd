// Package envelope has the kinds of envelopes in which models write calls: JSON in tags, a name before JSON, arguments
// as tagged text, Python, elements named after arguments. The families differ in their markers.
package envelope

import (
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// JSONTags is an envelope that holds one JSON call, several, or a list of them.
func JSONTags(open string, closers ...string) grammar.Block {
	return grammar.Block{
		Kind: "JSON tags " + open + strings.Join(closers, ""),
		Open: []string{open}, Closers: closers, Scan: ScanTagged(
			closers, []string{open}, "{[",
		),
		Read: ReadTagged(closers...),
	}
}

// Silent is an envelope whose content is dropped: results that the model made up.
func Silent(open string, closers ...string) grammar.Block {
	return grammar.Block{Open: []string{open}, Closers: closers, Scan: ScanTagged(closers, nil, "")}
}

// ReadTagged reads the JSON between tags. Text after the JSON of a tag that was never closed is dropped with it.
func ReadTagged(closers ...string) grammar.Reads {
	return func(r *grammar.Reader, f grammar.Found) ([]toolcall.Event, bool) {
		raw, body := f.Text(closers...)
		return JSONCalls(r, raw, cutRepeated(body, f.Opener), f.Final), true
	}
}

// ReadKeyed is ReadTagged for calls whose name and arguments are under keys of the format's own.
func ReadKeyed(nameKey, argumentsKey string, closers ...string) grammar.Reads {
	read := ReadTagged(closers...)
	return func(r *grammar.Reader, f grammar.Found) ([]toolcall.Event, bool) {
		return read(r.WithKeys(nameKey, argumentsKey), f)
	}
}

// ScanTagged ends at one of the closers, outside JSON strings. If starts is not empty, the first byte that is no
// whitespace must be one of its bytes, else it is not a call. An opener after a complete value ends the block too: its
// closer was forgotten.
func ScanTagged(closers, openers []string, starts string) grammar.Scans {
	m := scan.NewMatcher(append(slices.Clone(closers), openers...))
	kind := tagKind{
		m: m, closers: len(closers), openers: openers, starts: starts, inText: m.StopBytes("\"\\"),
		inCode: m.StopBytes(""),
	}
	return func(*grammar.Reader) grammar.Scanner { return &tagScan{tagKind: &kind} }
}

// tagKind is what all scanners of one envelope share.
type tagKind struct {
	m              *scan.Matcher
	closers        int // how many of m's markers are closers; the openers follow them
	openers        []string
	starts         string
	inText, inCode *scan.ByteSet
}

type tagScan struct {
	*tagKind
	json       values.Scan
	state      int16
	prelude    prelude
	first      byte // of the inside, whitespace aside; 0: not there yet
	done       bool // a JSON value was whole
	openersEnd int  // where the last of several openers ends
}

// StopBytes implements grammar.Scanner.
func (s *tagScan) StopBytes() *scan.ByteSet {
	switch {
	case s.m.Depth(s.state) > 0:
	case s.json.InText():
		return s.inText
	case s.first != 0 && s.first != '{' && s.first != '[':
		return s.inCode
	}
	return nil
}

// Next implements grammar.Scanner.
func (s *tagScan) Next(body []byte) (grammar.Verdict, int) {
	b := body[len(body)-1]
	var hit int
	s.state, hit = s.m.Step(s.state, b)
	if s.first == 0 && !s.prelude.skips(b) {
		s.first = b
	}
	if s.starts != "" && s.first != 0 && hit < 0 && s.m.Depth(s.state) == 0 && strings.IndexByte(
		s.starts, s.first,
	) < 0 {
		return grammar.NotCall, s.openersEnd
	}
	if s.first == '{' || s.first == '[' {
		s.done = s.json.Next(b) || s.done
	}
	if hit < 0 || s.json.InString() {
		return grammar.More, 0
	}
	if hit < s.closers {
		return grammar.Whole, 0
	}
	switch {
	case s.done && s.json.Depth == 0:
		return grammar.Whole, len(s.openers[hit-s.closers])
	case !s.json.Started: // the opener, written twice
		s.first, s.prelude, s.openersEnd = 0, prelude{}, len(body)
	}
	return grammar.More, 0
}

// prelude skips what may be between a marker and its JSON: whitespace, literal newlines, the head of a code fence.
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
	case p.fence && b >= 'a' && b <= 'z' || scan.IsSpace(b):
		return true
	}
	return false
}

// JSONRun is an envelope without a closer: JSON values after a marker.
func JSONRun(starts string, open ...string) grammar.Block {
	return grammar.Block{
		Kind: "JSON after " + strings.Join(open, "") + starts, Open: open, Scan: ScanJSONs(starts), Read: ReadTagged(),
	}
}

// ScanJSONs ends after a JSON list, or after the last of several objects separated by whitespace, commas or semicolons.
func ScanJSONs(starts string) grammar.Scans {
	return func(*grammar.Reader) grammar.Scanner {
		var (
			json  values.Scan
			first byte
			gap   = -1 // bytes since the last object; -1: inside one
		)
		return grammar.Skipping{Stops: func() *scan.ByteSet { return json.StopBytes() }, ScanFunc: func(
			body []byte,
		) (grammar.Verdict, int) {
			b := body[len(body)-1]
			if gap >= 0 {
				gap++
				switch {
				case scan.IsSpace(b) || b == ',' || b == ';':
					return grammar.More, 0
				case b != '{':
					return grammar.Whole, gap
				}
				gap, json = -1, values.Scan{}
			}
			if first == 0 && !scan.IsSpace(b) {
				if first = b; strings.IndexByte(starts, b) < 0 {
					return grammar.NotCall, 0
				}
			}
			if json.Next(b) {
				if first == '[' {
					return grammar.Whole, 0
				}
				gap = 0
			}
			return grammar.More, 0
		}}
	}
}

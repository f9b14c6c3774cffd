package grammar

import (
	"bytes"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// Candidate is text that may be a call but has no marker of its own: JSON that stands alone, or in a code fence. It is
// held back until it is decided.
//
// The rule. A candidate is a call if all of this holds, else it is an example and stays text:
//   - it begins a line, outside code and quotations, and names an offered tool;
//   - only a short lead-in is before it (400 bytes, no code fence), and the lead-in does not announce an example;
//   - nothing but whitespace and further candidates follows it until the end of a whole reply.
//
// Several candidates in a row are several calls. JSON at the very start of a reply in a format whose own form it is
// (OwnForm) is a call whatever follows.
type Candidate struct {
	Kind   string // formats share some
	Starts string // bytes that may begin it
	Beside string // those of them that may begin it in a reply of another family; empty: all
	Scan   Scans
	// Read gives the calls in it, or false if it is none after all.
	Read    func(r *Reader, body string, final bool) ([]toolcall.Event, bool)
	OwnForm bool
	// Unambiguous says that its form is a call's own and nothing else's: then it does not count what the prose before
	// it says.
	Unambiguous bool
	// Marked reports whether its label is a call's own, so that of the prose before it only the last paragraph counts.
	// nil: it is not.
	Marked func(*Reader) bool
	// Wary says that the words that announce a quoted marker (prose.Announces) forbid it, too.
	Wary bool
	// Cut gives the broken call of a candidate that the end of a reply which is not whole cut off; false: it is text.
	// nil: what names an offered tool in JSON is one.
	Cut func(r *Reader, body string) (Draft, bool)
}

const bareKind = "JSON"

// BareJSON is a call as a JSON object or list without anything around it.
func BareJSON(own bool) Candidate {
	c := Candidate{Kind: bareKind, Starts: "{[", Scan: Gated(ScanJSON("{[")), Read: ReadCandidate, OwnForm: own}
	if own {
		c.Read = readOwn
	}
	return c
}

// readOwn reads JSON in a format whose own form it is: an unknown name is then reported, since a call was meant.
func readOwn(r *Reader, body string, final bool) ([]toolcall.Event, bool) {
	if events, ok := ReadCandidate(r, body, final); ok {
		return events, true
	}
	drafts, ok := r.Payload(body, final)
	if !ok {
		return nil, false
	}
	var events []toolcall.Event
	for _, d := range drafts {
		if d.Arguments == nil || d.beside {
			return nil, false
		}
		events = append(events, r.Event(d))
	}
	return events, len(events) > 0
}

// Gated scans a value only while its first key may be one of a call's.
func Gated(scan Scans) Scans {
	return func(r *Reader) Scanner {
		value := scan(r)
		gate := keyGate{}
		return ScanFunc(func(body []byte) (Verdict, int) {
			if !gate.open(body) {
				return NotCall, 0
			}
			return value.Next(body)
		})
	}
}

// ReadCandidate reads JSON that is a call only if every name in it is offered.
func ReadCandidate(r *Reader, body string, final bool) ([]toolcall.Event, bool) {
	drafts, ok := r.Payload(body, final)
	if !ok {
		return nil, false
	}
	events := make([]toolcall.Event, 0, len(drafts))
	for _, d := range drafts {
		t := r.Catalog.Resolve(d.Name)
		if t == nil || d.Arguments == nil || d.beside && !fits(d.Arguments, t.Schema()) {
			return nil, false
		}
		events = append(events, r.Event(d))
	}
	return events, true
}

// fits reports whether an object has nothing but declared arguments, and all that are required.
func fits(arguments []byte, s *values.Schema) bool {
	members, err := values.ReadObject(arguments)
	if err != nil || len(missing(members, s)) > 0 {
		return false
	}
	for _, m := range members {
		if _, declared := s.Properties[m.Key]; !declared {
			return false
		}
	}
	return true
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
	if mark := rest[0]; mark != '"' && mark != '\'' {
		g.decided = mark == ']' || mark == '}'
		return false
	}
	key, _, closed := bytes.Cut(rest[1:], rest[:1])
	if !closed {
		return len(key) < 32
	}
	g.decided = true
	known := slices.Concat(nameKeys(), argumentKeys(), wrapperKeys(), besideKeys())
	return slices.Contains(known, string(key))
}

// ScanJSON ends with the bracket that balances the first one; the value must come first, whitespace aside.
func ScanJSON(starts string) Scans {
	return func(*Reader) Scanner {
		var json values.Scan
		return Skipping{Stops: json.StopBytes, ScanFunc: func(body []byte) (Verdict, int) {
			b := body[len(body)-1]
			if !json.Started && !scan.IsSpace(b) && strings.IndexByte(starts, b) < 0 {
				return NotCall, 0
			}
			return WholeIf(json.Next(b))
		}}
	}
}

// Borrowed is a candidate for a format whose own form it is not.
func (c Candidate) Borrowed() Candidate {
	if c.Kind == bareKind {
		return BareJSON(false)
	}
	c.OwnForm = false
	return c
}

// elsewhere is a candidate for replies of another family.
func (c Candidate) elsewhere() Candidate {
	c = c.Borrowed()
	if c.Unambiguous = false; c.Beside != "" {
		c.Starts = c.Beside
	}
	return c
}

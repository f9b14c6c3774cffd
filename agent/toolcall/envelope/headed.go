package envelope

import (
	"regexp"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// Headed is an envelope that writes the tool's name before a JSON object: HEAD{json}. The families differ only in how
// the head writes the name.
type Headed struct {
	Open    []string
	Closers []string       // markers that end it; empty: it ends with the object
	Stops   []string       // markers that begin something else and end it too
	Head    *regexp.Regexp // over what is before the object; group "name", and "id" if there is one
	Code    bool           // a body that is not JSON is the only string argument of the tool
}

// Block is the envelope for a grammar.
func (h Headed) Block() grammar.Block {
	m := scan.NewMatcher(slices.Concat(h.Closers, h.Stops))
	inText := m.StopBytes("\"\\")
	b := grammar.Block{
		Open: h.Open, Scan: func(*grammar.Reader) grammar.Scanner { return h.scan(m, inText) }, Read: h.Read,
		Closers: h.Closers,
	}
	if h.Code { // what is not JSON is hardly a call where the family does not write code so
		h.Code = false
		plain := h.Block()
		b.Elsewhere = &plain
	}
	return b
}

// MaxHead bounds how far the object may be from the marker.
const MaxHead = 256

func (h Headed) scan(m *scan.Matcher, inText *scan.ByteSet) grammar.Scanner {
	var (
		json    values.Scan
		state   int16
		hit     int
		started bool
	)
	stops := func() *scan.ByteSet {
		if started && json.InText() && m.Depth(state) == 0 {
			return inText
		}
		return nil
	}
	return grammar.Skipping{Stops: stops, ScanFunc: func(body []byte) (grammar.Verdict, int) {
		b := body[len(body)-1]
		if !started && b == '{' {
			started = true
			if name, _ := h.nameIn(string(body[:len(body)-1])); name == "" && !h.Code {
				return grammar.NotCall, 0
			}
		}
		done := started && json.Next(b)
		if done && len(h.Closers) == 0 {
			return grammar.Whole, 0
		}
		state, hit = m.Step(state, b)
		switch {
		case !started && len(body) > MaxHead && !h.Code:
			return grammar.NotCall, 0
		case hit < 0 || json.InString():
			return grammar.More, 0
		case hit < len(h.Closers):
			return grammar.Whole, 0
		default:
			return grammar.Whole, len(h.Stops[hit-len(h.Closers)])
		}
	}}
}

// ended reports whether a body that is not JSON is complete: where the family has an end marker, it must be there.
func (h Headed) ended(f grammar.Found) bool { return f.Closed || f.Final && len(h.Closers) == 0 }

func (h Headed) nameIn(head string) (name, id string) {
	m := h.Head.FindStringSubmatch(head)
	if m == nil {
		return "", ""
	}
	name = m[h.Head.SubexpIndex("name")]
	if i := h.Head.SubexpIndex("id"); i >= 0 {
		id = strings.TrimSpace(m[i])
	}
	return name, id
}

// Read returns the call in the envelope.
func (h Headed) Read(r *grammar.Reader, f grammar.Found) ([]toolcall.Event, bool) {
	raw, body := f.Text(h.Closers...)
	head, _, braced := strings.Cut(body, "{")
	name, id := h.nameIn(head)
	if name == "" {
		name, id = h.nameIn(body)
	}
	if name == "" {
		if events, ok := grammar.ReadCandidates(r, strings.TrimSpace(body), f.Final); ok {
			return events, true // the call is in JSON after all
		}
		return Unreadable(r, raw, "no tool is named"), true
	}
	d := grammar.Draft{ID: id, Name: name, Raw: raw}
	if !braced {
		switch {
		case h.Code && h.ended(f):
			d.Arguments = codeArgument(r, name, codeBody(h.Head, body))
		case !f.Closed:
			d.Broken = "its arguments are missing"
		}
		return one(r.Event(d))
	}
	object := body[len(head):]
	switch {
	case d.Take(object, f.Final) || repairLast(r, &d, object):
	case h.Code && h.ended(f) && !strings.HasPrefix(codeBody(h.Head, body), "{"):
		d.Arguments = codeArgument(r, name, codeBody(h.Head, body))
	default:
		d.Broken = "its arguments are broken JSON"
	}
	return one(r.Event(d))
}

package envelope

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// Braced is the notation of the newer Gemmas: call:NAME{key:value,...}, with strings between a token of their own.
type Braced struct {
	Open    string
	Closers []string
	Mark    string // is before and after each string
}

// Block is the envelope for a grammar.
func (g Braced) Block() grammar.Block {
	m := scan.NewMatcher(append(slices.Clone(g.Closers), g.Mark))
	marks := m.StopBytes("")
	return grammar.Block{
		Open: []string{g.Open}, Closers: g.Closers,
		Scan: func(*grammar.Reader) grammar.Scanner { return g.scan(m, marks) }, Read: g.read,
	}
}

// scan ends at a closer outside strings.
func (g Braced) scan(m *scan.Matcher, marks *scan.ByteSet) grammar.Scanner {
	var (
		state   int16
		hit     int
		inside  bool
		started bool
	)
	stops := func() *scan.ByteSet {
		if started && m.Depth(state) == 0 {
			return marks
		}
		return nil
	}
	return grammar.Skipping{Stops: stops, ScanFunc: func(body []byte) (grammar.Verdict, int) {
		if !started {
			if head := strings.TrimLeft(string(body[:min(len(body), 16)]), " \n"); head != "" {
				if n := min(len(head), len("call:")); head[:n] != "call:"[:n] {
					return grammar.NotCall, 0
				}
				started = len(head) >= len("call:")
			}
		}
		state, hit = m.Step(state, body[len(body)-1])
		switch {
		case hit == len(g.Closers):
			inside = !inside
		case hit >= 0 && !inside:
			return grammar.Whole, 0
		}
		return grammar.More, 0
	}}
}

func (g Braced) read(r *grammar.Reader, f grammar.Found) ([]toolcall.Event, bool) {
	raw, body := f.Text(g.Closers...)
	body = strings.TrimSpace(body)
	_, body, _ = strings.Cut(body, "call:")
	name, rest, found := strings.Cut(body, "{")
	d := grammar.Draft{Name: strings.TrimSpace(name), Raw: raw}
	if !found {
		if d.Name == "" {
			d.Broken = "no tool is named"
		}
		return one(r.Event(d))
	}
	if strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), `"`) { // JSON where the notation should be
		if members, err := values.ReadObject([]byte(body[len(name):])); err == nil {
			d.Members = values.NonNil(members)
			return one(r.Event(d))
		}
	}
	p := &bracedText{text: rest, mark: g.Mark}
	if t := r.Catalog.Resolve(d.Name); t != nil {
		p.schema = t.Schema()
	}
	members, err := p.members()
	if err != nil {
		d.Broken = "its arguments are not written as key:value pairs"
	}
	d.Members = values.NonNil(members)
	return one(r.Event(d))
}

// bracedText reads the notation: bare keys, marked strings, JSON's other values.
type bracedText struct {
	text   string
	at     int
	mark   string
	schema *values.Schema // of the object that is being read, or nil
	depth  int
}

func (p *bracedText) peek() byte {
	if p.at = scan.SkipSpace(p.text, p.at); p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *bracedText) object() (json.RawMessage, error) {
	members, err := p.members()
	if err != nil {
		return nil, err
	}
	return values.WriteObject(members), nil
}

// members reads up to the closing brace; the opening one was read.
func (p *bracedText) members() ([]values.Member, error) {
	s := p.schema
	var members values.Members
	err := p.items('}', func() error {
		key, ok := p.key()
		if !ok {
			return values.ErrLiteral
		}
		p.schema = nil
		if s != nil {
			p.schema, _ = s.Property(key)
		}
		value, err := p.value("},")
		members.Set(values.Member{Key: key, Value: value})
		return err
	})
	return members.List, err
}

// items reads up to a closing bracket; the opening one was read. There may be any commas between.
func (p *bracedText) items(closer byte, read func() error) error {
	if p.depth++; p.depth > values.MaxLiteralDepth {
		return values.ErrLiteral
	}
	defer func() { p.depth-- }()
	for {
		switch p.peek() {
		case closer:
			p.at++
			return nil
		case 0:
			return values.ErrLiteral
		case ',':
			p.at++
			continue
		}
		if err := read(); err != nil {
			return err
		}
	}
}

func (p *bracedText) key() (string, bool) {
	if strings.HasPrefix(p.text[p.at:], p.mark) {
		text, err := p.marked()
		if err != nil || p.peek() != ':' {
			return "", false
		}
		p.at++
		return text, true
	}
	key, _, found := strings.Cut(p.text[p.at:], ":")
	if !found || strings.ContainsAny(key, "{}[],") {
		return "", false
	}
	p.at += len(key) + 1
	return strings.Trim(strings.TrimSpace(key), `"'`), true
}

// marked reads a string between marks; nothing in it is special.
func (p *bracedText) marked() (string, error) {
	p.at += len(p.mark)
	text, _, found := strings.Cut(p.text[p.at:], p.mark)
	if !found {
		return "", values.ErrLiteral
	}
	p.at += len(text) + len(p.mark)
	return text, nil
}

func (p *bracedText) value(ends string) (json.RawMessage, error) {
	b := p.peek()
	switch {
	case strings.HasPrefix(p.text[p.at:], p.mark):
		text, err := p.marked()
		return values.Quote(text), err
	case b == '{':
		p.at++
		return p.object()
	case b == '[':
		p.at++
		return p.list()
	case b == '"' || b == '\'':
		l := &values.Literal{Text: p.text, At: p.at}
		text, err := l.String(false)
		p.at = l.At
		return values.Quote(text), err
	}
	n := strings.IndexAny(p.text[p.at:], ends)
	if n < 0 {
		return nil, values.ErrLiteral
	}
	word := strings.TrimSpace(p.text[p.at : p.at+n])
	p.at += n
	if value, ok := values.PythonToJSON(word, false); ok &&
		(p.schema == nil || !p.schema.Only("string") || !values.IsNumber(value)) {
		return value, nil
	}
	if p.schema != nil {
		return values.CoerceText(word, p.schema), nil
	}
	return values.Quote(word), nil
}

func (p *bracedText) list() (json.RawMessage, error) {
	items := p.schema
	if items != nil {
		items = items.Items
	}
	var entries []json.RawMessage
	err := p.items(']', func() error {
		p.schema = items
		value, err := p.value("],")
		entries = append(entries, value)
		return err
	})
	return json.RawMessage(values.List(entries)), err
}

package toolcall

import (
	"encoding/json"
	"slices"
	"strings"
)

// braced is the notation of the newer Gemmas: call:NAME{key:value,...}, with strings between a token of their own.
type braced struct {
	open    string
	closers []string
	mark    string // stands before and after each string
}

func (g braced) block() block {
	m := newMatcher(append(append([]string{}, g.closers...), g.mark))
	marks := m.heeding("")
	return block{open: []string{g.open}, closers: g.closers, scan: func(*reader) scanner { return g.scan(m, marks) }, read: g.read}
}

// scan ends at a closer outside strings.
func (g braced) scan(m *matcher, marks *byteSet) scanner {
	var (
		state  int16
		hit    int
		inside bool
		begun  bool
	)
	heed := func() *byteSet {
		if begun && m.depth(state) == 0 {
			return marks
		}
		return nil
	}
	return skipping{heed: heed, scanFunc: func(body []byte) (verdict, int) {
		if !begun {
			if head := strings.TrimLeft(string(body[:min(len(body), 16)]), " \n"); head != "" {
				if n := min(len(head), len("call:")); head[:n] != "call:"[:n] {
					return notCall, 0
				}
				begun = len(head) >= len("call:")
			}
		}
		state, hit = m.step(state, body[len(body)-1])
		switch {
		case hit == len(g.closers):
			inside = !inside
		case hit >= 0 && !inside:
			return whole, 0
		}
		return more, 0
	}}
}

func (g braced) read(r *reader, f found) ([]Event, bool) {
	raw, body := f.text()
	body = strings.TrimSpace(cutAny(body, g.closers))
	_, body, _ = strings.Cut(body, "call:")
	name, rest, found := strings.Cut(body, "{")
	d := draft{name: strings.TrimSpace(name), raw: raw}
	if !found {
		if d.name == "" {
			d.broken = "no tool is named"
		}
		return []Event{r.event(d)}, true
	}
	if strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), `"`) { // JSON where the notation should stand
		if members, err := readObject([]byte(body[len(name):])); err == nil {
			d.members = orNone(members)
			return []Event{r.event(d)}, true
		}
	}
	p := &bracedText{text: rest, mark: g.mark}
	if t := r.catalog.resolve(d.name); t != nil {
		p.schema = t.schema()
	}
	members, err := p.members()
	if err != nil {
		d.broken = "its arguments are not written as key:value pairs"
	}
	d.members = orNone(members)
	return []Event{r.event(d)}, true
}

// bracedText reads the notation: bare keys, marked strings, JSON's other values.
type bracedText struct {
	text   string
	at     int
	mark   string
	schema *schema // of the object that is being read, or nil
	depth  int
}

func (p *bracedText) peek() byte {
	for p.at < len(p.text) && isSpace(p.text[p.at]) {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *bracedText) object() (json.RawMessage, error) {
	members, err := p.members()
	if err != nil {
		return nil, err
	}
	return writeObject(members), nil
}

// members reads up to the closing brace; the opening one was read.
func (p *bracedText) members() ([]member, error) {
	if p.depth++; p.depth > maxLiteralDepth {
		return nil, errLiteral
	}
	defer func() { p.depth-- }()
	s := p.schema
	var members members
	for {
		switch p.peek() {
		case '}':
			p.at++
			return members.list, nil
		case 0:
			return nil, errLiteral
		case ',':
			p.at++
			continue
		}
		key, ok := p.key()
		if !ok {
			return nil, errLiteral
		}
		p.schema = nil
		if s != nil {
			p.schema, _ = s.property(key)
		}
		value, err := p.value("},")
		if err != nil {
			return nil, err
		}
		members.set(member{key: key, value: value})
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
		return "", errLiteral
	}
	p.at += len(text) + len(p.mark)
	return text, nil
}

func (p *bracedText) value(ends string) (json.RawMessage, error) {
	b := p.peek()
	switch {
	case strings.HasPrefix(p.text[p.at:], p.mark):
		text, err := p.marked()
		return quote(text), err
	case b == '{':
		p.at++
		return p.object()
	case b == '[':
		p.at++
		return p.list()
	case b == '"' || b == '\'':
		l := &literal{text: p.text, at: p.at}
		text, err := l.string(false)
		p.at = l.at
		return quote(text), err
	}
	n := strings.IndexAny(p.text[p.at:], ends)
	if n < 0 {
		return nil, errLiteral
	}
	word := strings.TrimSpace(p.text[p.at : p.at+n])
	p.at += n
	if value, ok := pythonToJSON(word, false); ok && (p.schema == nil || !p.schema.only("string") || !isNumber(value)) {
		return value, nil
	}
	if p.schema != nil {
		return coerceText(word, p.schema), nil
	}
	return quote(word), nil
}

func (p *bracedText) list() (json.RawMessage, error) {
	if p.depth++; p.depth > maxLiteralDepth {
		return nil, errLiteral
	}
	defer func() { p.depth-- }()
	items := p.schema
	if items != nil {
		items = items.items
	}
	var values []json.RawMessage
	for {
		switch p.peek() {
		case ']':
			p.at++
			return json.RawMessage(jsonList(values)), nil
		case 0:
			return nil, errLiteral
		case ',':
			p.at++
			continue
		}
		p.schema = items
		value, err := p.value("],")
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
}

// bracedArguments writes the arguments of a call.
func bracedArguments(c outgoing, mark string) string {
	if c.inJSON {
		return c.object()
	}
	return bracedValue(c.Arguments, mark)
}

// bracedValue writes JSON in the notation.
func bracedValue(raw json.RawMessage, mark string) string {
	if text, ok := stringValue(raw); ok {
		return mark + text + mark
	}
	if members, err := readObject(raw); err == nil {
		parts := make([]string, len(members))
		for i, m := range members {
			parts[i] = m.key + ":" + bracedValue(m.value, mark)
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	var items []json.RawMessage
	if len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &items) == nil {
		parts := make([]string, len(items))
		for i, item := range items {
			parts[i] = bracedValue(item, mark)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return string(raw)
}

// declaredType writes a schema in the notation.
func declaredType(s *schema, mark string) string {
	var parts []string
	if s.text != "" {
		parts = append(parts, "description:"+mark+s.text+mark)
	}
	if len(s.enum) > 0 {
		values := make([]string, len(s.enum))
		for i, v := range s.enum {
			values[i] = bracedValue(v, mark)
		}
		parts = append(parts, "enum:["+strings.Join(values, ",")+"]")
	}
	if s.items != nil {
		parts = append(parts, "items:"+declaredType(s.items, mark))
	}
	if len(s.order) > 0 {
		names := slices.Sorted(slices.Values(s.order))
		properties := make([]string, len(names))
		for i, name := range names {
			properties[i] = name + ":" + declaredType(s.properties[name], mark)
		}
		parts = append(parts, "properties:{"+strings.Join(properties, ",")+"}")
	}
	if len(s.required) > 0 {
		names := make([]string, len(s.required))
		for i, name := range s.required {
			names[i] = mark + name + mark
		}
		parts = append(parts, "required:["+strings.Join(names, ",")+"]")
	}
	parts = append(parts, "type:"+mark+strings.ToUpper(s.kind())+mark)
	return "{" + strings.Join(parts, ",") + "}"
}

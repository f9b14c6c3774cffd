package toolcall

import (
	"encoding/json"
	"strings"
)

// pythonScan follows brackets and strings of Python-like calls byte by byte.
type pythonScan struct {
	depth   int
	quote   byte // the quotation mark of the open string, or 0
	escaped bool
	started bool
}

// next takes one byte and reports whether a bracket closed the outermost one.
func (s *pythonScan) next(b byte) bool {
	switch {
	case s.escaped:
		s.escaped = false
	case s.quote != 0:
		switch b {
		case '\\':
			s.escaped = true
		case s.quote:
			s.quote = 0
		}
	case s.depth > 0 && (b == '"' || b == '\''):
		s.quote = b
	case b == '(' || b == '[' || b == '{':
		s.depth++
		s.started = true
	case b == ')' || b == ']' || b == '}':
		s.depth--
		return s.started && s.depth == 0
	}
	return false
}

// scanPython ends at a closer outside strings.
func scanPython(closers, openers []string) func(*reader) scanner {
	m := newMatcher(append(append([]string{}, closers...), openers...))
	single, double := m.heeding(`'\`), m.heeding(`"\`)
	return func(*reader) scanner {
		var (
			python pythonScan
			state  int16
			hit    int
		)
		heed := func() *byteSet {
			switch {
			case python.escaped || m.depth(state) > 0:
			case python.quote == '"':
				return double
			case python.quote == '\'':
				return single
			}
			return nil
		}
		return skipping{heed: heed, scanFunc: func(body []byte) (verdict, int) {
			b := body[len(body)-1]
			python.next(b)
			state, hit = m.step(state, b)
			switch {
			case hit < 0 || python.quote != 0:
				return more, 0
			case hit < len(closers):
				return whole, 0
			case python.depth == 0 && python.started:
				return whole, len(openers[hit-len(closers)])
			}
			return more, 0
		}}
	}
}

// pythonTags is an envelope that holds Python-like calls.
func pythonTags(open []string, closers ...string) block {
	return block{open: open, closers: closers, scan: scanPython(closers, open), read: func(r *reader, f found) ([]Event, bool) {
		raw, body := f.text()
		body = strings.TrimSpace(cutAny(body, closers))
		drafts, ok := r.pythonCalls(body)
		if !ok {
			if body != "" && (body[0] == '{' || strings.HasPrefix(body, "[{")) {
				return r.jsonCalls(raw, body, f.final), true
			}
			return []Event{r.broken(draft{name: pythonName(body), raw: raw, broken: "it is not a call in Python's notation"})}, true
		}
		var events []Event
		for _, d := range drafts {
			d.raw = raw
			events = append(events, r.event(d))
		}
		return events, true
	}}
}

// pythonList is a candidate: Python-like calls without a marker, [f(a=1), g()] or f(a=1), of offered tools.
func pythonList(own bool) candidate {
	return candidate{
		kind: "Python", starts: "[abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", scan: scanPythonList, own: own,
		read: func(r *reader, body string, _ bool) ([]Event, bool) {
			drafts, ok := r.pythonCalls(strings.TrimSpace(body))
			if !ok {
				return nil, false
			}
			var events []Event
			for _, d := range drafts {
				if r.catalog.resolve(d.name) == nil {
					return nil, false
				}
				d.raw = body
				events = append(events, r.event(d))
			}
			return events, len(events) > 0
		},
	}
}

// scanPythonList gives up as soon as the first name is not an offered one.
func scanPythonList(r *reader) scanner {
	var python pythonScan
	named := false
	return scanFunc(func(body []byte) (verdict, int) {
		b := body[len(body)-1]
		if !named {
			name := strings.TrimLeft(string(body), "[ \t\r\n")
			switch {
			case len(body) > maxHead:
				return notCall, 0
			case b == '(':
				if r.catalog.resolve(strings.TrimSuffix(name, "(")) == nil {
					return notCall, 0
				}
				named = true
			case name != "" && !r.begins(strings.TrimRight(name, " ")):
				return notCall, 0
			}
		}
		if python.next(b) {
			return whole, 0
		}
		return more, 0
	})
}

// begins reports whether text may become the name of an offered tool.
func (r *reader) begins(text string) bool {
	text = dropNamespace(text)
	for _, t := range r.catalog.tools {
		if strings.HasPrefix(t.Name, text) {
			return true
		}
	}
	return strings.HasPrefix("functions", text) || r.catalog.open && plainName.MatchString(text)
}

func pythonName(body string) string {
	name, _, found := strings.Cut(strings.TrimLeft(body, "[ \n"), "(")
	if !found {
		return ""
	}
	return strings.TrimSpace(name)
}

// pythonCalls reads calls separated by commas, semicolons or newlines, in a list or not.
func (r *reader) pythonCalls(body string) ([]draft, bool) {
	body = strings.TrimSpace(body)
	if inner, listed := strings.CutPrefix(body, "["); listed {
		body = strings.TrimSpace(strings.TrimSuffix(inner, "]"))
	}
	p := &literal{text: body}
	var drafts []draft
	for p.peek() != 0 {
		d, ok := r.pythonCall(p)
		if !ok {
			return nil, false
		}
		drafts = append(drafts, d)
		for p.peek() == ',' || p.peek() == ';' {
			p.at++
		}
	}
	return drafts, len(drafts) > 0
}

// pythonCall reads one call: name(key=value, key: value, value).
func (r *reader) pythonCall(p *literal) (draft, bool) {
	p.blanks()
	start := p.at
	for p.at < len(p.text) && isNameByte(p.text[p.at]) {
		p.at++
	}
	name := p.text[start:p.at]
	if name == "" || p.peek() != '(' {
		return draft{}, false
	}
	p.at++
	s := &schema{}
	if t := r.catalog.resolve(name); t != nil {
		s = t.schema()
	}
	var members members
	for place := 0; ; place++ {
		if p.peek() == ')' {
			p.at++
			return draft{name: name, members: orNone(members.list)}, true
		}
		key := p.keyword()
		if key == "" {
			if place >= len(s.order) {
				return draft{}, false
			}
			key = s.order[place]
		}
		property, _ := s.property(key)
		value, ok := p.argument(property)
		if !ok {
			return draft{}, false
		}
		members.set(member{key: key, value: value})
		switch p.peek() {
		case ',':
			p.at++
		case ')':
		default:
			return draft{}, false
		}
	}
}

// keyword reads "key=" or "key:"; it reads nothing if a value stands there.
func (p *literal) keyword() string {
	start := p.at
	if b := p.peek(); b == '"' || b == '\'' {
		key, err := p.string(false)
		if err == nil && (p.peek() == '=' || p.peek() == ':') {
			p.at++
			return key
		}
		p.at = start
		return ""
	}
	begin := p.at
	for p.at < len(p.text) && isNameByte(p.text[p.at]) {
		p.at++
	}
	key := p.text[begin:p.at]
	if key != "" && (p.peek() == '=' || p.peek() == ':') {
		p.at++
		return key
	}
	p.at = start
	return ""
}

// argument reads a value up to the comma or bracket after it. Text without quotation marks is a string.
func (p *literal) argument(s *schema) (json.RawMessage, bool) {
	p.blanks()
	start := p.at
	if value, err := p.value(); err == nil {
		end := p.at
		if b := p.peek(); b == ',' || b == ')' {
			if s.only("string") && isNumber(value) { // as it is spelt
				value = quote(p.text[start:end])
			}
			return value, true
		}
	}
	p.at = start
	if b := p.peek(); b == '"' || b == '\'' {
		return nil, false // a string without an end is not completed
	}
	depth := 0
	for ; p.at < len(p.text); p.at++ {
		switch p.text[p.at] {
		case '(', '[', '{':
			depth++
		case ']', '}':
			depth--
		case ')':
			if depth == 0 {
				return coerceText(strings.TrimSpace(p.text[start:p.at]), s), true
			}
			depth--
		case ',':
			if depth == 0 {
				return coerceText(strings.TrimSpace(p.text[start:p.at]), s), true
			}
		}
	}
	return nil, false
}

// pythonCallText writes a call with keyword arguments.
func pythonCallText(c outgoing) string {
	members := arguments(c)
	parts := make([]string, len(members))
	for i, m := range members {
		parts[i] = m.key + "=" + pythonValue(m.value)
	}
	return c.Name + "(" + strings.Join(parts, ", ") + ")"
}

// pythonValue writes JSON as a Python literal.
func pythonValue(raw json.RawMessage) string {
	var out strings.Builder
	var s jsonScan
	for rest := spaced(raw); rest != ""; {
		if !s.inText {
			word, with := "", ""
			switch {
			case strings.HasPrefix(rest, "true"):
				word, with = "true", "True"
			case strings.HasPrefix(rest, "false"):
				word, with = "false", "False"
			case strings.HasPrefix(rest, "null"):
				word, with = "null", "None"
			}
			if word != "" {
				out.WriteString(with)
				rest = rest[len(word):]
				continue
			}
		}
		s.next(rest[0])
		out.WriteByte(rest[0])
		rest = rest[1:]
	}
	return out.String()
}

package toolcall

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// Formats in which an element is named after the argument, so that only the list of tools tells what is a call.

// minimaxMark stands before every tag of MiniMax M3.
const minimaxMark = "]<]minimax[>["

var (
	minimaxInvoke  = regexp.MustCompile(`^<invoke\s+name="?([^">]*)"?>`)
	minimaxElement = regexp.MustCompile(`^<([^/>][^>]*)>`)
)

// nestedTags is the envelope of MiniMax M3.
func nestedTags() block {
	open, closer := minimaxMark+"<tool_call>", minimaxMark+"</tool_call>"
	return block{open: []string{open}, closers: []string{closer}, scan: scanNested(open, closer), read: func(r *reader, f found) ([]Event, bool) {
		raw, body := f.text()
		parts := strings.Split(cutAny(body, []string{closer}), minimaxMark)
		var events []Event
		for i := 0; i < len(parts); i++ {
			m := minimaxInvoke.FindStringSubmatch(parts[i])
			if m == nil {
				continue
			}
			d := draft{name: m[1], raw: raw}
			s := &schema{}
			if t := r.catalog.resolve(m[1]); t != nil {
				s = t.schema()
			}
			var value json.RawMessage
			object, whole := repair(parts[i][len(m[0]):], true) // JSON where elements should stand
			if value, i = element(parts, i+1, "", s, 0); whole {
				value = object
			}
			d.arguments = value
			if !f.closed && (i >= len(parts) || !strings.HasPrefix(parts[i], "</invoke>")) {
				d.broken = "the reply ended in the middle of it"
			}
			events = append(events, r.event(d))
		}
		if len(events) == 0 {
			events = []Event{r.broken(draft{raw: raw, broken: "no tool is named"})}
		}
		return events, true
	}}
}

// scanNested ends at the closer that belongs to the opener.
func scanNested(open, closer string) func(*reader) scanner {
	m := newMatcher([]string{open, closer})
	return func(*reader) scanner {
		depth := 1
		var state int16
		var hit int
		return scanFunc(func(body []byte) (verdict, int) {
			state, hit = m.step(state, body[len(body)-1])
			switch hit {
			case 0:
				depth++
			case 1:
				if depth--; depth == 0 {
					return whole, 0
				}
			}
			return more, 0
		})
	}
}

// textElement reads the inside of an element whose value is text: tags in it are text too.
func textElement(parts []string, at int, key, text string) (json.RawMessage, int) {
	end := at
	for depth := 0; end < len(parts); end++ {
		if strings.HasPrefix(parts[end], "<"+key+">") {
			depth++
		} else if strings.HasPrefix(parts[end], "</"+key+">") {
			if depth == 0 {
				break
			}
			depth--
		}
	}
	return quote(strings.Join(append([]string{text}, parts[at:end]...), minimaxMark)), end
}

// element reads the inside of an element from parts[at] on: text, or child elements. It gives the index of its end tag.
func element(parts []string, at int, text string, s *schema, depth int) (json.RawMessage, int) {
	var members members
	var items []json.RawMessage
	repeated := map[string][]json.RawMessage{}
	for ; at < len(parts); at++ {
		if strings.HasPrefix(parts[at], "</") || depth > maxLiteralDepth {
			break
		}
		m := minimaxElement.FindStringSubmatch(parts[at])
		if m == nil {
			continue
		}
		key := m[1]
		inner, _ := s.property(key)
		if key == "item" && s.items != nil {
			inner = s.items
		}
		var value json.RawMessage
		if text := parts[at][len(m[0]):]; inner.only("string") {
			value, at = textElement(parts, at+1, key, text)
		} else {
			value, at = element(parts, at+1, text, inner, depth+1)
		}
		if key == "item" && (s.allows("array") || len(s.order) == 0) {
			items = append(items, value)
			continue
		}
		repeated[key] = append(repeated[key], value)
		members.set(member{key: key, value: value})
	}
	for key, values := range repeated {
		if len(values) > 1 {
			members.set(member{key: key, value: json.RawMessage(jsonList(values))})
		}
	}
	switch {
	case len(items) > 0:
		return json.RawMessage(jsonList(items)), at
	case len(members.list) > 0 || depth == 0:
		return writeObject(members.list), at
	}
	return coerceText(text, s), at
}

func nestedCall(c outgoing) string {
	var out strings.Builder
	out.WriteString(minimaxMark + "<invoke name=\"" + c.Name + "\">")
	if c.inJSON {
		out.WriteString(c.object())
	} else {
		for _, m := range arguments(c) {
			writeElement(&out, m.key, m.value)
		}
	}
	out.WriteString(minimaxMark + "</invoke>")
	return out.String()
}

func writeElement(out *strings.Builder, key string, value json.RawMessage) {
	out.WriteString(minimaxMark + "<" + key + ">")
	var items []json.RawMessage
	members, err := readObject(value)
	switch {
	case err == nil:
		for _, m := range members {
			writeElement(out, m.key, m.value)
		}
	case value[0] == '[' && json.Unmarshal(value, &items) == nil:
		for _, item := range items {
			writeElement(out, "item", item)
		}
	default:
		out.WriteString(rawValue(value))
	}
	out.WriteString(minimaxMark + "</" + key + ">")
}

var legacyCall = regexp.MustCompile(`<invoke>\s*<tool_name>([^<]*)</tool_name>\s*<parameters>`)

// legacyInvokes reads the older XML: <invoke><tool_name>N</tool_name><parameters><K>V</K></parameters></invoke>.
func legacyInvokes(r *reader, raw, body string) []Event {
	var events []Event
	for {
		at := legacyCall.FindStringSubmatchIndex(body)
		if at == nil {
			return events
		}
		name := strings.TrimSpace(body[at[2]:at[3]])
		end, after := closing(body[at[1]:], "parameters")
		events = append(events, r.elements(name, body[at[1]:at[1]+end], raw))
		body = body[at[1]+after:]
	}
}

// elements reads arguments as elements of their own names.
func (r *reader) elements(name, body, raw string) Event {
	d := draft{name: name, raw: raw}
	s := &schema{}
	if t := r.catalog.resolve(name); t != nil {
		s = t.schema()
	}
	if object, whole := repair(body, true); whole { // JSON where elements should stand
		d.arguments = object
		return r.event(d)
	}
	var members members
	for {
		body = strings.TrimLeft(body, " \t\r\n")
		m := minimaxElement.FindStringSubmatch(body)
		if m == nil {
			break
		}
		key := m[1]
		rest := body[len(m[0]):]
		end, after := closing(rest, key)
		property, _ := s.property(key)
		members.set(member{key: key, value: coerceText(trimLine(rest[:end]), property)})
		body = rest[after:]
	}
	d.members = orNone(members.list)
	return r.event(d)
}

// closing finds the end tag of an element: the first one after which another element, or nothing, follows.
func closing(text, key string) (end, after int) {
	tag := "</" + key + ">"
	for from := 0; ; {
		at := strings.Index(text[from:], tag)
		if at < 0 {
			return len(text), len(text)
		}
		end, after = from+at, from+at+len(tag)
		if next := skipBlanks(text, after); next == len(text) || text[next] == '<' {
			return end, after
		}
		from = after
	}
}

// scanNamed reads <NAME>...</NAME> for the name of an offered tool.
func scanNamed(r *reader) scanner {
	end := ""
	return scanFunc(func(body []byte) (verdict, int) {
		b := body[len(body)-1]
		if end == "" {
			switch {
			case b == '>':
				name := strings.TrimSpace(string(body[1 : len(body)-1]))
				if r.catalog.exact(name) == nil {
					return notCall, 0
				}
				end = "</" + name + ">"
			case len(body) > 1 && !isNameByte(b) || len(body) > maxHead:
				return notCall, 0
			}
			return more, 0
		}
		if b == '>' && bytes.HasSuffix(body, []byte(end)) {
			return whole, 0
		}
		return more, 0
	})
}

func readNamed(r *reader, body string, _ bool) ([]Event, bool) {
	open, rest, found := strings.Cut(strings.TrimPrefix(body, "<"), ">")
	if !found || r.catalog.exact(open) == nil {
		return nil, false
	}
	inner, closed := strings.CutSuffix(rest, "</"+open+">")
	if !closed {
		return []Event{r.broken(draft{name: open, raw: body, broken: "its end tag is missing"})}, true
	}
	return []Event{r.elements(open, inner, body)}, true
}

// glimmerGrammar reads messages whose header names the recipient: self, user or a tool.
func glimmerGrammar() func() *grammar {
	ends := []string{"<|eom|>", "<|eot|>"}
	calls := invokeTags("<atem:function_calls>", "</atem:function_calls>", "atem:", "")
	calls.trim = trimNone
	reasoning := thought{close: ends, shared: true}
	then := func(f found) next {
		if header, _ := f.text(); group1(recipient, header) == "self" {
			return next{thought: &reasoning}
		}
		return next{}
	}
	header := block{open: []string{"<|start|>"}, closers: ends, scan: scanHeader(ends), then: then}
	first := block{scan: scanFirstHeader(ends), then: then}
	return tongue([]block{header, calls.block()}, func(g *grammar) {
		reasoning.build(nil, nil)
		g.opening = &first
		g.thoughts = []thought{think()}
	}, sections("<|message|>"), dropping("<|eom|>", "<|eot|>"), acceptingJSON)
}

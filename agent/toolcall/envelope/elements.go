package envelope

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
	"github.com/assent-ls/assent/internal/lazyregexp"
)

// Formats in which an element is named after the argument, so that only the list of tools says what is a call.

// MinimaxMark is before every tag of MiniMax M3.
const MinimaxMark = "]<]minimax[>["

var (
	minimaxInvoke  = lazyregexp.New(`^<invoke\s+name="?([^">]*)"?>`)
	minimaxElement = lazyregexp.New(`^<([^/>][^>]*)>`)
)

// NestedTags is the envelope of MiniMax M3.
func NestedTags() grammar.Block {
	open, closer := MinimaxMark+"<tool_call>", MinimaxMark+"</tool_call>"
	return grammar.Block{Open: []string{open}, Closers: []string{closer}, Scan: scanNested(open, closer), Read: func(
		r *grammar.Reader, f grammar.Found,
	) ([]toolcall.Event, bool) {
		raw, body := f.Text(closer)
		parts := strings.Split(body, MinimaxMark)
		var events []toolcall.Event
		for i := 0; i < len(parts); i++ {
			m := minimaxInvoke().FindStringSubmatch(parts[i])
			if m == nil {
				continue
			}
			d := grammar.Draft{Name: m[1], Raw: raw}
			s := r.SchemaOf(m[1])
			var value json.RawMessage
			object, whole := values.Repair(parts[i][len(m[0]):], true) // JSON where elements should be
			if value, i = element(parts, i+1, "", s, 0); whole {
				value = object
			}
			d.Arguments = value
			if !f.Closed && (i >= len(parts) || !strings.HasPrefix(parts[i], "</invoke>")) {
				d.Broken = "the reply ended in the middle of it"
			}
			events = append(events, r.Event(d))
		}
		if len(events) == 0 {
			events = Unreadable(r, raw, "no tool is named")
		}
		return events, true
	}}
}

// scanNested ends at the closer that belongs to the opener.
func scanNested(open, closer string) grammar.Scans {
	m := scan.NewMatcher([]string{open, closer})
	return func(*grammar.Reader) grammar.Scanner {
		depth := 1
		var state int16
		var hit int
		return grammar.ScanFunc(func(body []byte) (grammar.Verdict, int) {
			state, hit = m.Step(state, body[len(body)-1])
			switch hit {
			case 0:
				depth++
			case 1:
				if depth--; depth == 0 {
					return grammar.Whole, 0
				}
			}
			return grammar.More, 0
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
	return values.Quote(strings.Join(append([]string{text}, parts[at:end]...), MinimaxMark)), end
}

// element reads the inside of an element from parts[at] on: text, or child elements. It returns the index of its end
// tag.
func element(parts []string, at int, text string, s *values.Schema, depth int) (json.RawMessage, int) {
	var members values.Members
	var items []json.RawMessage
	repeated := map[string][]json.RawMessage{}
	for ; at < len(parts); at++ {
		if strings.HasPrefix(parts[at], "</") || depth > values.MaxLiteralDepth {
			break
		}
		m := minimaxElement().FindStringSubmatch(parts[at])
		if m == nil {
			continue
		}
		key := m[1]
		inner, _ := s.Property(key)
		if key == "item" && s.Items != nil {
			inner = s.Items
		}
		var value json.RawMessage
		if text := parts[at][len(m[0]):]; inner.Only("string") {
			value, at = textElement(parts, at+1, key, text)
		} else {
			value, at = element(parts, at+1, text, inner, depth+1)
		}
		if key == "item" && (s.Allows("array") || len(s.Order) == 0) {
			items = append(items, value)
			continue
		}
		repeated[key] = append(repeated[key], value)
		members.Set(values.Member{Key: key, Value: value})
	}
	for key, all := range repeated {
		if len(all) > 1 {
			members.Set(values.Member{Key: key, Value: json.RawMessage(values.List(all))})
		}
	}
	switch {
	case len(items) > 0:
		return json.RawMessage(values.List(items)), at
	case len(members.List) > 0 || depth == 0:
		return values.WriteObject(members.List), at
	}
	return values.CoerceText(text, s), at
}

var legacyCall = lazyregexp.New(`<invoke>\s*<tool_name>([^<]*)</tool_name>\s*<parameters>`)

// legacyInvokes reads the older notation: <invoke><tool_name>N</tool_name><parameters><K>V</K></parameters></invoke>.
func legacyInvokes(r *grammar.Reader, raw, body string) []toolcall.Event {
	var events []toolcall.Event
	for {
		at := legacyCall().FindStringSubmatchIndex(body)
		if at == nil {
			return events
		}
		name := strings.TrimSpace(body[at[2]:at[3]])
		end, after := closing(body[at[1]:], "parameters")
		events = append(events, namedElements(r, name, body[at[1]:at[1]+end], raw))
		body = body[at[1]+after:]
	}
}

// namedElements reads arguments as elements that are named after them.
func namedElements(r *grammar.Reader, name, body, raw string) toolcall.Event {
	d := grammar.Draft{Name: name, Raw: raw}
	s := r.SchemaOf(name)
	if object, whole := values.Repair(body, true); whole { // JSON where elements should be
		d.Arguments = object
		return r.Event(d)
	}
	var members values.Members
	for {
		body = strings.TrimLeft(body, " \t\r\n")
		m := minimaxElement().FindStringSubmatch(body)
		if m == nil {
			break
		}
		key := m[1]
		rest := body[len(m[0]):]
		end, after := closing(rest, key)
		property, _ := s.Property(key)
		members.Set(values.Member{Key: key, Value: values.CoerceText(TrimLine(rest[:end]), property)})
		body = rest[after:]
	}
	d.Members = values.NonNil(members.List)
	return r.Event(d)
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
		if next := scan.SkipSpace(text, after); next == len(text) || text[next] == '<' {
			return end, after
		}
		from = after
	}
}

// ScanNamed reads <NAME>...</NAME> for the name of an offered tool.
func ScanNamed(r *grammar.Reader) grammar.Scanner {
	end := ""
	return grammar.ScanFunc(func(body []byte) (grammar.Verdict, int) {
		b := body[len(body)-1]
		if end == "" {
			switch {
			case b == '>':
				name := strings.TrimSpace(string(body[1 : len(body)-1]))
				if r.Catalog.Exact(name) == nil {
					return grammar.NotCall, 0
				}
				end = "</" + name + ">"
			case len(body) > 1 && !r.Catalog.Begins(string(body[1:])) || len(body) > MaxHead:
				return grammar.NotCall, 0
			}
			return grammar.More, 0
		}
		return grammar.WholeIf(b == '>' && bytes.HasSuffix(body, []byte(end)))
	})
}

// ReadNamed reads such an element as a call.
func ReadNamed(r *grammar.Reader, body string, _ bool) ([]toolcall.Event, bool) {
	open, rest, found := strings.Cut(strings.TrimPrefix(body, "<"), ">")
	if !found || r.Catalog.Exact(open) == nil {
		return nil, false
	}
	inner, closed := strings.CutSuffix(rest, "</"+open+">")
	if !closed {
		return one(r.Broken(grammar.Draft{Name: open, Raw: body, Broken: "its end tag is missing"}))
	}
	return []toolcall.Event{namedElements(r, open, inner, body)}, true
}

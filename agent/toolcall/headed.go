package toolcall

import (
	"encoding/json"
	"regexp"
	"strings"
)

// headed is an envelope that writes the tool's name before a JSON object: HEAD{json}. How the head tells the name is the
// families' one difference.
type headed struct {
	open    []string
	closers []string       // markers that end it; empty: it ends with the object
	stops   []string       // markers that begin something else and end it too
	head    *regexp.Regexp // over what stands before the object; group "name", and "id" if there is one
	code    bool           // a body that is no JSON is the one string argument of the tool
	then    func(found) next
}

func (h headed) block() block {
	m := newMatcher(append(append([]string{}, h.closers...), h.stops...))
	inText := m.heeding("\"\\")
	return block{open: h.open, scan: func(*reader) scanner { return h.scan(m, inText) }, read: h.read, then: h.then, closers: h.closers}
}

// maxHead bounds how far the object may be from the marker.
const maxHead = 256

func (h headed) scan(m *matcher, inText *byteSet) scanner {
	var (
		json  jsonScan
		state int16
		hit   int
		begun bool
	)
	heed := func() *byteSet {
		if begun && json.within() && m.depth(state) == 0 {
			return inText
		}
		return nil
	}
	return skipping{heed: heed, scanFunc: func(body []byte) (verdict, int) {
		b := body[len(body)-1]
		if !begun && b == '{' {
			begun = true
			if name, _ := h.nameIn(string(body[:len(body)-1])); name == "" && !h.code {
				return notCall, 0
			}
		}
		done := begun && json.next(b)
		if done && len(h.closers) == 0 {
			return whole, 0
		}
		state, hit = m.step(state, b)
		switch {
		case !begun && len(body) > maxHead && !h.code:
			return notCall, 0
		case hit < 0 || json.inText:
			return more, 0
		case hit < len(h.closers):
			return whole, 0
		default:
			return whole, len(h.stops[hit-len(h.closers)])
		}
	}}
}

// ended reports whether a body that is no JSON is whole: where the family has an end marker, it must be there.
func (h headed) ended(f found) bool { return f.closed || f.final && len(h.closers) == 0 }

func (h headed) nameIn(head string) (name, id string) {
	m := h.head.FindStringSubmatch(head)
	if m == nil {
		return "", ""
	}
	name = m[h.head.SubexpIndex("name")]
	if i := h.head.SubexpIndex("id"); i >= 0 {
		id = strings.TrimSpace(m[i])
	}
	return name, id
}

func (h headed) read(r *reader, f found) ([]Event, bool) {
	raw, body := f.text()
	body = cutAny(body, h.closers)
	head, _, braced := strings.Cut(body, "{")
	name, id := h.nameIn(head)
	if name == "" {
		name, id = h.nameIn(body)
	}
	if name == "" {
		if events, ok := readCandidates(r, strings.TrimSpace(body), f.final); ok {
			return events, true // the call stands in JSON after all
		}
		return []Event{r.broken(draft{raw: raw, broken: "no tool is named"})}, true
	}
	d := draft{id: id, name: name, raw: raw}
	if !braced {
		switch {
		case h.code && h.ended(f):
			d.arguments = r.codeArgument(name, codeBody(h.head, body))
		case !f.closed:
			d.broken = "its arguments are missing"
		}
		return []Event{r.event(d)}, true
	}
	object := body[len(head):]
	switch {
	case d.take(object, f.final) || r.repairLast(&d, object):
	case h.code && h.ended(f) && !strings.HasPrefix(codeBody(h.head, body), "{"):
		d.arguments = r.codeArgument(name, codeBody(h.head, body))
	default:
		d.broken = "its arguments are broken JSON"
	}
	return []Event{r.event(d)}, true
}

// repairLast escapes quotes in the last string argument of a known tool.
func (r *reader) repairLast(d *draft, text string) bool {
	t := r.catalog.resolve(d.name)
	if t == nil {
		return false
	}
	for i := len(t.schema().order) - 1; i >= 0; i-- {
		key := t.schema().order[i]
		if !t.schema().properties[key].only("string") {
			continue
		}
		if fixed, changed := escapeInnerQuotes(text, key); changed {
			if value, ok := repair(fixed, true); ok {
				d.arguments = value
				return true
			}
		}
	}
	return false
}

// codeBody is what stands after the head.
func codeBody(head *regexp.Regexp, body string) string {
	at := head.FindStringIndex(body)
	if at == nil {
		return body
	}
	return strings.TrimSpace(strings.TrimRight(strings.TrimSpace(body[at[1]:]), "`"))
}

// codeArgument makes arguments of a body that is code, for a tool with exactly one required string.
func (r *reader) codeArgument(name, code string) json.RawMessage {
	t := r.catalog.resolve(name)
	if t == nil || len(t.schema().required) != 1 || strings.TrimSpace(code) == "" {
		return nil
	}
	key := t.schema().required[0]
	if p, _ := t.schema().property(key); !p.only("string") {
		return nil
	}
	return writeObject([]member{{key: key, text: code}})
}

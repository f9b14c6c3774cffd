package toolcall

import (
	"strings"
)

// tags reads the inside of a tagged envelope.
type tags struct {
	*tagged
	callTag, argTag tag
}

// tagReader is one reading of an inside.
type tagReader struct {
	tags
	searcher
	r        *reader
	ends     map[weighing]map[int32]endTag // by the place from which they were looked for
	unclosed int                           // JSON objects without an end
}

// weighing is a way of looking for the end of a value.
type weighing struct {
	quoting bool
	of      *schema
}

// endTag is the end tag that belongs to a value; end is 0 if there is none.
type endTag struct{ at, end int32 }

// read gives the calls of the inside.
func (k tags) read(r *reader, f found) ([]Event, bool) {
	raw, body := f.text()
	body = cutRepeated(cutAny(body, k.closers), f.opener)
	inside := strings.TrimSpace(body)
	if k.json && inside != "" && (inside[0] == '{' || inside[0] == '[') {
		return r.jsonCalls(raw, body, f.final), true
	}
	if k.opens {
		body = f.opener + body
	}
	t := &tagReader{tags: k, searcher: searcher{text: body, count: &r.scanned}, r: r}
	var events []Event
	for from := 0; ; {
		call := t.nextCall(from)
		if t.none(call) {
			break
		}
		name := k.callTag.SubexpIndex("name")
		var d draft
		d, from = t.arguments(strings.TrimSpace(body[call.groups[2*name]:call.groups[2*name+1]]), call.end)
		if !f.closed && !t.finished(call.end, from) {
			d.broken = "the reply ended in the middle of it"
		}
		d.raw = raw
		events = append(events, r.event(d))
		if k.single {
			break
		}
	}
	if len(events) == 0 && k.other != nil {
		events = k.other(r, raw, body)
	}
	if len(events) == 0 {
		events = []Event{r.broken(draft{raw: raw, broken: "no tool is named"})}
	}
	if m, ok := events[0].(Malformed); ok && k.known && !f.closed && m.Name == "" {
		return nil, false
	}
	return events, true
}

func (t *tagReader) nextCall(from int) stretch { return t.nextTag("call", t.callTag, from) }

func (t *tagReader) nextArg(from int) stretch { return t.nextTag("argument", t.argTag, from) }

func (t *tagReader) nextTag(what string, p tag, from int) stretch {
	return t.find(sought{what: what}, from, func(from int) stretch {
		if groups := p.next(t.text, from); groups != nil {
			return stretch{at: groups[0], end: groups[1], groups: groups}
		}
		return stretch{at: len(t.text), end: len(t.text)}
	})
}

// finished reports whether a call was written to its end in a block that nothing closes. A marker at the very end may have
// been swallowed as a stop word; any other must be there.
func (t *tagReader) finished(from, to int) bool {
	end := withoutBlanks(t.text[from:to])
	call := t.text[from : from+end]
	if endsWith(call, t.callEnd) || strings.HasSuffix(call, "}") {
		return true
	}
	return (t.single || t.opens) && t.blanks(to) == len(t.text) && endsWith(call, t.argEnd)
}

// maxUnclosed is how many JSON objects without an end are looked at in one block.
const maxUnclosed = 4

// arguments reads the arguments of one call and gives where it ends.
func (t *tagReader) arguments(name string, from int) (draft, int) {
	d := draft{name: name}
	s := &t.r.any
	if offered := t.r.catalog.resolve(name); offered != nil {
		s = offered.schema()
	}
	if at := t.blanks(from); at < len(t.text) && t.text[at] == '{' && t.unclosed < maxUnclosed { // JSON where tags should stand
		object := t.text[at:]
		end := balanced(object)
		if end < 0 {
			t.unclosed++
			end = len(cutAny(object, t.callEnd))
		}
		t.r.scanned += end
		if value, ok := repair(object[:end], true); ok {
			d.arguments = value
			return d, t.afterCall(at + end)
		}
	}
	d.members = make([]member, 0, 4)
	var list members
	for {
		arg := t.nextArg(from)
		if t.none(arg) || t.first(t.callEnd, from).at < arg.at {
			break
		}
		key := strings.TrimSpace(group(t.arg, t.text, arg.groups, "key"))
		end, after := t.value(arg.end, s)
		list.set(t.typed(arg.groups, t.text[arg.end:end], key, s))
		from = after
	}
	if list.list != nil {
		d.members = list.list
	}
	return d, t.afterCall(from)
}

func (t *tagReader) afterCall(at int) int {
	at = t.blanks(at)
	end, _ := t.begins(at, t.callEnd)
	return end
}

// value finds the end of an argument's text, and of the end tag that belongs to it: one after which the call may go on. A
// call that the value quotes is stepped over.
func (t *tagReader) value(from int, s *schema) (end, after int) {
	for _, quoting := range []bool{true, false} {
		if e := t.closed(from, s, quoting); e.end > 0 {
			return int(e.at), int(e.end)
		}
	}
	end = t.nextDeclared(from, s).at
	end = min(end, t.first(t.callEnd, from).at, t.first(t.argEnd, from).at)
	return end, end
}

// closed finds the end tag. quoting says that the value may quote calls; then only what belongs to this call may follow it.
func (t *tagReader) closed(from int, s *schema, quoting bool) (result endTag) {
	known := t.ends[weighing{quoting, s}]
	var places []int32
	for first := true; ; first = false {
		if e, ok := known[int32(from)]; ok {
			result = e
			break
		}
		if !first { // where an argument begins, it is looked for but once
			places = append(places, int32(from))
		}
		end := t.first(t.argEnd, from)
		if t.none(end) {
			break
		}
		if quoting && !t.single {
			if call := t.nextCall(from); call.end <= end.at {
				if closer := t.first(t.callEnd, call.end); !t.none(closer) {
					from = closer.end
					continue
				}
			}
		}
		if t.nextDeclared(from, s).end <= end.at {
			break // the end tag was left out
		}
		if t.mayFollow(end.end, quoting) {
			result = endTag{int32(end.at), int32(end.end)}
			break
		}
		from = end.end
	}
	if len(places) == 0 {
		return result
	}
	if known == nil {
		if t.ends == nil {
			t.ends = map[weighing]map[int32]endTag{}
		}
		known = map[int32]endTag{}
		t.ends[weighing{quoting, s}] = known
	}
	for _, place := range places {
		known[place] = result
	}
	return result
}

// nextDeclared is the next declared argument on a line of its own.
func (t *tagReader) nextDeclared(from int, s *schema) stretch {
	return t.find(sought{"declared", s}, from, func(from int) stretch {
		for start := from; ; {
			arg := t.nextArg(start)
			if t.none(arg) {
				return arg
			}
			_, declared := s.properties[strings.TrimSpace(group(t.arg, t.text, arg.groups, "key"))]
			if declared && (arg.at == from || t.text[arg.at-1] == '\n') {
				return arg
			}
			start = arg.end
		}
	})
}

// mayFollow reports whether the call may go on after an argument; strictly, the outer closers may not follow, since the one
// that counts was cut off.
func (t *tagReader) mayFollow(from int, strict bool) bool {
	at := t.blanks(from)
	if at == len(t.text) || strings.HasPrefix(t.text[at:], `\n`) {
		return true
	}
	if _, ended := t.begins(at, t.callEnd); ended {
		return true
	}
	if _, ended := t.begins(at, t.closers); ended && !strict {
		return true
	}
	return t.nextArg(from).at == at || !t.single && t.callTag.at(t.text, at) != nil
}

// typed turns the text of a value into JSON.
func (t *tagReader) typed(groups []int, value, key string, s *schema) member {
	value = t.trim(value)
	if t.decode != nil {
		value = t.decode(value)
	}
	property, _ := s.property(key)
	switch group(t.arg, t.text, groups, "string") {
	case "true":
		return member{key: key, text: value}
	case "false":
		property = &schema{}
	}
	switch kind := group(t.arg, t.text, groups, "type"); kind {
	case "":
	case "string", "str":
		return member{key: key, text: value}
	default:
		property = &schema{}
	}
	if property.only("string") && !property.allows("null") {
		return member{key: key, text: value}
	}
	return member{key: key, value: coerceText(value, property)}
}

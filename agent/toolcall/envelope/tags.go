package envelope

import (
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// tags reads the inside of a tagged envelope.
type tags struct {
	*Tagged
	callTag, argTag tag
}

// tagReader reads one inside.
type tagReader struct {
	tags
	searcher
	r        *grammar.Reader
	ends     map[endQuery]map[int32]endTag // cached by the place where the search started
	unclosed int                           // JSON objects without an end
}

// endQuery says how the end of a value is searched for.
type endQuery struct {
	quoting bool
	of      *values.Schema
}

// endTag is the end tag that belongs to a value; end is 0 if there is none.
type endTag struct{ at, end int32 }

// read returns the calls of the inside.
func (k tags) read(r *grammar.Reader, f grammar.Found) ([]toolcall.Event, bool) {
	raw, body := f.Text(k.Closers...)
	body = cutRepeated(body, f.Opener)
	inside := strings.TrimSpace(body)
	if k.JSON && inside != "" && (inside[0] == '{' || inside[0] == '[') {
		return JSONCalls(r, raw, body, f.Final), true
	}
	if k.Opens {
		body = f.Opener + body
	}
	t := &tagReader{tags: k, searcher: searcher{text: body, count: &r.Scanned}, r: r}
	var events []toolcall.Event
	for from := 0; ; {
		call := t.nextCall(from)
		if t.none(call) {
			break
		}
		name := k.callTag.SubexpIndex("name")
		var d grammar.Draft
		d, from = t.arguments(strings.TrimSpace(body[call.groups[2*name]:call.groups[2*name+1]]), call.end)
		if !f.Closed && !t.finished(call.end, from) {
			d.Broken = "the reply ended in the middle of it"
		}
		d.Raw = raw
		events = append(events, r.Event(d))
		if k.Single {
			break
		}
	}
	if len(events) == 0 && k.other != nil {
		events = k.other(r, raw, body)
	}
	if len(events) == 0 {
		events = Unreadable(r, raw, "no tool is named")
	}
	if m, ok := events[0].(toolcall.Malformed); ok && k.known && !f.Closed && m.Name == "" {
		return nil, false
	}
	return events, true
}

func (t *tagReader) nextCall(from int) match { return t.nextTag("call", t.callTag, from) }

func (t *tagReader) nextArg(from int) match { return t.nextTag("argument", t.argTag, from) }

func (t *tagReader) nextTag(what string, p tag, from int) match {
	return t.find(searchKey{what: what}, from, func(from int) match {
		if groups := p.next(t.text, from); groups != nil {
			return match{at: groups[0], end: groups[1], groups: groups}
		}
		return match{at: len(t.text), end: len(t.text)}
	})
}

// finished reports whether a call is complete in a block without a closer. A marker at the very end may be missing,
// since servers cut stop words off; any other must be there.
func (t *tagReader) finished(from, to int) bool {
	end := scan.TrimmedLen(t.text[from:to])
	call := t.text[from : from+end]
	if scan.EndsWith(call, t.CallEnd) || strings.HasSuffix(call, "}") {
		return true
	}
	return (t.Single || t.Opens) && t.space(to) == len(t.text) && scan.EndsWith(call, t.ArgEnd)
}

// maxUnclosed is how many JSON objects without an end are looked at in one block.
const maxUnclosed = 4

// arguments reads the arguments of one call and returns where it ends.
func (t *tagReader) arguments(name string, from int) (grammar.Draft, int) {
	d := grammar.Draft{Name: name}
	s := t.r.SchemaOf(name)
	// JSON where tags should be
	if at := t.space(from); at < len(t.text) && t.text[at] == '{' && t.unclosed < maxUnclosed {
		object := t.text[at:]
		end := values.Balanced(object)
		if end < 0 {
			t.unclosed++
			end = len(scan.CutAny(object, t.CallEnd))
		}
		t.r.Scanned += end
		if value, ok := values.Repair(object[:end], true); ok {
			d.Arguments = value
			return d, t.afterCall(at + end)
		}
	}
	d.Members = make([]values.Member, 0, 4)
	var list values.Members
	for {
		arg := t.nextArg(from)
		if t.none(arg) || t.first(t.CallEnd, from).at < arg.at {
			break
		}
		key := strings.TrimSpace(group(t.Arg, t.text, arg.groups, "key"))
		end, after := t.value(arg.end, s)
		list.Set(t.typed(arg.groups, t.text[arg.end:end], key, s))
		from = after
	}
	if list.List != nil {
		d.Members = list.List
	}
	return d, t.afterCall(from)
}

func (t *tagReader) afterCall(at int) int {
	at = t.space(at)
	end, _ := t.begins(at, t.CallEnd)
	return end
}

// value finds the end of an argument's text, and of the end tag that belongs to it: one after which the call may go on.
// A call that the value quotes is stepped over.
func (t *tagReader) value(from int, s *values.Schema) (end, after int) {
	for _, quoting := range []bool{true, false} {
		if e := t.closed(from, s, quoting); e.end > 0 {
			return int(e.at), int(e.end)
		}
	}
	end = t.nextDeclared(from, s).at
	end = min(end, t.first(t.CallEnd, from).at, t.first(t.ArgEnd, from).at)
	value := strings.TrimSuffix(t.text[from:end], "\n") // that is before the next tag
	return from + len(value), end
}

// closed finds the end tag. quoting says that the value may quote calls; then only what belongs to this call may follow
// it.
func (t *tagReader) closed(from int, s *values.Schema, quoting bool) (result endTag) {
	known := t.ends[endQuery{quoting, s}]
	var places []int32
	for first := true; ; first = false {
		if e, ok := known[int32(from)]; ok {
			result = e
			break
		}
		if !first { // the search starts only once where an argument begins
			places = append(places, int32(from))
		}
		end := t.first(t.ArgEnd, from)
		if t.none(end) {
			break
		}
		if quoting && !t.Single {
			if call := t.nextCall(from); call.end <= end.at {
				if closer := t.first(t.CallEnd, call.end); !t.none(closer) {
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
			t.ends = map[endQuery]map[int32]endTag{}
		}
		known = map[int32]endTag{}
		t.ends[endQuery{quoting, s}] = known
	}
	for _, place := range places {
		known[place] = result
	}
	return result
}

// nextDeclared is the next declared argument on a line of its own.
func (t *tagReader) nextDeclared(from int, s *values.Schema) match {
	return t.find(searchKey{"declared", s}, from, func(from int) match {
		for start := from; ; {
			arg := t.nextArg(start)
			if t.none(arg) {
				return arg
			}
			_, declared := s.Properties[strings.TrimSpace(group(t.Arg, t.text, arg.groups, "key"))]
			if declared && (arg.at == from || t.text[arg.at-1] == '\n') {
				return arg
			}
			start = arg.end
		}
	})
}

// mayFollow reports whether the call may go on at a place, after an argument. If strict, no outer closer may follow,
// since the closer of this call was cut off already.
func (t *tagReader) mayFollow(from int, strict bool) bool {
	at := t.space(from)
	if at == len(t.text) || strings.HasPrefix(t.text[at:], `\n`) {
		return true
	}
	if _, ended := t.begins(at, t.CallEnd); ended {
		return true
	}
	if _, ended := t.begins(at, t.Closers); ended && !strict {
		return true
	}
	return t.nextArg(from).at == at || !t.Single && t.callTag.at(t.text, at) != nil
}

// typed turns the text of a value into JSON.
func (t *tagReader) typed(groups []int, value, key string, s *values.Schema) values.Member {
	value = t.Trim(value)
	if t.Decode != nil {
		value = t.Decode(value)
	}
	property, _ := s.Property(key)
	switch group(t.Arg, t.text, groups, "string") {
	case "true":
		return values.Member{Key: key, Text: value}
	case "false":
		property = &values.Schema{}
	}
	switch kind := group(t.Arg, t.text, groups, "type"); kind {
	case "":
	case "string", "str":
		return values.Member{Key: key, Text: value}
	default:
		property = &values.Schema{}
	}
	if property.Only("string") && !property.Allows("null") {
		return values.Member{Key: key, Text: value}
	}
	return values.Member{Key: key, Value: values.CoerceText(value, property)}
}

// Block is the envelope for a grammar.
func (k Tagged) Block() grammar.Block {
	m := scan.NewMatcher(slices.Concat(k.Closers, k.Open))
	marks := m.StopBytes("")
	asJSON := ScanTagged(k.Closers, k.Open, "{[")
	tags := tags{Tagged: &k, callTag: newTag(k.Call), argTag: newTag(k.Arg)}
	return grammar.Block{Kind: k.kind(), Open: k.Open, Closers: k.Closers, Read: tags.read, Scan: func(
		r *grammar.Reader,
	) grammar.Scanner {
		return &argScan{k: &k, m: m, marks: marks, asJSON: asJSON, r: r}
	}}
}

package toolcall

import (
	"bytes"
	"regexp"
	"strings"
)

// tagged is an envelope that writes arguments as tagged text. The families differ in their tags alone.
type tagged struct {
	open    []string // the outer markers; they may be the call's own
	closers []string // of the outer markers
	// call opens one call, group "name"; it is matched where a call may begin.
	call    *regexp.Regexp
	callEnd []string
	// arg opens one argument: group "key", and "type" or "string" where the family says how the value is written.
	arg    *regexp.Regexp
	argEnd []string
	// usualCall and usualArg are how these are mostly written.
	usualCall, usualArg usual
	trim                func(string) string
	decode              func(string) string // entities or CDATA; nil: the text stands as it is
	// first are the bytes that may begin the inside; empty: a name.
	first string
	// json allows a JSON call inside instead.
	json bool
	// opens says that the outer marker is the beginning of the call, and is read with it.
	opens bool
	// single says that there is one call, whose name is the first thing inside.
	single bool
	// known says that without an offered tool, or its end, it is prose: the marker alone proves nothing.
	known bool
	// other reads an inside in which no call was found.
	other  func(r *reader, raw, body string) []Event
	cursor *tagCursor // of one reading
}

// tagCursor keeps reading linear: what was looked for once is not looked for again.
type tagCursor struct {
	checks int // end tags that may still be weighed
	known  bool
	next   []int // if known: the match of the argument that begins next, in the last size bytes of the text; nil: none does
	size   int
}

// maxChecks bounds how many end tags are weighed in one block; beyond it the first one counts.
const maxChecks = 20_000

// findArg finds the next argument in what is left.
func (k *tagged) findArg(rest string) []int {
	c := k.cursor
	by := len(rest) - c.size
	switch {
	case c.known && c.next == nil:
		return nil
	case c.known && c.next[0]+by >= 0:
		for i := range c.next {
			if c.next[i] >= 0 {
				c.next[i] += by
			}
		}
		c.size = len(rest)
	default:
		c.found(submatch(k.arg, k.usualArg, rest), rest)
	}
	return c.next
}

func (c *tagCursor) found(at []int, text string) { c.known, c.next, c.size = true, at, len(text) }

// The ways of trimming a value.
func trimLine(text string) string {
	return strings.TrimSuffix(strings.TrimPrefix(text, "\n"), "\n")
}

func trimNone(text string) string { return text }

func (k tagged) block() block {
	m := newMatcher(append(append([]string{}, k.closers...), k.open...))
	marks := m.heeding("")
	asJSON := scanTagged(k.closers, k.open, "{[")
	return block{open: k.open, closers: k.closers, read: k.read, scan: func(r *reader) scanner {
		return &argScan{k: &k, m: m, marks: marks, asJSON: asJSON, r: r}
	}}
}

func endsWith(text []byte, endings []string) bool {
	for _, e := range endings {
		if bytes.HasSuffix(text, []byte(e)) {
			return true
		}
	}
	return false
}

// read gives the calls of the inside.
func (k tagged) read(r *reader, f found) ([]Event, bool) {
	raw, body := f.text()
	body = cutRepeated(cutAny(body, k.closers), f.opener)
	inside := strings.TrimSpace(body)
	if k.json && inside != "" && (inside[0] == '{' || inside[0] == '[') {
		return r.jsonCalls(raw, body, f.final), true
	}
	if k.opens {
		body = f.opener + body
	}
	k.cursor = &tagCursor{checks: maxChecks}
	var events []Event
	rest := body
	for {
		at := submatch(k.call, k.usualCall, rest)
		if at == nil {
			break
		}
		name := rest[at[2*k.call.SubexpIndex("name")]:at[2*k.call.SubexpIndex("name")+1]]
		var d draft
		before := rest[at[1]:]
		d, rest = k.arguments(r, strings.TrimSpace(name), before)
		if !f.closed && !k.finished(before[:len(before)-len(rest)], rest) {
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

// finished reports whether a call was written to its end in a block that nothing closes. A marker at the very end may have
// been swallowed as a stop word; any other must be there.
func (k *tagged) finished(call, rest string) bool {
	call = strings.TrimSpace(call)
	if endsWith([]byte(call), k.callEnd) || strings.HasSuffix(call, "}") {
		return true
	}
	return (k.single || k.opens) && strings.TrimSpace(rest) == "" && endsWith([]byte(call), k.argEnd)
}

// cutRepeated drops the opener where it is written twice.
func cutRepeated(body, opener string) string {
	for opener != "" {
		rest, again := strings.CutPrefix(strings.TrimLeft(body, " \t\r\n"), opener)
		if !again {
			break
		}
		body = rest
	}
	return body
}

// arguments reads the arguments of one call and gives what follows it.
func (k *tagged) arguments(r *reader, name, rest string) (draft, string) {
	d := draft{name: name}
	s := &schema{}
	if t := r.catalog.resolve(name); t != nil {
		s = t.schema()
	}
	members := make([]member, 0, 4)
	if object := strings.TrimLeft(rest, " \t\r\n"); strings.HasPrefix(object, "{") { // JSON where tags should stand
		end := balanced(object)
		if end < 0 {
			end = len(cutAny(object, k.callEnd))
		}
		if value, ok := repair(object[:end], true); ok {
			d.arguments = value
			return d, k.afterCall(object[end:])
		}
	}
	for {
		at := k.findArg(rest)
		if at == nil || k.callEndsBefore(rest, at[0]) {
			break
		}
		key := strings.TrimSpace(group(k.arg, rest, at, "key"))
		value, after := k.value(rest[at[1]:], s)
		members = set(members, k.typed(rest, at, value, key, s))
		rest = after
	}
	d.members = members
	return d, k.afterCall(rest)
}

// callEndsBefore reports whether the call ends before the argument at the given place.
func (k *tagged) callEndsBefore(text string, at int) bool {
	for _, e := range k.callEnd {
		if end := strings.Index(text[:at], e); end >= 0 {
			return true
		}
	}
	return false
}

func (k *tagged) afterCall(rest string) string {
	trimmed := strings.TrimLeft(rest, " \t\r\n")
	for _, e := range k.callEnd {
		if after, found := strings.CutPrefix(trimmed, e); found {
			return after
		}
	}
	return trimmed
}

// value reads the text of an argument up to the end tag that belongs to it: one after which the call may go on. A call that
// the value quotes is stepped over.
func (k *tagged) value(text string, s *schema) (value, rest string) {
	for _, quoting := range []bool{true, false} {
		if v, after, ok := k.closedValue(text, s, quoting); ok {
			return v, after
		}
	}
	end := len(text)
	if at := k.nextArgument(text, s); at >= 0 {
		end = at
	}
	if at, _ := firstOf(text[:end], append(append([]string{}, k.callEnd...), k.argEnd...)); at >= 0 {
		end = at
	}
	return text[:end], text[end:]
}

// closedValue finds the end tag. quoting says that the value may quote calls; then only what belongs to this call may
// follow it.
func (k *tagged) closedValue(text string, s *schema, quoting bool) (value, rest string, ok bool) {
	from := 0
	for {
		at, length := firstOf(text[from:], k.argEnd)
		if at < 0 {
			return "", "", false
		}
		end := from + at
		if skip := k.quotedCall(text[from:end]); quoting && skip >= 0 {
			if closer, n := firstOf(text[from+skip:], k.callEnd); closer >= 0 {
				from += skip + closer + n
				continue
			}
		}
		if k.nextArgument(text[from:end], s) >= 0 {
			return "", "", false // the end tag was left out
		}
		if k.cursor.checks--; k.cursor.checks < 0 || k.mayFollow(text[end+length:], quoting) {
			return text[:end], text[end+length:], true
		}
		from = end + length
	}
}

// quotedCall is where a call begins in the text of a value, or -1.
func (k *tagged) quotedCall(text string) int {
	if k.single {
		return -1
	}
	if at := submatch(k.call, k.usualCall, text); at != nil {
		return at[1]
	}
	return -1
}

// nextArgument is where a declared argument begins on a line of its own, or -1.
func (k *tagged) nextArgument(text string, s *schema) int {
	for from := 0; ; {
		at := submatch(k.arg, k.usualArg, text[from:])
		if at == nil {
			return -1
		}
		_, declared := s.properties[strings.TrimSpace(group(k.arg, text[from:], at, "key"))]
		start := from + at[0]
		if declared && (start == 0 || text[start-1] == '\n') {
			return start
		}
		from += at[1]
	}
}

// mayFollow reports whether the call may go on with text after an argument; strictly, the outer closers may not follow,
// since the one that counts was cut off.
func (k *tagged) mayFollow(text string, strict bool) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	if text == "" || strings.HasPrefix(text, `\n`) {
		return true
	}
	ends := k.callEnd
	if !strict {
		ends = append(append([]string{}, ends...), k.closers...)
	}
	for _, e := range ends {
		if strings.HasPrefix(text, e) {
			return true
		}
	}
	head := text[:min(len(text), maxHead)]
	if at := k.usualArg.match(k.arg, head, 0); at != nil {
		k.cursor.found(at, text)
		return true
	}
	if at := k.arg.FindStringIndex(head); at != nil && at[0] == 0 {
		return true
	}
	at := k.call.FindStringIndex(head)
	return at != nil && at[0] == 0 && !k.single
}

// typed turns the text of a value into JSON.
func (k *tagged) typed(text string, at []int, value, key string, s *schema) member {
	value = k.trim(value)
	if k.decode != nil {
		value = k.decode(value)
	}
	property, _ := s.property(key)
	switch group(k.arg, text, at, "string") {
	case "true":
		return member{key: key, text: value}
	case "false":
		property = &schema{}
	}
	switch kind := group(k.arg, text, at, "type"); kind {
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

// firstOf finds the first of several markers.
func firstOf(text string, markers []string) (at, length int) {
	at = -1
	for _, m := range markers {
		if i := strings.Index(text, m); i >= 0 && (at < 0 || i < at) {
			at, length = i, len(m)
		}
	}
	return at, length
}

package toolcall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The keys under which models write a tool's name and its arguments, the usual ones first.
func nameKeys() []string {
	return []string{"name", "tool_name", "tool", "function", "function_name", "toolName", "action"}
}

func argumentKeys() []string {
	return []string{"arguments", "parameters", "args", "tool_args", "tool_input", "input", "params", "kwargs", "action_input"}
}

// wrapperKeys hold a call or a list of calls.
func wrapperKeys() []string { return []string{"tool_call", "tool_calls", "function_call", "function"} }

// draft is a call as the model wrote it, before its tool is looked up.
type draft struct {
	id   string
	name string
	// arguments is JSON as written, repaired; nil if there were none.
	arguments json.RawMessage
	// members are the arguments where they were read one by one, each valid JSON; arguments is not looked at then.
	members []member
	// beside says that the arguments stood beside the name, not under a key of their own.
	beside bool
	// unchecked says that the arguments come from elsewhere and may not be JSON.
	unchecked bool
	// broken is a sentence why the draft cannot be a call; the rest may be empty then.
	broken string
	raw    string          // what the model wrote
	object json.RawMessage // the same, if raw is empty
}

// written is what the model wrote.
func (d draft) written() string {
	if d.raw == "" {
		return string(d.object)
	}
	return d.raw
}

// payload reads calls from JSON text: an object, a list, or a wrapper round either. It gives false if the text is no call
// at all.
func (r *reader) payload(text string, final bool) ([]draft, bool) {
	if value, ok := repair(text, final); ok {
		if drafts := draftsOf(value, 0); len(drafts) > 0 {
			return drafts, true
		}
	}
	for _, t := range r.catalog.tools {
		for _, key := range slices.Backward(t.schema().order) {
			if !t.schema().properties[key].only("string") {
				continue
			}
			fixed, changed := escapeInnerQuotes(text, key)
			if !final || !changed || !strings.Contains(text, t.Name) {
				continue
			}
			if value, ok := repair(fixed, final); ok {
				if drafts := draftsOf(value, 0); len(drafts) == 1 && r.catalog.resolve(drafts[0].name) == t {
					return drafts, true
				}
			}
		}
	}
	return nil, false
}

const maxWrappers = 4

// draftsOf finds the calls in a JSON value.
func draftsOf(value json.RawMessage, depth int) []draft {
	value = bytes.TrimSpace(value)
	if len(value) == 0 || depth > maxWrappers {
		return nil
	}
	if value[0] == '[' {
		var drafts []draft
		for _, entry := range splitList(value) {
			drafts = append(drafts, draftsOf(entry, depth+1)...)
		}
		return drafts
	}
	members, err := splitObject(value)
	if err != nil {
		return nil
	}
	return draftsOfObject(members, nil, value, depth)
}

// draftsOfWhole finds the calls in text that is one JSON object, or a list of them, and nothing else; nil if it is not, or
// holds none.
func draftsOfWhole(text []byte) []draft {
	raw := bytes.TrimSpace(text)
	listed := len(raw) > 0 && raw[0] == '['
	at := 0
	if listed {
		at = skipBlanks(raw, 1)
	}
	var drafts []draft
	for {
		members, inner, length, err := readCall(raw[at:])
		if err != nil {
			return nil
		}
		drafts = append(drafts, draftsOfObject(members, inner, raw[at:at+length], 0)...)
		at = skipBlanks(raw, at+length)
		switch {
		case !listed && at == len(raw), listed && at == len(raw)-1 && raw[at] == ']':
			return drafts
		case !listed || at >= len(raw) || raw[at] != ',':
			return nil
		}
		at = skipBlanks(raw, at+1)
	}
}

// draftsOfObject finds the calls in an object; inner are the members of its only value that is an object, if they were read.
func draftsOfObject(members, inner []member, value json.RawMessage, depth int) []draft {
	for _, key := range wrapperKeys() {
		if wrapped, found := find(members, key); found && (wrapped[0] == '{' || wrapped[0] == '[') {
			if drafts := draftsOf(wrapped, depth+1); len(drafts) > 0 {
				if id := idOf(members); id != "" && len(drafts) == 1 && drafts[0].id == "" {
					drafts[0].id = id
				}
				return drafts
			}
		}
	}
	return draftOfObject(members, inner, value)
}

// draftOfObject reads {"name": ..., "arguments": ...} with any of the usual keys. Of two argument keys the first in the
// text counts.
func draftOfObject(members, inner []member, raw json.RawMessage) []draft {
	d := draft{object: raw, id: idOf(members)}
	nameKey := ""
	for _, key := range nameKeys() {
		if value, found := find(members, key); found && value[0] == '"' {
			nameKey = key
			d.name, _ = stringValue(value)
			break
		}
	}
	if nameKey == "" || d.name == "" {
		return nil
	}
	var rest []member
	for _, m := range members {
		switch {
		case m.key == nameKey:
		case d.arguments == nil && slices.Contains(argumentKeys(), m.key):
			if d.arguments = m.value; m.value[0] == '{' {
				d.members = inner
			}
		case m.key == "id" || m.key == "type" || m.key == "tool_call_id":
		default:
			rest = append(rest, m)
		}
	}
	if d.arguments == nil && len(rest) > 0 {
		d.arguments, d.beside = writeObject(rest), true
	}
	return []draft{d}
}

func idOf(members []member) string {
	for _, key := range []string{"id", "tool_call_id"} {
		if value, found := find(members, key); found {
			if id, ok := stringValue(value); ok {
				return id
			}
		}
	}
	return ""
}

// take reads the arguments from JSON text, which is repaired if need be.
func (d *draft) take(text string, final bool) bool {
	members, _, err := membersOf([]byte(text), validValue)
	if err == nil { // what follows the object does not count: see the ladder of repairs
		d.members = orNone(members)
		return true
	}
	var ok bool
	d.arguments, ok = repair(text, final)
	return ok
}

// reader turns drafts into events for the tools of one reply.
type reader struct {
	catalog *catalog
	any     schema            // of a tool that is not known
	scanned int               // bytes that were searched or read, some more than once
	reasons map[string]string // by the tool and what is wrong: a reply can hold the same broken call many times
}

// reason gives a sentence for the model, which is made once.
func (r *reader) reason(name, broken string, sentence func() string) string {
	key := name + "\x00" + broken
	if known, ok := r.reasons[key]; ok {
		return known
	}
	if r.reasons == nil {
		r.reasons = map[string]string{}
	}
	r.reasons[key] = sentence()
	return r.reasons[key]
}

// event finishes a draft: it finds the tool, fits the arguments to its schema and checks that none is missing.
func (r *reader) event(d draft) Event {
	if d.broken != "" {
		return r.broken(d)
	}
	t := r.catalog.resolve(d.name)
	if t == nil {
		return Malformed{Raw: d.written(), Name: "", Reason: r.reason(d.name, "", func() string { return r.unknown(d.name) })}
	}
	members := d.members
	if members == nil {
		var err error
		if members, err = argumentsOf(d.arguments, !d.unchecked); err != nil {
			d.name, d.broken = t.Name, "its arguments are not a JSON object"
			return r.broken(d)
		}
	}
	members = unwrapArguments(members, t.schema())
	for i, m := range members {
		property, _ := t.schema().property(m.key)
		if m.value != nil || !property.allows("string") { // a string where one is wanted stays as it is
			members[i].value = coerceValue(m.json(), property)
		}
	}
	if missing := missing(members, t.schema()); len(missing) > 0 {
		d.name, d.broken = t.Name, "it lacks "+listed(missing)
		return r.broken(d)
	}
	return Called{Call{ID: d.id, Name: t.Name, Arguments: writeObject(members)}}
}

// argumentsOf reads the arguments: an object, a string that holds one, or nothing. valid says that raw is known to be JSON.
func argumentsOf(raw json.RawMessage, valid bool) ([]member, error) {
	trimmed := bytes.TrimSpace(raw)
	switch string(trimmed) {
	case "", "null", `""`:
		return nil, nil
	}
	if valid && trimmed[0] == '{' {
		return splitObject(trimmed)
	}
	if members, err := readObject(trimmed); err == nil {
		return members, nil
	}
	fixed, ok := repair(string(trimmed), true)
	if !ok {
		return nil, errNotObject
	}
	return readObject(fixed)
}

// unwrapArguments takes the arguments out of a wrapper that the schema does not know.
func unwrapArguments(members []member, s *schema) []member {
	if len(members) != 1 {
		return members
	}
	key := members[0].key
	if _, declared := s.properties[key]; declared || !slices.Contains([]string{"arguments", "input", "parameters"}, key) {
		return members
	}
	value := members[0].json()
	if inner, err := argumentsOf(value, true); err == nil && value[0] != '[' {
		return inner
	}
	return members
}

func missing(members []member, s *schema) []string {
	var names []string
	for _, key := range s.required {
		if _, found := find(members, key); !found {
			names = append(names, key)
		}
	}
	return names
}

// broken explains a call that cannot run, with the schema of its tool if that is known.
func (r *reader) broken(d draft) Event {
	t := r.catalog.resolve(d.name)
	if t == nil {
		return Malformed{Raw: d.written(), Reason: r.reason("", d.broken, func() string {
			return fmt.Sprintf("The call could not be read: %s. %s", d.broken, r.offer())
		})}
	}
	return Malformed{Raw: d.written(), Name: t.Name, Reason: r.reason(t.Name, d.broken, func() string {
		return fmt.Sprintf("The call of %s was not run: %s. Its arguments must be one JSON object that fits this schema: %s", t.Name, d.broken, compact(t.Parameters))
	})}
}

func (r *reader) unknown(name string) string {
	if near := r.catalog.near(name); len(near) > 0 {
		return fmt.Sprintf("There is no tool %q. Nearest: %s.", name, strings.Join(near, ", "))
	}
	return fmt.Sprintf("There is no tool %q; no tools are offered.", name)
}

func (r *reader) offer() string {
	names := make([]string, 0, len(r.catalog.tools))
	for _, t := range r.catalog.tools {
		names = append(names, t.Name)
	}
	if len(names) == 0 {
		return "No tools are offered."
	}
	return "The tools are: " + strings.Join(names, ", ") + "."
}

func listed(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(quoted, ", ")
}

// brokenOff reports a call that was not whole when the stream ended.
func (r *reader) brokenOff(raw string) Event {
	d := draft{raw: raw, broken: "the reply ended in the middle of it"}
	if t := r.meant(raw); t != nil {
		d.name = t.Name
	}
	return r.broken(d)
}

// Package gbnf writes a JSON schema as a grammar in GBNF, the notation of llama.cpp, for servers that hold a reply to a
// grammar and not to a schema. No library in Go does so without C, and those in other languages take patterns as they
// are written, so that a reply may be no JSON.
package gbnf

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Grammar is a grammar whose start is the rule root.
type Grammar struct {
	Text string
	// Unheld are the keywords of the schema to which the grammar does not hold a reply, sorted; Text says them in a
	// comment. A reply is valid JSON all the same. Without any, each reply fits the schema; not each text that fits it
	// is one that the grammar allows: members come in the order of the schema, and only those that it names.
	Unheld []string
}

// basics are the rules for what a schema leaves open. Numbers are short enough for each program that reads them, and
// there is little space: small models write it without end.
var basics = `string ::= "\"" char* "\""
char ::= plain | "\\u" hex hex hex hex
plain ::= [^"\\\x00-\x1F\x7F] | "\\" ["\\/bfnrt]
hex ::= [0-9a-fA-F]
integer ::= "-"? natural
natural ::= "0" | positive
positive ::= [1-9] ` + upTo("[0-9]", 14) + `
size ::= natural fraction? exponent?
number ::= "-"? size
fraction ::= "." [0-9] ` + upTo("[0-9]", 14) + `
exponent ::= [eE] [-+]? [0-9] [0-9]?
boolean ::= "true" | "false"
object ::= "{" (member ("," space member)*)? "}"
member ::= string ":" space value
array ::= "[" (value ("," space value)*)? "]"
value ::= object | array | string | number | boolean | "null"
space ::= " "?
`

// FromSchema writes the grammar of a schema. Equal schemas give equal grammars. The error is that the schema is no
// JSON, or that nothing fits it.
func FromSchema(schema json.RawMessage) (Grammar, error) {
	if !json.Valid(schema) {
		return Grammar{}, errors.New("the schema is no JSON")
	}
	w := &writer{whole: schema, byBody: map[string]string{}, refs: map[string]string{}, unheld: map[string]bool{}}
	root := w.value(schema)
	if root == nothing {
		return Grammar{}, errors.New("no reply fits the schema")
	}
	g := Grammar{Unheld: slices.Sorted(maps.Keys(w.unheld))}
	if len(g.Unheld) > 0 {
		g.Text = "# not held: " + strings.Join(g.Unheld, ", ") + "\n"
	}
	g.Text += "root ::= " + root + "\n" + w.rules.String() + basics
	return g, nil
}

const (
	nothing = "" // the rule of a schema that no value fits
	deepest = 64 // that a schema is read
)

// writer writes the rules of one grammar.
type writer struct {
	whole   json.RawMessage
	rules   strings.Builder
	count   int
	byBody  map[string]string // names of rules
	refs    map[string]string // names of the rules of references
	opening []string          // references that are open and of which nothing was written yet
	depth   int
	unheld  map[string]bool
}

// rule names an expression. Equal ones are one rule.
func (w *writer) rule(body string) string {
	if name, ok := w.byBody[body]; ok {
		return name
	}
	name := w.name()
	w.byBody[body] = name
	w.define(name, body)
	return name
}

// name is one that no rule has. Older servers allow letters, digits and hyphens.
func (w *writer) name() string {
	w.count++
	return "r" + strconv.Itoa(w.count)
}

func (w *writer) define(name, body string) { w.rules.WriteString(name + " ::= " + body + "\n") }

// union is the rule of what one of several allows.
func (w *writer) union(rules []string) string {
	var some []string
	for _, r := range rules {
		if r != nothing && !slices.Contains(some, r) {
			some = append(some, r)
		}
	}
	switch len(some) {
	case 0:
		return nothing
	case 1:
		return some[0]
	}
	return w.rule(strings.Join(some, " | "))
}

// value gives the rule of a schema.
func (w *writer) value(raw json.RawMessage) string {
	switch string(bytes.TrimSpace(raw)) {
	case "true", "null", "":
		return "value"
	case "false":
		return nothing
	}
	if w.depth == deepest {
		w.drop(true, "what is deeper")
		return "value"
	}
	w.depth++
	defer func() { w.depth-- }()
	s := w.read(raw)
	switch {
	case s.ref != "":
		w.drop(s.structured(), "$ref")
		return w.reference(s.ref)
	case s.isEnum:
		return w.enum(s)
	case len(s.any) > 0 && !s.structured():
		return w.anyOf(s)
	case len(s.all) == 1 && !s.structured() && len(s.types) == 0:
		return w.value(s.all[0])
	}
	w.drop(len(s.any) > 0, "anyOf")
	w.drop(len(s.all) > 0, "allOf")
	var rules []string
	for _, t := range s.kinds() {
		rules = append(rules, w.typed(s, t))
	}
	return w.union(rules)
}

// drop notes a keyword that the grammar does not hold.
func (w *writer) drop(dropped bool, keyword string) {
	if dropped {
		w.unheld[keyword] = true
	}
}

// enum is one of a list of values, of which those of another type do not fit.
func (w *writer) enum(s schema) string {
	w.drop(s.structured() || len(s.any) > 0 || len(s.all) > 0, "enum with others")
	var all []string
	for _, v := range s.enum {
		if len(s.types) == 0 || slices.ContainsFunc(s.types, func(t string) bool { return isA(v, t) }) {
			all = append(all, literal(compact(v)))
		}
	}
	if len(all) == 0 {
		return nothing
	}
	return w.rule(strings.Join(all, " | "))
}

// anyOf is a value that fits one of several schemas. A type beside them is that of each.
func (w *writer) anyOf(s schema) string {
	w.drop(len(s.all) > 0, "allOf")
	var rules []string
	for _, raw := range s.any {
		if len(s.types) > 0 {
			raw = w.withTypes(raw, s.types)
		}
		rules = append(rules, w.value(raw))
	}
	return w.union(rules)
}

// withTypes is a schema that says its type, if it says none yet.
func (w *writer) withTypes(raw json.RawMessage, types []string) json.RawMessage {
	members, err := readMembers(raw)
	if err != nil {
		w.drop(true, "type")
		return raw
	}
	for _, m := range members {
		if m.name == "type" || m.name == "$ref" || m.name == "const" || m.name == "enum" {
			w.drop(m.name != "type" || !within(w.read(raw).types, types), "type")
			return raw
		}
	}
	list, _ := json.Marshal(types) // of strings
	inner := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(string(raw)), "{"))
	if inner != "}" {
		inner = "," + inner
	}
	return json.RawMessage(`{"type":` + string(list) + inner)
}

func within(types, others []string) bool {
	return !slices.ContainsFunc(types, func(t string) bool { return !slices.Contains(others, t) })
}

// reference is the rule of a schema elsewhere in the whole one, which may refer to itself.
func (w *writer) reference(ref string) string {
	if name, ok := w.refs[ref]; ok && !slices.Contains(w.opening, ref) {
		return name
	}
	target, ok := w.resolve(ref)
	if !ok || slices.Contains(w.opening, ref) { // one that is itself would have no end
		w.drop(true, "$ref")
		return "value"
	}
	name := w.name()
	w.refs[ref] = name
	w.opening = append(w.opening, ref)
	body := w.value(target)
	w.opening = slices.DeleteFunc(w.opening, func(open string) bool { return open == ref })
	if body == nothing {
		w.drop(true, "$ref")
		body = "value"
	}
	w.define(name, body)
	return name
}

// inside writes what stands within brackets, where a schema may refer to itself.
func (w *writer) inside(write func() string) string {
	opening := w.opening
	w.opening = nil
	defer func() { w.opening = opening }()
	return write()
}

// resolve finds what a reference within the schema refers to.
func (w *writer) resolve(ref string) (json.RawMessage, bool) {
	path, ok := strings.CutPrefix(ref, "#")
	at := w.whole
	for step := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if path == "" {
			break
		}
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		members, err := readMembers(at)
		i := slices.IndexFunc(members, func(m member) bool { return m.name == step })
		if err != nil || i < 0 {
			return nil, false
		}
		at = members[i].value
	}
	return at, ok
}

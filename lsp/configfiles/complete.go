package configfiles

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Completion is something that can be written at a place.
type Completion struct {
	Label   string // a key, or a value as JSON
	Doc     string
	Key     bool
	Replace Span
	Text    string // what takes the place of Replace
}

// Complete lists what can be written at a place of a text: keys that are not there yet, and the values that a key may
// have.
func Complete(s *jsonschema.Schema, text string, at int) []Completion {
	c := completer{text: text, at: at}
	root, comments := parse(text)
	if slices.ContainsFunc(comments, func(s Span) bool { return s.Start < at && at < s.End }) {
		return nil
	}
	return c.in(s, root)
}

type completer struct {
	text string
	at   int
}

func (c completer) in(s *jsonschema.Schema, n *node) []Completion {
	inside := n.span.Start < c.at && (c.at < n.span.End || n.open)
	switch {
	case s == nil:
		return nil
	case n.kind == '{' && inside:
		for i, m := range n.members {
			if m.key.span.holds(c.at) {
				return c.keys(s, n, i)
			}
			if m.colon && m.value.span.holds(c.at) {
				return c.in(property(s, m.key.text), m.value)
			}
		}
		return c.keys(s, n, -1)
	case n.kind == '[' && inside:
		for _, item := range n.items {
			if item.span.holds(c.at) {
				return c.in(s.Items, item)
			}
		}
		return c.values(s.Items, Span{c.at, c.at})
	case n.kind == 0:
		return c.values(s, Span{c.at, c.at})
	case n.kind == '"' || n.kind == 'w':
		return c.values(s, n.span)
	}
	return nil
}

// keys are those that an object may have and has not, in place of the member with this index or beside the others.
func (c completer) keys(s *jsonschema.Schema, object *node, at int) []Completion {
	replace, there, colon := Span{c.at, c.at}, map[string]bool{}, false
	for i, m := range object.members {
		if i == at {
			replace, colon = m.key.span, m.colon
		} else {
			there[m.key.text] = true
		}
	}
	var out []Completion
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if there[name] {
			continue
		}
		declared := s.Properties[name]
		quoted, _ := json.Marshal(name) // a text always marshals
		insert := string(quoted)
		if !colon {
			insert += ": " + initial(declared) + c.comma(replace.End)
		}
		out = append(out, Completion{Label: name, Doc: describe(declared), Key: true, Replace: replace, Text: insert})
	}
	return out
}

// comma is what a new member needs behind it.
func (c completer) comma(end int) string {
	p := parser{text: c.text, at: end}
	if p.space(); p.peek() == '"' {
		return ","
	}
	return ""
}

// values are those that are declared, or of which there are few.
func (c completer) values(s *jsonschema.Schema, replace Span) []Completion {
	if s == nil {
		return nil
	}
	var all []string
	for _, value := range s.Enum {
		if data, err := json.Marshal(value); err == nil {
			all = append(all, string(data))
		}
	}
	switch kind := typeOf(s); {
	case kind == "boolean":
		all = append(all, "false", "true")
	case kind == "object" || kind == "array" || len(all) == 0 && s.Default != nil:
		all = append(all, initial(s))
	}
	space := ""
	if c.at > 0 && c.text[c.at-1] == ':' && replace.Start == c.at {
		space = " "
	}
	var out []Completion
	for _, value := range all {
		if value != "" {
			out = append(out, Completion{Label: value, Doc: describe(s), Replace: replace, Text: space + value})
		}
	}
	return out
}

// property is the schema of a key; nil if it is not declared.
func property(s *jsonschema.Schema, key string) *jsonschema.Schema {
	if declared, ok := s.Properties[key]; ok {
		return declared
	}
	// else it is false: no other key may be there
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not == nil {
		return s.AdditionalProperties
	}
	return nil
}

// initial is the value that a new key gets: its default, or an empty one to write into.
func initial(s *jsonschema.Schema) string {
	if s.Default != nil && string(s.Default) != "null" {
		return string(s.Default)
	}
	switch typeOf(s) {
	case "string":
		return `""`
	case "array":
		return "[]"
	case "object":
		return "{}"
	default:
		return ""
	}
}

// typeOf is the type of a schema, which may also allow null.
func typeOf(s *jsonschema.Schema) string {
	for _, t := range append([]string{s.Type}, s.Types...) {
		if t != "" && t != "null" {
			return t
		}
	}
	return ""
}

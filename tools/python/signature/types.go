package signature

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

const (
	anyType  = "Any"
	noneType = "None"

	maxDepth   = 6  // of types in each other, and of references that lead back to themselves
	maxLiteral = 60 // bytes of an enumeration that is written out
	maxUnion   = 4  // types in one
)

// schema is a tool's parameters.
type schema struct{ root json.RawMessage }

// member is a key of an object, in the order of the text.
type member struct {
	key   string
	value json.RawMessage
}

// membersOf reads an object in its order; nil: it is none. Of a key that is there twice the last value counts.
func membersOf(raw json.RawMessage) []member {
	d := json.NewDecoder(bytes.NewReader(raw))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	var list []member
	for d.More() {
		key, err := d.Token()
		name, isText := key.(string)
		var value json.RawMessage
		if err != nil || !isText || d.Decode(&value) != nil {
			return list
		}
		if i := slices.IndexFunc(list, func(m member) bool { return m.key == name }); i >= 0 {
			list[i].value = value
			continue
		}
		list = append(list, member{name, value})
	}
	return list
}

// in is the value of a key of an object; nil: there is none.
func in(raw json.RawMessage, key string) json.RawMessage {
	for _, m := range membersOf(raw) {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

func (s schema) properties() []member {
	return membersOf(in(s.resolve(s.root), "properties"))
}

func (s schema) requires(name string) bool {
	return slices.Contains(textsOf(in(s.resolve(s.root), "required")), name)
}

// resolve follows local references.
func (s schema) resolve(raw json.RawMessage) json.RawMessage {
	for range maxDepth {
		ref := textsOf(in(raw, "$ref"))
		if len(ref) != 1 || !strings.HasPrefix(ref[0], "#/") {
			return raw
		}
		raw = s.root
		for step := range strings.SplitSeq(ref[0][len("#/"):], "/") {
			raw = in(raw, strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
		}
	}
	return nil
}

// typeOf writes a schema as a type.
func (s schema) typeOf(raw json.RawMessage, depth int) string {
	kinds := s.kinds(raw, depth)
	if i := slices.Index(kinds, noneType); i >= 0 {
		kinds = append(slices.Delete(kinds, i, i+1), noneType)
	}
	if len(kinds) == 0 || len(kinds) > maxUnion {
		return anyType
	}
	return strings.Join(kinds, " | ")
}

// kinds lists the types that a schema allows, each once; nil: any.
func (s schema) kinds(raw json.RawMessage, depth int) []string {
	raw = s.resolve(raw)
	if depth > maxDepth || null(raw) {
		return nil
	}
	if value := in(raw, "const"); value != nil {
		return literal([]json.RawMessage{value})
	}
	if written := literal(listOf(in(raw, "enum"))); written != nil {
		return written
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if choices := listOf(in(raw, key)); len(choices) > 0 {
			return union(choices, func(choice json.RawMessage) []string { return s.kinds(choice, depth+1) })
		}
	}
	for _, part := range listOf(in(raw, "allOf")) {
		if kinds := s.kinds(part, depth+1); kinds != nil {
			return kinds
		}
	}
	return union(textsOf(in(raw, "type")), func(name string) []string { return s.simple(name, raw, depth) })
}

// union joins the types of alternatives; nil if one of them is open.
func union[T any](choices []T, kinds func(T) []string) (all []string) {
	for _, choice := range choices {
		more := kinds(choice)
		if more == nil {
			return nil
		}
		for _, kind := range more {
			if !slices.Contains(all, kind) {
				all = append(all, kind)
			}
		}
	}
	return all
}

func listOf(raw json.RawMessage) (list []json.RawMessage) {
	_ = json.Unmarshal(raw, &list) // what is no list is empty
	return list
}

// simple is the type of Python for one of JSON's.
func (s schema) simple(name string, raw json.RawMessage, depth int) []string {
	switch name {
	case "string":
		return []string{"str"}
	case "integer":
		return []string{"int"}
	case "number":
		return []string{"float"}
	case "boolean":
		return []string{"bool"}
	case "null":
		return []string{noneType}
	case "object":
		return []string{"dict"}
	case "array":
		if item := s.typeOf(in(raw, "items"), depth+1); item != anyType {
			return []string{"list[" + item + "]"}
		}
		return []string{"list"}
	}
	return nil
}

// literal writes values as one type, and None beside it; nil: they are too many, or no plain values.
func literal(list []json.RawMessage) []string {
	var parts, kinds []string
	for _, raw := range list {
		switch {
		case raw[0] == '{', raw[0] == '[':
			return nil
		case string(raw) == "null":
			kinds = []string{noneType}
		case string(raw) == "true":
			parts = append(parts, "True")
		case string(raw) == "false":
			parts = append(parts, "False")
		case raw[0] == '"':
			parts = append(parts, quoted(raw))
		case bytes.ContainsAny(raw, ".eE"):
			return nil // no number with a fraction is a Literal
		default:
			parts = append(parts, string(raw))
		}
	}
	if text := "Literal[" + strings.Join(parts, ", ") + "]"; len(parts) > 0 && len(text) <= maxLiteral {
		return append([]string{text}, kinds...)
	}
	return nil
}

// quoted writes a text of JSON as one of Python, which has the same escapes but for pairs of surrogates.
func quoted(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return `""`
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil {
		return `""`
	}
	return strings.TrimSpace(out.String())
}

func described(raw json.RawMessage) string {
	texts := textsOf(in(raw, "description"))
	if len(texts) == 0 {
		return ""
	}
	return strings.Join(strings.Fields(texts[0]), " ")
}

// textsOf reads a text or a list of texts.
func textsOf(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil && !null(raw) {
		return []string{one}
	}
	var many []string
	_ = json.Unmarshal(raw, &many) // what is no text is left out
	return many
}

// null reports whether a value of JSON is null, or is not there.
func null(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

package gbnf

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// member is one of an object.
type member struct {
	name  string
	value json.RawMessage
}

// readMembers reads an object in the order in which it is written.
func readMembers(raw json.RawMessage) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("no object")
	}
	var members []member
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		name, _ := key.(string) // the decoder takes no other
		members = append(members, member{name, value})
	}
	return members, nil
}

// schema is what of a schema a grammar can say.
type schema struct {
	ref        string
	types      []string
	isEnum     bool
	enum       []json.RawMessage
	any, all   []json.RawMessage
	properties []member
	required   []string
	additional json.RawMessage
	object     bool // a keyword of objects came
	named      bool // its properties came
	items      json.RawMessage
	array      bool // a keyword of arrays came
	minItems   *int
	maxItems   *int
	text       bool // a keyword of strings came
	minLength  *int
	maxLength  *int
	pattern    *string
	minimum    *float64
	above      bool // the minimum does not fit itself
	maximum    *float64
}

// structured reports whether a schema says more of a value than its type.
func (s schema) structured() bool {
	return s.object || s.array || s.text || s.minimum != nil || s.maximum != nil
}

const anything = "" // the type of all values

// kinds are the types of the values that fit. A schema that names none is read as one for what its keywords are about.
func (s schema) kinds() []string {
	switch {
	case len(s.types) > 0:
		return s.types
	case s.object:
		return []string{"object"}
	case s.array:
		return []string{"array"}
	case s.text:
		return []string{"string"}
	case s.minimum != nil, s.maximum != nil:
		return []string{"number"}
	}
	return []string{anything}
}

// read takes the keywords of a schema; those that a grammar cannot say are noted.
func (w *writer) read(raw json.RawMessage) schema {
	var s schema
	members, err := readMembers(raw)
	w.drop(err != nil, "a schema that is no object")
	for _, m := range members {
		if err := w.keyword(&s, m); err != nil {
			w.drop(true, m.name)
		}
	}
	return s
}

// keyword takes one keyword. What is not listed asserts nothing.
func (w *writer) keyword(s *schema, m member) (err error) {
	switch m.name {
	case "type":
		s.types, err = readTypes(m.value)
		return err
	case "const":
		s.isEnum, s.enum = true, []json.RawMessage{m.value}
		return nil
	case "enum":
		s.isEnum = true
	case "anyOf", "oneOf":
		w.drop(m.name == "oneOf" || len(s.any) > 0, "oneOf") // a value may fit several
	case "properties":
		s.object, s.named = true, true
		s.properties, err = readMembers(m.value)
		return err
	case "required", "additionalProperties":
		s.object = true
	case "items", "minItems", "maxItems":
		s.array = true
	case "pattern", "minLength", "maxLength":
		s.text = true
	case "minimum", "exclusiveMinimum":
		w.drop(s.minimum != nil, m.name)
		s.above = m.name == "exclusiveMinimum"
	case "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies", "patternProperties",
		"propertyNames", "unevaluatedProperties", "unevaluatedItems", "uniqueItems", "contains", "minContains",
		"maxContains", "minProperties", "maxProperties", "multipleOf", "exclusiveMaximum", "prefixItems",
		"additionalItems", "$dynamicRef", "$recursiveRef":
		return errors.New("a grammar cannot say it")
	}
	if field, ok := s.fields()[m.name]; ok {
		return json.Unmarshal(m.value, field)
	}
	return nil
}

// fields are those that are read as they are, by keyword.
func (s *schema) fields() map[string]any {
	return map[string]any{
		"$ref": &s.ref, "enum": &s.enum, "anyOf": &s.any, "oneOf": &s.any, "allOf": &s.all,
		"required": &s.required, "additionalProperties": &s.additional,
		"items": &s.items, "minItems": &s.minItems, "maxItems": &s.maxItems,
		"pattern": &s.pattern, "minLength": &s.minLength, "maxLength": &s.maxLength,
		"minimum": &s.minimum, "exclusiveMinimum": &s.minimum, "maximum": &s.maximum,
	}
}

// readTypes reads a type or a list of types.
func readTypes(raw json.RawMessage) ([]string, error) {
	var types []string
	if json.Unmarshal(raw, &types) == nil {
		return types, nil
	}
	var one string
	err := json.Unmarshal(raw, &one)
	return []string{one}, err
}

// isA reports whether a value has a type.
func isA(v json.RawMessage, name string) bool {
	is := map[byte]string{'{': "object", '[': "array", '"': "string", 't': "boolean", 'f': "boolean", 'n': "null"}
	text := compact(v)
	switch kind, ok := is[text[0]]; {
	case ok:
		return kind == name
	case name == "integer":
		return !strings.ContainsAny(text, ".eE")
	}
	return name == "number"
}

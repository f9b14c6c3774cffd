package values

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Schema is the part of a JSON schema that decoding needs. The zero value allows anything.
type Schema struct {
	types      []string // JSON types it allows; empty: any
	Properties map[string]*Schema
	Order      []string // of properties, as written
	Required   []string
	Items      *Schema
	Enum       []json.RawMessage
	Text       string // the description
}

// maxSchemaDepth bounds references that lead back to themselves.
const maxSchemaDepth = 12

// ReadSchema reads a tool's parameters. What it cannot read it leaves open.
func ReadSchema(raw json.RawMessage) *Schema {
	text := bytes.Clone(raw) // the schema points into it
	if members, err := ReadObject(text); err == nil {
		return schemaOf(members, text, 0)
	}
	return &Schema{}
}

func schemaOf(members []Member, root json.RawMessage, depth int) *Schema {
	s := &Schema{}
	if depth > maxSchemaDepth {
		return s
	}
	sub := func(raw json.RawMessage) *Schema {
		inner, err := SplitObject(raw)
		if err != nil {
			return &Schema{}
		}
		return schemaOf(inner, root, depth+1)
	}
	for _, m := range members {
		switch m.Key {
		case "type":
			s.types = append(s.types, stringsOf(m.Value)...)
		case "properties":
			properties, _ := SplitObject(m.Value)
			s.Properties = make(map[string]*Schema, len(properties))
			for _, p := range properties {
				s.Properties[p.Key] = sub(p.Value)
				s.Order = append(s.Order, p.Key)
			}
		case "required":
			s.Required = stringsOf(m.Value)
		case "items":
			s.Items = sub(m.Value)
		case "enum":
			_ = json.Unmarshal(m.Value, &s.Enum)
		case "description":
			s.Text, _ = StringValue(m.Value)
		case "anyOf", "oneOf", "allOf":
			var list []json.RawMessage
			_ = json.Unmarshal(m.Value, &list)
			for _, raw := range list {
				s.merge(sub(raw))
			}
		case "$ref":
			if target := lookUp(root, stringsOf(m.Value)); target != nil {
				s.merge(sub(target))
			}
		}
	}
	return s
}

// merge widens s by an alternative.
func (s *Schema) merge(o *Schema) {
	for _, t := range o.types {
		if !slices.Contains(s.types, t) {
			s.types = append(s.types, t)
		}
	}
	if s.Properties == nil {
		s.Properties, s.Order = o.Properties, o.Order
	}
	if s.Items == nil {
		s.Items = o.Items
	}
	if s.Enum == nil {
		s.Enum = o.Enum
	}
}

// Property gives the schema of one argument; an undeclared one allows anything.
func (s *Schema) Property(name string) (*Schema, bool) {
	p, ok := s.Properties[name]
	if !ok {
		return &Schema{}, false
	}
	return p, true
}

// Allows reports whether kind is one of the types.
func (s *Schema) Allows(kind string) bool { return slices.Contains(s.types, kind) }

// Only reports whether kind is the one type allowed, null aside.
func (s *Schema) Only(kind string) bool {
	return s.Allows(kind) &&
		!slices.ContainsFunc(s.types, func(t string) bool { return t != kind && t != "null" })
}

// Kind is the first type that is not null, or "".
func (s *Schema) Kind() string {
	if i := slices.IndexFunc(s.types, func(t string) bool { return t != "null" }); i >= 0 {
		return s.types[i]
	}
	return ""
}

// stringsOf reads a string or a list of strings.
func stringsOf(raw json.RawMessage) []string {
	if one, ok := StringValue(raw); ok {
		return []string{one}
	}
	if len(raw) == 0 || raw[0] != '[' {
		return nil
	}
	var many []string
	for _, item := range SplitList(raw) {
		if one, ok := StringValue(item); ok {
			many = append(many, one)
		}
	}
	return many
}

// lookUp follows a local reference ("#/$defs/point"); nil if it leads nowhere.
func lookUp(root json.RawMessage, ref []string) json.RawMessage {
	if len(ref) != 1 || !strings.HasPrefix(ref[0], "#/") {
		return nil
	}
	at := root
	for step := range strings.SplitSeq(ref[0][2:], "/") {
		members, err := ReadObject(at)
		if err != nil {
			return nil
		}
		var found bool
		if at, found = Find(members, step); !found {
			return nil
		}
	}
	return at
}

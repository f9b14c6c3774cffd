package toolcall

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// schema is the part of a JSON schema that decoding needs. The zero value allows anything.
type schema struct {
	types      []string // JSON types it allows; empty: any
	properties map[string]*schema
	order      []string // of properties, as written
	required   []string
	items      *schema
	enum       []json.RawMessage
	text       string // the description
}

// maxSchemaDepth bounds references that lead back to themselves.
const maxSchemaDepth = 12

// schemas are those that were read, by their text: the same tools are offered with every request. None is changed any more.
type schemas struct {
	mu   sync.Mutex
	read map[string]*schema // guarded by mu
}

// manySchemas bounds what is kept; then it is read afresh.
const manySchemas = 256

// of is readSchema, once for each text.
func (c *schemas) of(raw json.RawMessage) *schema {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.read[string(raw)]; s != nil {
		return s
	}
	if c.read == nil || len(c.read) == manySchemas {
		c.read = map[string]*schema{}
	}
	s := readSchema(raw)
	c.read[string(raw)] = s
	return s
}

// readSchema reads a tool's parameters. What it cannot read it leaves open.
func readSchema(raw json.RawMessage) *schema {
	text := bytes.Clone(raw) // the schema points into it
	if members, err := readObject(text); err == nil {
		return schemaOf(members, text, 0)
	}
	return &schema{}
}

func schemaOf(members []member, root json.RawMessage, depth int) *schema {
	s := &schema{}
	if depth > maxSchemaDepth {
		return s
	}
	sub := func(raw json.RawMessage) *schema {
		inner, err := splitObject(raw)
		if err != nil {
			return &schema{}
		}
		return schemaOf(inner, root, depth+1)
	}
	for _, m := range members {
		switch m.key {
		case "type":
			s.types = append(s.types, stringsOf(m.value)...)
		case "properties":
			properties, _ := splitObject(m.value)
			s.properties = make(map[string]*schema, len(properties))
			for _, p := range properties {
				s.properties[p.key] = sub(p.value)
				s.order = append(s.order, p.key)
			}
		case "required":
			s.required = stringsOf(m.value)
		case "items":
			s.items = sub(m.value)
		case "enum":
			_ = json.Unmarshal(m.value, &s.enum)
		case "description":
			s.text, _ = stringValue(m.value)
		case "anyOf", "oneOf", "allOf":
			var list []json.RawMessage
			_ = json.Unmarshal(m.value, &list)
			for _, raw := range list {
				s.merge(sub(raw))
			}
		case "$ref":
			if target := lookUp(root, stringsOf(m.value)); target != nil {
				s.merge(sub(target))
			}
		}
	}
	return s
}

// merge widens s by an alternative.
func (s *schema) merge(o *schema) {
	for _, t := range o.types {
		if !slices.Contains(s.types, t) {
			s.types = append(s.types, t)
		}
	}
	if s.properties == nil {
		s.properties, s.order = o.properties, o.order
	}
	if s.items == nil {
		s.items = o.items
	}
	if s.enum == nil {
		s.enum = o.enum
	}
}

// property gives the schema of one argument; an undeclared one allows anything.
func (s *schema) property(name string) (*schema, bool) {
	p, ok := s.properties[name]
	if !ok {
		return &schema{}, false
	}
	return p, true
}

func (s *schema) allows(kind string) bool { return slices.Contains(s.types, kind) }

// only reports whether kind is the one type allowed, null aside.
func (s *schema) only(kind string) bool {
	found := false
	for _, t := range s.types {
		if t == kind {
			found = true
		} else if t != "null" {
			return false
		}
	}
	return found
}

// kind is the first type that is not null, or "".
func (s *schema) kind() string {
	for _, t := range s.types {
		if t != "null" {
			return t
		}
	}
	return ""
}

// stringsOf reads a string or a list of strings.
func stringsOf(raw json.RawMessage) []string {
	if one, ok := stringValue(raw); ok {
		return []string{one}
	}
	if len(raw) == 0 || raw[0] != '[' {
		return nil
	}
	var many []string
	for _, item := range splitList(raw) {
		if one, ok := stringValue(item); ok {
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
		members, err := readObject(at)
		if err != nil {
			return nil
		}
		at = nil
		for _, m := range members {
			if m.key == step {
				at = m.value
			}
		}
		if at == nil {
			return nil
		}
	}
	return at
}

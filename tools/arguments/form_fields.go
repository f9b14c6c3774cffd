package arguments

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/excerpt"
)

// FormField is a field of a form that people fill in line by line.
type FormField struct {
	Name    string
	Says    string   // what can be written there: our words; empty: it is nothing that can be written on a line
	About   string   // what the form's schema says about it, which may be the words of others
	Title   string   // likewise
	Needed  bool     // the form is not whole without it
	Default string   // what is there at first, as a person would write it
	Choices []string // all that can be written there; nil: it is free
}

// FormFields are the fields of a form whose schema has no objects in it, in the order of the schema.
func FormFields(schema json.RawMessage) ([]FormField, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, err
	}
	var fields []FormField
	for _, name := range fieldNames(schema, &s) {
		of := s.Properties[name]
		if of == nil {
			return nil, fmt.Errorf("the field %q says nothing of itself", name)
		}
		f := FormField{
			Name: name, Says: saysOf(of), Title: of.Title, About: cmp.Or(of.Description, of.Title),
			Needed: slices.Contains(s.Required, name), Choices: choicesOf(of),
		}
		var value any
		if json.Unmarshal(of.Default, &value) == nil {
			f.Default = written(value)
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// fieldNames are the names of the fields as the schema orders them.
func fieldNames(schema json.RawMessage, s *jsonschema.Schema) []string {
	var order struct {
		Properties json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(schema, &order) // it was read before
	d := json.NewDecoder(bytes.NewReader(order.Properties))
	var names []string
	_, _ = d.Token()
	for d.More() {
		key, err := d.Token()
		name, _ := key.(string)
		var skipped json.RawMessage
		if err != nil || d.Decode(&skipped) != nil {
			break
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) != len(s.Properties) {
		return slices.Sorted(maps.Keys(s.Properties))
	}
	return names
}

func choicesOf(s *jsonschema.Schema) (all []string) {
	switch {
	case s.Type == "boolean":
		return []string{"true", "false"}
	case s.Type != "string":
		return nil
	}
	for _, value := range s.Enum {
		all = append(all, written(value))
	}
	return append(all, constantsOf(s.OneOf)...)
}

// constantsOf are those of some schemas that allow one value each.
func constantsOf(schemas []*jsonschema.Schema) (all []string) {
	for _, one := range schemas {
		if one != nil && one.Const != nil {
			all = append(all, written(*one.Const))
		}
	}
	return all
}

// maxChoicesNamed is how many choices of a field are named, and maxChoiceShown how long each of them is.
const (
	maxChoicesNamed = 40
	maxChoiceShown  = 100
)

// oneOf names choices, each in quotation marks: others may have written them.
func oneOf(all []string) string {
	var named []string
	for _, choice := range all {
		named = append(named, strconv.Quote(visible.Shorten(choice, maxChoiceShown)))
	}
	return excerpt.Names(named, maxChoicesNamed)
}

// saysOf says what can be written in a field, by its type.
func saysOf(s *jsonschema.Schema) string {
	var said strings.Builder
	switch s.Type {
	case "boolean":
		return "true or false"
	case "array":
		return listOf(s.Items)
	case "string":
		if !onlyTexts(s) {
			return ""
		}
		if all := choicesOf(s); len(all) > 0 {
			return "one of " + oneOf(all)
		}
		said.WriteString("a text")
		if slices.Contains([]string{"email", "uri", "date", "date-time"}, s.Format) {
			said.WriteString(" (" + s.Format + ")")
		}
	case "number":
		said.WriteString("a number")
	case "integer":
		said.WriteString("a whole number")
	default:
		return ""
	}
	return said.String() + bounds(s.Minimum, s.Maximum, "") + bounds(s.MinLength, s.MaxLength, " characters")
}

// bounds says which numbers, or how many of something, there may be.
func bounds[N int | float64](least, most *N, what string) (said string) {
	if least != nil {
		said = fmt.Sprintf(", at least %v%s", *least, what)
	}
	if most != nil {
		said += fmt.Sprintf(", at most %v%s", *most, what)
	}
	return said
}

// listOf says what can be written in a field for several texts.
func listOf(items *jsonschema.Schema) string {
	const said = "several, between commas"
	if items == nil {
		return said
	}
	all := append(choicesOf(items), constantsOf(items.AnyOf)...)
	switch {
	case !onlyTexts(items) || items.Type != "string" && len(items.AnyOf) == 0:
		return ""
	case len(all) > 0:
		return said + ", of " + oneOf(all)
	}
	return said
}

// onlyTexts reports whether all choices are texts.
func onlyTexts(s *jsonschema.Schema) bool {
	for _, value := range s.Enum {
		if _, ok := value.(string); !ok {
			return false
		}
	}
	for _, one := range slices.Concat(s.OneOf, s.AnyOf) {
		if one == nil || one.Const == nil {
			return false
		}
		if _, ok := (*one.Const).(string); !ok {
			return false
		}
	}
	return true
}

// written is a value as a person would write it.
func written(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		if !strings.ContainsAny(v, "\r\n") {
			return v
		}
	case []any:
		var all []string
		for _, element := range v {
			all = append(all, written(element))
		}
		return strings.Join(all, ", ")
	}
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}

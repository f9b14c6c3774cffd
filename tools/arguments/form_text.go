package arguments

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/tools/excerpt"
)

// FormText is a form to fill in, a line for each field.
func FormText(fields []FormField) string {
	var b strings.Builder
	for _, f := range fields {
		b.WriteString(strings.TrimRight(f.Name+": "+f.Default, " ") + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// ReadForm reads a form that a person filled in: as JSON, or a line for each field. A form of one field may be its
// value alone. Fields that are empty are left out.
func ReadForm(schema json.RawMessage, text string) (json.RawMessage, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		if _, err := jsonc.Parse([]byte(text)); err != nil { // no field may occur twice
			return nil, err
		}
		return json.RawMessage(text), CheckForm(schema, json.RawMessage(text))
	}
	fields, err := FormFields(schema)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, err
	}
	values := map[string]any{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		name, value, ok := fieldOf(fields, line)
		switch {
		case !ok && len(fields) == 1 && line == text:
			name, value = fields[0].Name, line
		case !ok:
			return nil, fmt.Errorf(
				"the line %q begins with no field of the form; the fields are %s", excerpt.Cut(line, 100),
				namesOf(fields),
			)
		case values[name] != nil:
			return nil, fmt.Errorf("the field %s is there twice", name)
		}
		if value == "" {
			continue
		}
		if values[name], err = valueOf(s.Properties[name], value); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	form, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	return form, CheckForm(schema, form)
}

func fieldOf(fields []FormField, line string) (name, value string, ok bool) {
	for _, f := range fields {
		if rest, found := strings.CutPrefix(line, f.Name+":"); found {
			return f.Name, strings.TrimSpace(rest), true
		}
	}
	return "", "", false
}

func namesOf(fields []FormField) string {
	var all []string
	for _, f := range fields {
		all = append(all, f.Name)
	}
	return strings.Join(all, ", ")
}

// valueOf reads what a person wrote in a field.
func valueOf(s *jsonschema.Schema, text string) (any, error) {
	switch s.Type {
	case "number", "integer":
		var n json.Number
		if err := json.Unmarshal([]byte(text), &n); err != nil || n == "" { // null is none
			return nil, errors.New("write a number")
		}
		return n, nil
	case "boolean":
		value, known := map[string]bool{"true": true, "yes": true, "false": false, "no": false}[strings.ToLower(text)]
		if !known {
			return nil, errors.New("write true or false")
		}
		return value, nil
	case "array":
		all := []any{}
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				all = append(all, part)
			}
		}
		return all, nil
	}
	var spelled string // as a default of several lines is in the form
	if strings.Contains(text, `\`) && json.Unmarshal([]byte(text), &spelled) == nil {
		return spelled, nil
	}
	return text, nil
}

// Package arguments reads the arguments of a tool call: by the JSON schema of the tool, leniently where a model's
// meaning is plain, and as a form that a person fills in. Its errors are sentences that the model can act on.
package arguments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Error says what is wrong with the arguments of a call, for the model. The dispatcher adds the schema.
type Error struct{ Reason string }

// Error is the reason.
func (e *Error) Error() string { return e.Reason }

func Errorf(format string, args ...any) error {
	return &Error{Reason: fmt.Sprintf(format, args...)}
}

// Input decodes arguments into In after its schema.
type Input[In any] struct {
	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved
	Text     json.RawMessage
}

// NewInput derives the schema. The types are part of the program: an error is a defect in it.
func NewInput[In any]() (Input[In], error) {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		return Input[In]{}, fmt.Errorf("derive a schema: %w", err)
	}
	simplify(schema)
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return Input[In]{}, fmt.Errorf("resolve a schema: %w", err)
	}
	text, err := json.Marshal(schema)
	return Input[In]{schema: schema, resolved: resolved, Text: text}, err
}

// simplify drops what would cost tokens and say nothing to a model: extra keys are ignored, and null is a list left
// out.
func simplify(s *jsonschema.Schema) {
	s.AdditionalProperties = nil
	if slices.Equal(s.Types, []string{"null", "array"}) {
		s.Type, s.Types = "array", nil
	}
	if s.Items != nil {
		simplify(s.Items)
	}
	for _, property := range s.Properties {
		simplify(property)
	}
}

// Decode reads arguments as models write them: a number may be a string, null stands for an optional argument that is
// left out, unknown keys are ignored. Errors are *ArgumentError.
func (in Input[In]) Decode(raw json.RawMessage) (In, error) {
	var out In
	object, err := decodeObject(raw)
	if err != nil {
		return out, err
	}
	known, err := coerceObject("", in.schema, object)
	if err != nil {
		return out, err
	}
	err = in.resolved.Validate(known)
	var text []byte
	if err == nil {
		text, err = json.Marshal(known)
	}
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		return out, Errorf("The arguments do not fit: %v.", err)
	}
	return out, nil
}

// decodeObject reads a JSON object, or a string that holds one. Keys are exact and unique: what is checked and what
// is run must not differ by a second key.
func decodeObject(raw json.RawMessage) (map[string]json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil, nil
	}
	if raw[0] == '"' {
		var inner string
		if err := json.Unmarshal(raw, &inner); err != nil || !strings.HasPrefix(strings.TrimSpace(inner), "{") {
			return nil, Errorf("The arguments must be a JSON object.")
		}
		raw = []byte(inner)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	open, err := d.Token()
	if err != nil || open != json.Delim('{') {
		return nil, Errorf("The arguments must be a JSON object.")
	}
	object := map[string]json.RawMessage{}
	for d.More() {
		token, err := d.Token()
		name, ok := token.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return nil, Errorf("The arguments are not valid JSON.")
		}
		if _, twice := object[name]; twice {
			return nil, Errorf("The argument %q is given twice.", name)
		}
		object[name] = value
	}
	if _, err := d.Token(); err != nil || d.More() {
		return nil, Errorf("The arguments are not valid JSON.")
	}
	return object, nil
}

// coerceObject reads the values of an object as the types that the schema asks for. at is where the object is in the
// arguments, with a full stop at its end, or empty.
func coerceObject(at string, schema *jsonschema.Schema, object map[string]json.RawMessage) (map[string]any, error) {
	known := map[string]any{}
	for _, name := range schema.PropertyOrder {
		value, given := object[name]
		if !given || bytes.Equal(value, []byte("null")) {
			continue
		}
		var err error
		if known[name], err = coerce(at+name, schema.Properties[name], value); err != nil {
			return nil, err
		}
	}
	var missing []string
	for _, name := range schema.Required {
		if _, ok := known[name]; !ok {
			missing = append(missing, strconv.Quote(at+name))
		}
	}
	if len(missing) > 0 {
		return nil, Errorf("The argument %s is missing.", strings.Join(missing, " and "))
	}
	return known, nil
}

// coerceList reads a list, or a string that holds one; a single object stands for a list of one.
func coerceList(name string, items *jsonschema.Schema, raw json.RawMessage) (any, error) {
	var inner string
	if json.Unmarshal(raw, &inner) == nil {
		raw = []byte(strings.TrimSpace(inner))
	}
	var values []json.RawMessage
	if bytes.HasPrefix(raw, []byte("{")) {
		values = []json.RawMessage{raw}
	} else if err := json.Unmarshal(raw, &values); err != nil {
		return nil, Errorf("The argument %q must be a list.", name)
	}
	list := make([]any, len(values))
	for i, value := range values {
		var err error
		if list[i], err = coerce(fmt.Sprintf("%s[%d]", name, i), items, value); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// coerce reads a value as the type that the schema asks for.
func coerce(name string, schema *jsonschema.Schema, raw json.RawMessage) (any, error) {
	switch schema.Type {
	case "array":
		return coerceList(name, schema.Items, raw)
	case "object":
		object, err := decodeObject(raw)
		if wrong, ok := errors.AsType[*Error](err); ok {
			return nil, Errorf("In %q: %s", name, wrong.Reason)
		}
		return coerceObject(name+".", schema, object)
	}
	var value any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, Errorf("The argument %q is not valid JSON.", name)
	}
	switch schema.Type {
	case "boolean":
		switch v := value.(type) {
		case bool:
			return v, nil
		case string:
			switch strings.ToLower(strings.TrimSpace(v)) {
			case "true", "yes", "1":
				return true, nil
			case "false", "no", "0", "":
				return false, nil
			}
		case json.Number:
			if v == "0" || v == "1" {
				return v == "1", nil
			}
		}
		return nil, Errorf("The argument %q must be true or false.", name)
	case "string":
		switch v := value.(type) {
		case string:
			return v, nil
		case json.Number:
			return v.String(), nil
		case bool:
			return strconv.FormatBool(v), nil
		}
		return nil, Errorf("The argument %q must be a string: write lists and objects as text.", name)
	case "integer":
		n, err := integer(value)
		if err != nil {
			return nil, Errorf("The argument %q must be a whole number.", name)
		}
		return n, nil
	}
	return value, nil
}

func integer(value any) (int, error) {
	var text string
	switch v := value.(type) {
	case string:
		text = strings.TrimSpace(v)
	case json.Number:
		text = v.String()
	default:
		return 0, errors.New("not a number")
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<52 {
		return 0, errors.New("not a whole number")
	}
	return int(f), nil
}

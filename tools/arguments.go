package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// ArgumentError says what is wrong with the arguments of a call, for the model. The dispatcher adds the schema.
type ArgumentError struct{ Reason string }

// Error is the reason.
func (e *ArgumentError) Error() string { return e.Reason }

func argumentError(format string, args ...any) error {
	return &ArgumentError{Reason: fmt.Sprintf(format, args...)}
}

// input decodes arguments into In after its schema.
type input[In any] struct {
	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved
	text     json.RawMessage
}

// newInput derives the schema. The types are part of the program: an error is a defect in it.
func newInput[In any]() (input[In], error) {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		return input[In]{}, fmt.Errorf("derive a schema: %w", err)
	}
	schema.AdditionalProperties = nil // extra keys are ignored, and saying so would cost tokens
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return input[In]{}, fmt.Errorf("resolve a schema: %w", err)
	}
	text, err := json.Marshal(schema)
	return input[In]{schema: schema, resolved: resolved, text: text}, err
}

// decode reads arguments as models write them: a number may be a string, null stands for an optional argument that is left
// out, unknown keys are ignored. Errors are *ArgumentError.
func (in input[In]) decode(raw json.RawMessage) (In, error) {
	var out In
	object, err := decodeObject(raw)
	if err != nil {
		return out, err
	}
	known := map[string]any{}
	for _, name := range in.schema.PropertyOrder {
		value, given := object[name]
		if !given || bytes.Equal(value, []byte("null")) {
			continue
		}
		known[name], err = coerce(name, in.schema.Properties[name].Type, value)
		if err != nil {
			return out, err
		}
	}
	var missing []string
	for _, name := range in.schema.Required {
		if _, ok := known[name]; !ok {
			missing = append(missing, strconv.Quote(name))
		}
	}
	if len(missing) > 0 {
		return out, argumentError("The argument %s is missing.", strings.Join(missing, " and "))
	}
	if err := in.resolved.Validate(known); err != nil {
		return out, argumentError("The arguments do not fit: %v.", err)
	}
	text, err := json.Marshal(known)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		return out, argumentError("The arguments do not fit: %v.", err)
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
			return nil, argumentError("The arguments must be a JSON object.")
		}
		raw = []byte(inner)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	open, err := d.Token()
	if err != nil || open != json.Delim('{') {
		return nil, argumentError("The arguments must be a JSON object.")
	}
	object := map[string]json.RawMessage{}
	for d.More() {
		token, err := d.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return nil, argumentError("The arguments are not valid JSON.")
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, argumentError("The arguments are not valid JSON.")
		}
		if _, twice := object[name]; twice {
			return nil, argumentError("The argument %q is given twice.", name)
		}
		object[name] = value
	}
	if _, err := d.Token(); err != nil || d.More() {
		return nil, argumentError("The arguments are not valid JSON.")
	}
	return object, nil
}

// coerce reads a value as the type that the schema asks for.
func coerce(name, kind string, raw json.RawMessage) (any, error) {
	var value any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, argumentError("The argument %q is not valid JSON.", name)
	}
	switch kind {
	case "string":
		switch v := value.(type) {
		case string:
			return v, nil
		case json.Number:
			return v.String(), nil
		case bool:
			return strconv.FormatBool(v), nil
		}
		return nil, argumentError("The argument %q must be a string: write lists and objects as text.", name)
	case "integer":
		n, err := integer(value)
		if err != nil {
			return nil, argumentError("The argument %q must be a whole number.", name)
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

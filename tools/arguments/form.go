package arguments

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assent-ls/assent/tools/excerpt"
)

// CheckForm says what is wrong with a form that a person filled in, by the JSON schema that it was to follow.
func CheckForm(schema, form json.RawMessage) error {
	resolved, err := ResolveSchema("the schema of the form", schema)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(form, &value); err != nil {
		return fmt.Errorf("the form is not valid JSON: %w", err)
	}
	if err := resolved.Validate(value); err != nil {
		return fmt.Errorf("the form was not filled in as its schema says: %w", err)
	}
	return nil
}

// CheckSchema says what is wrong with the JSON schema of the parameters of a tool.
func CheckSchema(schema json.RawMessage) error {
	if len(schema) > excerpt.MaxBytes {
		return fmt.Errorf("the schema has more than %d bytes", excerpt.MaxBytes)
	}
	_, err := ReadParameters(schema)
	return err
}

// CheckArguments says to the model what is wrong with the arguments of a call, by the JSON schema of the parameters.
func CheckArguments(schema, arguments json.RawMessage) error {
	resolved, err := ResolveSchema("the schema", schema)
	if err != nil {
		return err
	}
	_, err = Parameters{Resolved: resolved}.Check(arguments)
	return err
}

// Parameters are the parameters of a tool by their JSON schema, made ready to check many calls.
type Parameters struct {
	Schema   json.RawMessage
	Resolved *jsonschema.Resolved
}

// ReadParameters reads a schema, which must be one of an object and refer to nothing.
func ReadParameters(schema json.RawMessage) (Parameters, error) {
	resolved, err := ResolveSchema("the schema", schema)
	if err != nil {
		return Parameters{}, err
	}
	if s := resolved.Schema(); s.Type != "object" {
		return Parameters{}, errors.New(`the schema must have "type": "object"`)
	}
	return Parameters{schema, resolved}, nil
}

// Check says to the model what is wrong with the arguments of a call, and gives them as one JSON object.
func (p Parameters) Check(arguments json.RawMessage) (json.RawMessage, error) {
	object, err := decodeObject(arguments)
	if err != nil {
		return nil, err
	}
	value := map[string]any{}
	for key, raw := range object {
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, Errorf("the argument %s is not valid JSON: %v.", excerpt.Cut(key, 100), err)
		}
		value[key] = v
	}
	if err := p.Resolved.Validate(value); err != nil {
		return nil, Errorf("the arguments do not fit the schema: %v.", err)
	}
	if object == nil {
		object = map[string]json.RawMessage{}
	}
	return json.Marshal(object)
}

// ResolveSchema prepares a schema, which what names in errors.
func ResolveSchema(what string, schema json.RawMessage) (*jsonschema.Resolved, error) {
	var s jsonschema.Schema
	var value any
	if json.Unmarshal(schema, &value) == nil && refers(value) {
		return nil, errors.New(what + " cannot be used: it must say all itself, without $ref")
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", what, err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be used: %w", what, err)
	}
	return resolved, nil
}

// refers reports whether a schema has references. One that leads back to itself would never be done, and end the
// program.
func refers(schema any) bool {
	switch s := schema.(type) {
	case map[string]any:
		for key, value := range s {
			if key == "$ref" || key == "$dynamicRef" || refers(value) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(s, refers)
	}
	return false
}

package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// CheckForm says what is wrong with a form that a person filled in, by the JSON schema that it was to follow.
func CheckForm(schema, form json.RawMessage) error {
	resolved, err := resolveForm(schema)
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

func resolveForm(schema json.RawMessage) (*jsonschema.Resolved, error) {
	var s jsonschema.Schema
	var value any
	if json.Unmarshal(schema, &value) == nil && refers(value) {
		return nil, errors.New("the schema of the form cannot be used: it must say all itself, without $ref")
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, fmt.Errorf("the schema of the form cannot be read: %w", err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("the schema of the form cannot be used: %w", err)
	}
	return resolved, nil
}

// refers reports whether a schema has references. One that leads back to itself would never be done, and end the program.
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

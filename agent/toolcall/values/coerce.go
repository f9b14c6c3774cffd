package values

import (
	"encoding/json"
	"strings"
)

// CoerceText turns the raw text of a tagged value into JSON by the schema of its argument: of several types it takes
// the first that fits, in the order null, boolean, integer, number, array, object, string. What fits none stays a
// string, and so does a number that is not spelt as JSON would, where a string is allowed.
func CoerceText(text string, s *Schema) json.RawMessage {
	word := strings.TrimSpace(text)
	if len(s.types) == 0 {
		if validJSON(word) {
			return Compact([]byte(word))
		}
		return Quote(text)
	}
	if strings.EqualFold(word, "null") && (s.Allows("null") || !s.Allows("string")) {
		return json.RawMessage("null")
	}
	value, ok := firstFit(word, s)
	if ok && (!s.Allows("string") || !IsNumber(value) || string(value) == word) {
		return value
	}
	return Quote(text)
}

// firstFit reads a word as the first type but string that a schema allows and that fits.
func firstFit(word string, s *Schema) (json.RawMessage, bool) {
	for _, kind := range []string{"boolean", "integer", "number", "array", "object"} {
		if s.Allows(kind) {
			if value, ok := textAs(word, kind); ok {
				return value, true
			}
		}
	}
	return nil, false
}

// textAs reads a word as one JSON type.
func textAs(word, kind string) (json.RawMessage, bool) {
	switch kind {
	case "boolean":
		switch lower := strings.ToLower(word); lower {
		case "true", "false":
			return json.RawMessage(lower), true
		}
	case "integer":
		return integerOf(word)
	case "number":
		if whole, ok := integerOf(word); ok {
			return whole, true
		}
		return numberOf(word)
	case "array":
		return containerOf(word, '[')
	case "object":
		return containerOf(word, '{')
	}
	return nil, false
}

func containerOf(word string, open byte) (json.RawMessage, bool) {
	if word == "" || word[0] != open {
		return nil, false
	}
	if validJSON(word) {
		return Compact([]byte(word)), true
	}
	value, ok := PythonToJSON(word, false)
	return value, ok
}

// CoerceValue fits a JSON value to the schema of its argument where that loses nothing: numbers and truth values
// written as strings, objects and lists written as strings, scalars where a string is wanted, and echoes of the schema.
func CoerceValue(value json.RawMessage, s *Schema) json.RawMessage {
	if len(s.types) == 0 || len(value) == 0 {
		return value
	}
	switch value[0] {
	case '"':
		return coerceString(value, s)
	case '{':
		if !s.Allows("object") {
			return unwrapEcho(value, s)
		}
	case '[', 'n':
	default:
		if s.Only("string") {
			return Quote(string(value))
		}
		if s.Only("integer") {
			if whole, ok := integerOf(string(value)); ok {
				return whole
			}
		}
	}
	return value
}

func coerceString(value json.RawMessage, s *Schema) json.RawMessage {
	if s.Allows("string") {
		return value
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		return value
	}
	if read, ok := firstFit(strings.TrimSpace(text), s); ok {
		return read
	}
	return value
}

// unwrapEcho takes the value out of {"type": ..., "value": X}, which small models write for X.
func unwrapEcho(value json.RawMessage, s *Schema) json.RawMessage {
	members, err := ReadObject(value)
	if err != nil {
		return value
	}
	inner, found := Find(members, "value")
	if _, typed := Find(members, "type"); !found || !typed || len(members) != 2 {
		return value
	}
	return CoerceValue(inner, s)
}

package toolcall

import (
	"encoding/json"
	"strings"
)

// coerceText turns the raw text of a tagged value into JSON by the schema of its argument: of several types it takes the
// first that fits, in the order null, boolean, integer, number, array, object, string. What fits none stays a string, and so
// does a number that is not spelt as JSON would, where a string is allowed.
func coerceText(text string, s *schema) json.RawMessage {
	word := strings.TrimSpace(text)
	if len(s.types) == 0 {
		if validJSON(word) {
			return compact([]byte(word))
		}
		return quote(text)
	}
	if strings.EqualFold(word, "null") && (s.allows("null") || !s.allows("string")) {
		return json.RawMessage("null")
	}
	for _, kind := range []string{"boolean", "integer", "number", "array", "object"} {
		if !s.allows(kind) {
			continue
		}
		if value, ok := textAs(word, kind); ok && (!s.allows("string") || !isNumber(value) || string(value) == word) {
			return value
		}
	}
	return quote(text)
}

func isNumber(value json.RawMessage) bool {
	return value[0] == '-' || value[0] >= '0' && value[0] <= '9'
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

// integerOf reads a whole number; "5.0" is one.
func integerOf(word string) (json.RawMessage, bool) {
	number, ok := numberOf(word)
	if !ok {
		return nil, false
	}
	whole, fraction, _ := strings.Cut(string(number), ".")
	if strings.Trim(fraction, "0") != "" || strings.ContainsAny(string(number), "eE") {
		return nil, false
	}
	return json.RawMessage(whole), true
}

func containerOf(word string, open byte) (json.RawMessage, bool) {
	if word == "" || word[0] != open {
		return nil, false
	}
	if validJSON(word) {
		return compact([]byte(word)), true
	}
	value, ok := pythonToJSON(word, false)
	return value, ok
}

// coerceValue fits a JSON value to the schema of its argument where that loses nothing: numbers and truth values written
// as strings, objects and lists written as strings, scalars where a string is wanted, and echoes of the schema.
func coerceValue(value json.RawMessage, s *schema) json.RawMessage {
	if len(s.types) == 0 || len(value) == 0 {
		return value
	}
	switch value[0] {
	case '"':
		return coerceString(value, s)
	case '{':
		if !s.allows("object") {
			return unwrapEcho(value, s)
		}
	case '[', 'n':
	default:
		if s.only("string") {
			return quote(string(value))
		}
		if s.only("integer") {
			if whole, ok := integerOf(string(value)); ok {
				return whole
			}
		}
	}
	return value
}

func coerceString(value json.RawMessage, s *schema) json.RawMessage {
	if s.allows("string") {
		return value
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		return value
	}
	for _, kind := range []string{"boolean", "integer", "number", "array", "object"} {
		if !s.allows(kind) {
			continue
		}
		if read, ok := textAs(strings.TrimSpace(text), kind); ok {
			return read
		}
	}
	return value
}

// unwrapEcho takes the value out of {"type": ..., "value": X}, which small models write for X.
func unwrapEcho(value json.RawMessage, s *schema) json.RawMessage {
	members, err := readObject(value)
	if err != nil {
		return value
	}
	inner, found := find(members, "value")
	if _, typed := find(members, "type"); !found || !typed || len(members) != 2 {
		return value
	}
	return coerceValue(inner, s)
}

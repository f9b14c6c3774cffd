package values

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Quote writes a JSON string. It leaves <, > and & as they are, since models read it.
func Quote(text string) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string always encodes
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// StringValue reads a JSON string.
func StringValue(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	if len(raw) > 1 && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1]), true
	}
	var text string
	err := json.Unmarshal(raw, &text)
	return text, err == nil
}

// Spaced writes JSON with a blank after each comma and colon.
func Spaced(raw []byte) string {
	var out strings.Builder
	var s Scan
	for _, b := range Compact(raw) {
		s.Next(b)
		out.WriteByte(b)
		if !s.InString() && (b == ',' || b == ':') {
			out.WriteByte(' ')
		}
	}
	if out.Len() == 0 {
		return "{}"
	}
	return out.String()
}

// List writes a JSON list.
func List(values []json.RawMessage) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = string(v)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Strings writes a JSON list of strings.
func Strings(values []string) string {
	parts := make([]json.RawMessage, len(values))
	for i, v := range values {
		parts[i] = Quote(v)
	}
	return List(parts)
}

// PythonValue writes JSON as a Python literal.
func PythonValue(raw json.RawMessage) string {
	var out strings.Builder
	var s Scan
	for rest := Spaced(raw); rest != ""; {
		if !s.InString() {
			word, with := "", ""
			switch {
			case strings.HasPrefix(rest, "true"):
				word, with = "true", "True"
			case strings.HasPrefix(rest, "false"):
				word, with = "false", "False"
			case strings.HasPrefix(rest, "null"):
				word, with = "null", "None"
			}
			if word != "" {
				out.WriteString(with)
				rest = rest[len(word):]
				continue
			}
		}
		s.Next(rest[0])
		out.WriteByte(rest[0])
		rest = rest[1:]
	}
	return out.String()
}

// TypeOf is the JSON schema type of a value.
func TypeOf(raw []byte) string {
	switch raw[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	if strings.ContainsAny(string(raw), ".eE") {
		return "number"
	}
	return "integer"
}

// Compact removes whitespace between the tokens of valid JSON; anything else stays as it is.
func Compact(raw []byte) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

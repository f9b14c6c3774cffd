// Package jsonc reads JSON with comments as a person wrote it, with places, and strictly: no duplicate keys, no depth
// and no size that a person would not write.
package jsonc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// Limits of a file that a person writes.
const (
	MaxSize  = 1 << 20 // bytes
	maxDepth = 64
)

// Error is what is wrong with a text, and where.
type Error struct {
	Offset, Length int    // in bytes
	Reason         string // no capital letter, no full stop
}

// Error implements error.
func (e *Error) Error() string { return e.Reason }

// Range is a part of a text.
type Range struct{ Offset, Length int } // in bytes

// Wrong is what is wrong there: a sentence without its end.
func (r Range) Wrong(format string, args ...any) *Error {
	return &Error{Offset: r.Offset, Length: r.Length, Reason: fmt.Sprintf(format, args...)}
}

// end is where what follows begins.
func (r Range) end() int { return r.Offset + r.Length }

// Value is a value and its place.
type Value struct {
	Range

	Members  []Member // of an object
	Elements []Value  // of an array
	Kind     Kind
	Raw      json.RawMessage // the value as plain JSON
}

// Place says where in a text an offset is, for a person: "line 3, column 7", counted in characters from 1.
func Place(data []byte, offset int) string {
	before := data[:min(offset, len(data))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return fmt.Sprintf("line %d, column %d", 1+bytes.Count(before, []byte("\n")), 1+utf8.RuneCount(before[start:]))
}

// Kind is the kind of a value.
type Kind string

// The kinds.
const (
	Object Kind = "object"
	Array  Kind = "list"
	String Kind = "text"
	Other  Kind = "value"
)

// Member is a key with its value.
type Member struct {
	Range // of the key

	Key   string
	Value Value
}

// Decode reads the value as [json.Unmarshal] does. What is of a wrong type is told at its key, if the value has one.
func (m Member) Decode(into any) *Error {
	err := json.Unmarshal(m.Value.Raw, into)
	if err == nil {
		return nil
	}
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return m.Wrong("%v", err)
	}
	where := m.Range
	field, _, _ := strings.Cut(wrong.Field, ".")
	if key, ok := m.Value.Member(field); ok {
		where = key.Range
	}
	return where.Wrong("%s must not be a JSON %s", wrong.Field, wrong.Value)
}

// Member is the member of an object that has a key; false: there is none.
func (v Value) Member(key string) (Member, bool) {
	at := slices.IndexFunc(v.Members, func(m Member) bool { return m.Key == key })
	if at < 0 {
		return Member{}, false
	}
	return v.Members[at], true
}

// Text is the text of a string, empty for other kinds.
func (v Value) Text() string {
	var text string
	if v.Kind != String || json.Unmarshal(v.Raw, &text) != nil {
		return ""
	}
	return text
}

// Parse reads a text. The error is an *Error.
func Parse(data []byte) (Value, error) {
	if len(data) > MaxSize {
		return Value{}, Range{}.Wrong("the file is larger than %d bytes", MaxSize)
	}
	if !utf8.Valid(data) {
		return Value{}, Range{}.Wrong("this is not JSON: it is not UTF-8")
	}
	if at := tooDeep(data); at >= 0 {
		return Value{}, Range{at, 1}.Wrong("more than %d lists and objects lie in each other here", maxDepth)
	}
	parsed, err := hujson.Parse(data)
	if err != nil {
		at, words := place(data, err.Error())
		return Value{}, Range{at, min(1, len(data)-at)}.Wrong("this is not JSON: %s", words)
	}
	return convert(parsed)
}

// ParseObject is Parse for a text that must be an object, such as the example.
func ParseObject(data []byte, example string) (Value, error) {
	root, err := Parse(data)
	if err == nil && root.Kind != Object {
		err = root.Wrong("it holds no object such as %s", example)
	}
	return root, err
}

// objectOf is the object that a text is; an empty text is one without members.
func objectOf(data []byte) (root Value, err error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return root, nil
	}
	root, err = Parse(data)
	if err == nil && root.Kind != Object {
		err = root.Wrong("this is not a JSON object")
	}
	return root, err
}

// tooDeep finds the bracket that lies too deep, before a parser that calls itself for each; -1: none.
func tooDeep(data []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && bytes.HasPrefix(data[i:], []byte("//")):
			i = after(data, i, "\n")
		case !quoted && bytes.HasPrefix(data[i:], []byte("/*")):
			i = after(data, i+2, "*/")
		case !quoted && (c == '{' || c == '['):
			if depth++; depth > maxDepth {
				return i
			}
		case !quoted && (c == '}' || c == ']'):
			depth--
		}
	}
	return -1
}

// after is the last byte of what ends a comment.
func after(data []byte, from int, end string) int {
	if at := bytes.Index(data[from:], []byte(end)); at >= 0 {
		return from + at + len(end) - 1
	}
	return len(data)
}

// place takes a parser's message apart into the place, which it names by line and column, and its other words.
func place(data []byte, message string) (at int, words string) {
	var line, column int
	if _, err := fmt.Sscanf(message, "hujson: line %d, column %d:", &line, &column); err != nil {
		return 0, message
	}
	words = message[len(fmt.Sprintf("hujson: line %d, column %d: ", line, column)):]
	for ; line > 1 && at < len(data); at++ {
		if data[at] == '\n' {
			line--
		}
	}
	return min(at+column-1, len(data)), words
}

func rangeOf(v hujson.Value) Range { return Range{v.StartOffset, v.EndOffset - v.StartOffset} }

// convert refuses a key that an object has twice: readers differ in which of them counts.
func convert(v hujson.Value) (Value, error) {
	out := Value{Range: rangeOf(v), Kind: Other}
	switch inner := v.Value.(type) {
	case *hujson.Object:
		out.Kind = Object
		seen := map[string]bool{}
		for _, m := range inner.Members {
			key := m.Name.Value.(hujson.Literal).String()
			member := Member{Key: key, Range: rangeOf(m.Name)}
			if seen[key] {
				return Value{}, member.Wrong("the key %q stands here twice", key)
			}
			seen[key] = true
			var err error
			if member.Value, err = convert(m.Value); err != nil {
				return Value{}, err
			}
			out.Members = append(out.Members, member)
		}
	case *hujson.Array:
		out.Kind = Array
		for _, e := range inner.Elements {
			element, err := convert(e)
			if err != nil {
				return Value{}, err
			}
			out.Elements = append(out.Elements, element)
		}
	case hujson.Literal:
		if inner.Kind() == '"' {
			out.Kind = String
		}
	}
	plain := v.Clone()
	plain.BeforeExtra, plain.AfterExtra = nil, nil
	plain.Minimize()
	out.Raw = plain.Pack()
	return out, nil
}

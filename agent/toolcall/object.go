package toolcall

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf8"
)

// member is one key of a JSON object, in its place; its value is verbatim. Without a value it is the string text, which is
// quoted where the object is written: long ones are not copied before.
type member struct {
	key   string
	value json.RawMessage
	text  string
}

// json is the member's value.
func (m member) json() json.RawMessage {
	if m.value == nil {
		return quote(m.text)
	}
	return m.value
}

// members are collected in the order in which their keys come first.
type members struct {
	list   []member
	places map[string]int // only when there are many
}

// manyMembers is from where on keys are found by a map.
const manyMembers = 32

// set adds a member; a key that is there already gets the new value.
func (m *members) set(with member) {
	if place := m.place(with.key); place >= 0 {
		m.list[place] = with
		return
	}
	m.list = append(m.list, with)
	switch {
	case m.places != nil:
		m.places[with.key] = len(m.list) - 1
	case len(m.list) == manyMembers:
		m.places = make(map[string]int, 2*manyMembers)
		for i, have := range m.list {
			m.places[have.key] = i
		}
	}
}

// place is where a key stands, or -1.
func (m *members) place(key string) int {
	if m.places != nil {
		if place, found := m.places[key]; found {
			return place
		}
		return -1
	}
	return slices.IndexFunc(m.list, func(have member) bool { return have.key == key })
}

var (
	errNotObject = errors.New("not a JSON object")
	errNotJSON   = errors.New("not JSON")
)

// readObject reads a JSON object and keeps the order of its keys. Of a key that is repeated the last value counts, in the
// first one's place.
func readObject(raw []byte) ([]member, error) {
	members, end, err := membersOf(raw, validValue)
	if err == nil && skipBlanks(raw, end) != len(raw) {
		return nil, errNotJSON
	}
	return members, err
}

// splitObject is readObject for JSON that is known to be valid: it looks at the outermost level only.
func splitObject(raw []byte) ([]member, error) {
	members, _, err := membersOf(raw, func(raw []byte, at, _ int) int { return valueEnd(raw, at) })
	return members, err
}

// readCall is readObject for what may be a call, and gives the object's end. If exactly one of its values is an object, it
// is read too: that spares reading the arguments twice.
func readCall(raw []byte) (members, inner []member, end int, err error) {
	objects := 0
	members, end, err = membersOf(raw, func(raw []byte, at, depth int) int {
		if at >= len(raw) || raw[at] != '{' {
			return validValue(raw, at, depth)
		}
		read, length, err := membersOf(raw[at:], validValue)
		if err != nil {
			return -1
		}
		objects++
		inner = orNone(read)
		return at + length
	})
	if objects != 1 {
		inner = nil
	}
	return members, inner, end, err
}

// membersOf reads an object, and finds its end; endOf gives the end of the value at a place, or -1.
func membersOf(raw []byte, endOf func(raw []byte, at, depth int) int) (list []member, end int, err error) {
	at := skipBlanks(raw, 0)
	if at == len(raw) || raw[at] != '{' {
		return nil, 0, errNotObject
	}
	if at = skipBlanks(raw, at+1); at < len(raw) && raw[at] == '}' {
		return nil, at + 1, nil
	}
	members := members{list: make([]member, 0, 4)}
	for {
		end = endOf(raw, at, 1)
		if end < 0 {
			return nil, 0, errNotJSON
		}
		key, ok := stringValue(raw[at:end])
		if at = skipBlanks(raw, end); !ok || at >= len(raw) || raw[at] != ':' {
			return nil, 0, errNotJSON
		}
		at = skipBlanks(raw, at+1)
		if end = endOf(raw, at, 1); end < 0 {
			return nil, 0, errNotJSON
		}
		value := json.RawMessage(raw[at:end:end])
		members.set(member{key: key, value: value})
		at = skipBlanks(raw, end)
		if at < len(raw) && raw[at] == '}' {
			return members.list, at + 1, nil
		}
		if at >= len(raw) || raw[at] != ',' {
			return nil, 0, errNotJSON
		}
		at = skipBlanks(raw, at+1)
	}
}

// splitList gives the values of a JSON list that is known to be valid.
func splitList(raw []byte) []json.RawMessage {
	var values []json.RawMessage
	for at := skipBlanks(raw, skipBlanks(raw, 0)+1); at < len(raw) && raw[at] != ']'; {
		end := valueEnd(raw, at)
		values = append(values, raw[at:end:end])
		if at = skipBlanks(raw, end); at < len(raw) && raw[at] == ',' {
			at = skipBlanks(raw, at+1)
		}
	}
	return values
}

// valueEnd is where the JSON value ends that begins at a place.
func valueEnd(raw []byte, at int) int {
	depth := 0
	for at < len(raw) {
		switch raw[at] {
		case '"':
			at = stringEnd(raw, at)
			if depth == 0 {
				return at
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return at + depth + 1 // a closer of the object around it is not part of a number
			}
		case ',', ' ', '\n', '\t', '\r', ':':
			if depth == 0 {
				return at
			}
		}
		at++
	}
	return at
}

// stringEnd is where the JSON string ends that begins at a place.
func stringEnd(raw []byte, at int) int {
	end, _ := skip(raw, at+1, inString)
	return min(end+1, len(raw))
}

// writeObject is readObject's inverse, without blanks.
func writeObject(members []member) json.RawMessage {
	size := 2
	for _, m := range members {
		size += len(m.key) + len(m.value) + len(m.text) + len(m.text)/8 + len(`"":,""`)
	}
	out := append(make([]byte, 0, size), '{')
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendQuoted(out, m.key)
		if out = append(out, ':'); m.value == nil {
			out = appendQuoted(out, m.text)
			continue
		}
		out = append(out, m.value...)
	}
	return append(out, '}')
}

// quote writes a JSON string; see appendQuoted.
func quote(text string) []byte { return appendQuoted(make([]byte, 0, len(text)+len(text)/8+2), text) }

// compact removes blanks between the tokens of valid JSON; anything else stays as it is.
func compact(raw []byte) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// orNone keeps an empty list apart from one that was not read.
func orNone(members []member) []member {
	if members == nil {
		return []member{}
	}
	return members
}

func find(members []member, key string) (json.RawMessage, bool) {
	for _, m := range members {
		if m.key == key {
			return m.value, true
		}
	}
	return nil, false
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

// stringValue reads a JSON string.
func stringValue(raw []byte) (string, bool) {
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

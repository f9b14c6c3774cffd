package values

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// Member is one key of a JSON object, in its place; its value is verbatim. Without a value it is the string text, which
// is quoted where the object is written: long ones are not copied before.
type Member struct {
	Key   string
	Value json.RawMessage
	Text  string
}

// JSON is the member's value.
func (m Member) JSON() json.RawMessage {
	if m.Value == nil {
		return Quote(m.Text)
	}
	return m.Value
}

// Members are collected in the order in which their keys come first.
type Members struct {
	List   []Member
	places map[string]int // only when there are many
}

// manyMembers is from where on keys are found by a map.
const manyMembers = 32

// Set adds a member; a key that is there already gets the new value.
func (m *Members) Set(with Member) {
	if place := m.place(with.Key); place >= 0 {
		m.List[place] = with
		return
	}
	m.List = append(m.List, with)
	switch {
	case m.places != nil:
		m.places[with.Key] = len(m.List) - 1
	case len(m.List) == manyMembers:
		m.places = make(map[string]int, 2*manyMembers)
		for i, have := range m.List {
			m.places[have.Key] = i
		}
	}
}

// place is where a key is, or -1.
func (m *Members) place(key string) int {
	if m.places == nil {
		return placeOf(m.List, key)
	}
	if place, found := m.places[key]; found {
		return place
	}
	return -1
}

func placeOf(members []Member, key string) int {
	return slices.IndexFunc(members, func(m Member) bool { return m.Key == key })
}

var (
	// ErrNotObject says that JSON is not an object.
	ErrNotObject = errors.New("not a JSON object")
	errNotJSON   = errors.New("not JSON")
)

// ReadObject reads a JSON object and keeps the order of its keys. Of a key that is repeated the last value counts, in
// the first one's place.
func ReadObject(raw []byte) ([]Member, error) {
	members, end, err := MembersOf(raw, ValidValue)
	if err == nil && scan.SkipSpace(raw, end) != len(raw) {
		return nil, errNotJSON
	}
	return members, err
}

// SplitObject is ReadObject for JSON that is known to be valid: it looks at the outermost level only.
func SplitObject(raw []byte) ([]Member, error) {
	members, _, err := MembersOf(raw, func(raw []byte, at, _ int) int { return valueEnd(raw, at) })
	return members, err
}

// MembersOf reads an object, and finds its end; endOf gives the end of the value at a place, or -1.
func MembersOf(raw []byte, endOf func(raw []byte, at, depth int) int) (list []Member, end int, err error) {
	at := scan.SkipSpace(raw, 0)
	if at == len(raw) || raw[at] != '{' {
		return nil, 0, ErrNotObject
	}
	if at = scan.SkipSpace(raw, at+1); at < len(raw) && raw[at] == '}' {
		return nil, at + 1, nil
	}
	members := Members{List: make([]Member, 0, 4)}
	for {
		end = endOf(raw, at, 1)
		if end < 0 {
			return nil, 0, errNotJSON
		}
		key, ok := StringValue(raw[at:end])
		if at = scan.SkipSpace(raw, end); !ok || at >= len(raw) || raw[at] != ':' {
			return nil, 0, errNotJSON
		}
		at = scan.SkipSpace(raw, at+1)
		if end = endOf(raw, at, 1); end < 0 {
			return nil, 0, errNotJSON
		}
		value := json.RawMessage(raw[at:end:end])
		members.Set(Member{Key: key, Value: value})
		at = scan.SkipSpace(raw, end)
		if at < len(raw) && raw[at] == '}' {
			return members.List, at + 1, nil
		}
		if at >= len(raw) || raw[at] != ',' {
			return nil, 0, errNotJSON
		}
		at = scan.SkipSpace(raw, at+1)
	}
}

// SplitList gives the values of a JSON list that is known to be valid.
func SplitList(raw []byte) []json.RawMessage {
	var values []json.RawMessage
	for at := scan.SkipSpace(raw, scan.SkipSpace(raw, 0)+1); at < len(raw) && raw[at] != ']'; {
		end := valueEnd(raw, at)
		values = append(values, raw[at:end:end])
		if at = scan.SkipSpace(raw, end); at < len(raw) && raw[at] == ',' {
			at = scan.SkipSpace(raw, at+1)
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
	end, _ := scan.Skip(raw, at+1, stringStops)
	return min(end+1, len(raw))
}

// WriteObject is ReadObject's inverse, without whitespace.
func WriteObject(members []Member) json.RawMessage {
	size := 2
	for _, m := range members {
		size += len(m.Key) + len(m.Value) + len(m.Text) + len(m.Text)/8 + len(`"":,""`)
	}
	out := append(make([]byte, 0, size), '{')
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, Quote(m.Key)...), ':')
		out = append(out, m.JSON()...)
	}
	return append(out, '}')
}

// NonNil keeps an empty list apart from one that was not read.
func NonNil(members []Member) []Member {
	if members == nil {
		return []Member{}
	}
	return members
}

// Find gives the value of a key.
func Find(members []Member, key string) (json.RawMessage, bool) {
	if i := placeOf(members, key); i >= 0 {
		return members[i].Value, true
	}
	return nil, false
}

// OrNull is raw, or null if there is none.
func OrNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

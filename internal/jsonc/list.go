package jsonc

import (
	"bytes"
	"encoding/json"
	"slices"
)

// SetInList adds a text to the list that a key of an object has, or takes it out. All else stays as it is, comments
// too; what is in the list, or not in it, already changes nothing. A missing list, or null, becomes one for a text that
// is added.
func SetInList(data []byte, key, text string, in bool) ([]byte, error) {
	list, found, err := listOf(data, key)
	switch {
	case err != nil:
		return nil, err
	case !found && in:
		return Set(data, key, []string{text})
	case !found:
		return data, nil
	}
	at := slices.IndexFunc(list.Elements, func(v Value) bool { return v.Kind == String && v.Text() == text })
	switch {
	case in == (at >= 0):
		return data, nil
	case in:
		return addTo(data, list, text)
	default:
		return takeOut(data, list, at), nil
	}
}

// listOf finds the list that a key has; found is false if there is no such key.
func listOf(data []byte, key string) (list Value, found bool, err error) {
	root, err := objectOf(data)
	m, found := root.Member(key)
	switch {
	case err != nil, !found, string(m.Value.Raw) == "null":
		return Value{}, false, err
	case m.Value.Kind != Array:
		return Value{}, false, m.Value.Wrong("%q is no list", key)
	}
	return m.Value, true, nil
}

func addTo(data []byte, list Value, text string) ([]byte, error) {
	written, err := json.Marshal(text)
	if err != nil {
		return nil, err
	}
	at := list.Offset + 1
	if n := len(list.Elements); n > 0 {
		at, written = list.Elements[n-1].end(), append([]byte(", "), written...)
	}
	return slices.Concat(data[:at], written, data[at:]), nil
}

// takeOut takes an element out of a list, and one of the commas beside it.
func takeOut(data []byte, list Value, i int) []byte {
	from, to := list.Elements[i].Offset, list.Elements[i].end()
	if i+1 < len(list.Elements) {
		to = list.Elements[i+1].Offset
	} else if i > 0 {
		before := list.Elements[i-1].end()
		if len(bytes.Trim(data[before:from], ", \t\r\n")) == 0 { // else a comment is there, which may stay
			from = before
		}
	}
	return slices.Concat(data[:from], data[to:])
}

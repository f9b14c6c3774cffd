package jsonc

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Set gives a key of the object that a text is another value, or adds it. All else stays as it is, comments too. An
// empty text becomes an object.
func Set(data []byte, key string, value any) ([]byte, error) {
	name, err := json.Marshal(key)
	if err != nil {
		return nil, err
	}
	written, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	member := slices.Concat([]byte("\n  "), name, []byte(": "), written)
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("{}\n")
	}
	root, err := objectOf(data)
	if err != nil {
		return nil, err
	}
	at, end := root.Offset+1, root.Offset+1
	old, found := root.Member(key)
	switch {
	case found:
		at, end, member = old.Value.Offset, old.Value.end(), written
	case len(root.Members) > 0:
		member = append(member, ',')
	default:
		member = append(member, '\n')
	}
	return slices.Concat(data[:at], member, data[end:]), nil
}

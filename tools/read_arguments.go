package tools

import (
	"encoding/json"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assent-ls/assent/tools/arguments"
	"github.com/assent-ls/assent/tools/excerpt"
)

// readArguments is what was found out of the arguments of a call when it was prepared, and need not be found out again
// when it is executed: it follows from their text, and a schema, alone. Copies of a call share it.
type readArguments struct {
	text      string // of the arguments
	canonical string

	mu      sync.Mutex
	schema  *jsonschema.Resolved // guarded by mu: by which they were checked; nil: by none
	checked json.RawMessage      // guarded by mu: never changed once it is there
}

// read makes a call remember what its arguments are. Whoever holds them may have changed them since.
func (c Call) read() Call {
	if c.known == nil || c.known.text != string(c.Arguments) {
		c.known = &readArguments{text: string(c.Arguments), canonical: Canonical(c.Arguments)}
	}
	return c
}

// Checked checks the arguments of a call by some parameters, and gives them as Parameters.Check does. They must not be
// changed.
func (c Call) Checked(p arguments.Parameters) (json.RawMessage, error) {
	if c.known == nil || c.known.text != string(c.Arguments) {
		return p.Check(c.Arguments)
	}
	c.known.mu.Lock()
	defer c.known.mu.Unlock()
	if c.known.schema == p.Resolved && c.known.checked != nil {
		return c.known.checked, nil
	}
	checked, err := p.Check(c.Arguments)
	if err == nil {
		c.known.schema, c.known.checked = p.Resolved, checked
	}
	return checked, err
}

// ListRoom is how many bytes of a list the caller gets.
func (c Call) ListRoom() int {
	if c.Room <= 0 {
		return excerpt.MaxBytes
	}
	return min(c.Room, excerpt.MaxBytes)
}

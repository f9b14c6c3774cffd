package interpreter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// The other side of the pipe is a process in which a hostile program runs. Each line is bounded, and is one of these
// messages or an error that ends the run.

// maxLine bounds a line in bytes: calls with the text of a large file fit.
const maxLine = 8 << 20

// message is a line of a helper; one field is set.
type message struct {
	Lacks   []string  `json:"lacks"` // protections, before ready
	Ready   []uint32  `json:"ready"`
	Checked *string   `json:"checked"`
	Out     *string   `json:"out"`
	Calls   []rawCall `json:"calls"`
	End     *ending   `json:"end"`
	Exit    *exit     `json:"exit"`
}

type rawCall struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Line      int             `json:"line"`
}

// ending is how a program ended, as the driver says it or as it is known otherwise.
type ending struct {
	Error string `json:"error"`
	Limit string `json:"limit"`
}

// exit is how the helper says that the interpreter ended without that.
type exit struct {
	Status int    `json:"status"`
	Trap   string `json:"trap"`   // how WebAssembly failed; empty: the program left
	Memory bool   `json:"memory"` // it had been refused memory
}

var limitNames = []string{"", "time", "memory", "output", "calls", "recursion"}

// parse reads a line.
func parse(line []byte) (message, error) {
	var m message
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return m, errForeign
	}
	if d.More() || (m.End != nil && !slices.Contains(limitNames, m.End.Limit)) {
		return m, errForeign
	}
	return m, nil
}

// errForeign is that of a line which the driver does not write.
var errForeign = errors.New("the program wrote to the pipe of its interpreter")

// calls checks the calls of a message.
func (m message) calls() ([]Call, error) {
	all := make([]Call, len(m.Calls))
	for n, c := range m.Calls {
		arguments := bytes.TrimSpace(c.Arguments)
		if c.Tool == "" || len(arguments) == 0 || arguments[0] != '{' {
			return nil, errForeign
		}
		all[n] = Call{Tool: c.Tool, Arguments: arguments, Line: max(c.Line, 0)}
	}
	return all, nil
}

// answers makes the line for the driver.
func answers(calls []Call, given []Answer) (map[string]any, error) {
	if len(given) != len(calls) {
		return nil, fmt.Errorf("%d inner calls got %d answers", len(calls), len(given))
	}
	type reply struct {
		Value json.RawMessage `json:"value,omitempty"`
		Error string          `json:"error,omitempty"`
	}
	all := make([]reply, len(given))
	size := 0
	for n, a := range given {
		all[n] = reply(a)
		if size += len(a.Value) + len(a.Error); size > maxLine {
			all[n] = reply{Error: fmt.Sprintf("The result has more than %d MB; ask for a part of it.", maxLine>>20)}
		}
	}
	return map[string]any{"answers": all}, nil
}

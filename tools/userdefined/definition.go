package userdefined

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/arguments"
	"github.com/assent-ls/assent/tools/effect"
)

// The bounds of a definition.
const (
	maxDefinition  = 64 << 10
	maxDescription = 1_000
	maxTimeout     = 3600 // seconds
	maxExamples    = 2
)

// definition is what a file says about a tool.
type definition struct {
	Description string            `json:"description"`
	Parameters  json.RawMessage   `json:"parameters"`
	Command     []string          `json:"command"`
	Timeout     int               `json:"timeout"` // seconds
	Sandbox     *bool             `json:"sandbox"` // nil: as true
	Defer       bool              `json:"defer"`
	Examples    []json.RawMessage `json:"examples"`
}

// keys are those that a file may have, as its person must write them.
var keys = []string{"description", "parameters", "command", "timeout", "sandbox", "defer", "examples"}

// name is how a tool may be called: what every format of calls can write.
var name = lazyregexp.New(`^[a-z][a-z0-9_]{0,39}$`)

// read reads the definition in a file. The error is a sentence without its end.
func read(data []byte) (definition, error) {
	var d definition
	if len(data) > maxDefinition {
		return d, fmt.Errorf("it has more than %d KB", maxDefinition>>10)
	}
	value, err := jsonc.Parse(data)
	if err != nil {
		if at, ok := errors.AsType[*jsonc.Error](err); ok {
			return d, fmt.Errorf("%s: %w", jsonc.Place(data, at.Offset), err)
		}
		return d, err
	}
	for _, m := range value.Members {
		if !slices.Contains(keys, m.Key) {
			return d, fmt.Errorf(
				"%s: there is no key %q; the keys are %s", jsonc.Place(data, m.Offset), m.Key, strings.Join(keys, ", "),
			)
		}
	}
	if value.Kind != jsonc.Object {
		return d, errors.New("it holds no object")
	}
	if err := json.Unmarshal(value.Raw, &d); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return d, fmt.Errorf("%s must not be a JSON %s", wrong.Field, wrong.Value)
		}
		return d, err
	}
	return d, d.check()
}

func (d *definition) check() error {
	switch {
	case strings.TrimSpace(d.Description) == "" || len(d.Description) > maxDescription:
		return fmt.Errorf(
			"description must say in 1 to %d bytes what the tool does: the model chooses by it", maxDescription,
		)
	case visible.Text(d.Description) != d.Description:
		return errors.New("description holds characters that cannot be seen")
	case len(d.Command) == 0 || d.Command[0] == "":
		return errors.New(`command must list a program and its arguments, such as ["python3", "weather.py"]`)
	case slices.ContainsFunc(
		d.Command, func(arg string) bool { return visible.Text(arg) != arg || strings.ContainsAny(arg, "\r\n\x00") },
	):
		return errors.New("command holds characters that cannot be seen")
	case d.Timeout < 0 || d.Timeout > maxTimeout:
		return fmt.Errorf("timeout must be 0 to %d seconds", maxTimeout)
	case len(d.Examples) > maxExamples:
		return fmt.Errorf("examples has more than %d", maxExamples)
	}
	if len(d.Parameters) == 0 {
		d.Parameters = json.RawMessage(`{"type":"object"}`)
	}
	if err := arguments.CheckSchema(d.Parameters); err != nil {
		return fmt.Errorf("parameters: %w", err)
	}
	for i, example := range d.Examples {
		if err := arguments.CheckArguments(d.Parameters, example); err != nil {
			return fmt.Errorf("example %d: %w", i+1, err)
		}
	}
	return nil
}

func (d *definition) spec(name string, origin tools.Origin) tools.Spec {
	return tools.Spec{ // its program may do anything
		Name: name, Description: strings.TrimSpace(d.Description),
		Parameters: d.Parameters, Effect: effect.Calls, Origin: origin,
		Timeout: tools.Unlimited, Defer: d.Defer, Examples: d.Examples,
	}
}

func (d *definition) timeout() time.Duration { return time.Duration(d.Timeout) * time.Second }

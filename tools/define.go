package tools

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/arguments"
)

// typed is a tool whose input is a struct.
type typed[In any] struct {
	spec  Spec
	input arguments.Input[In]
	plan  func(context.Context, Call, In) (Plan, error)
}

// Define makes a tool of a typed plan. The schema of its parameters is derived from In.
func Define[In any](spec Spec, plan func(context.Context, Call, In) (Plan, error)) Tool {
	in, err := arguments.NewInput[In]()
	if err != nil {
		panic("tool " + spec.Name + ": " + err.Error()) // the input type is wrong; every test finds it
	}
	spec.Description, spec.Parameters = strings.TrimSpace(spec.Description), in.Text
	return &typed[In]{spec: spec, input: in, plan: plan}
}

// Spec describes the tool.
func (t *typed[In]) Spec() Spec { return t.spec }

// Plan decodes the arguments and looks at the call.
func (t *typed[In]) Plan(ctx context.Context, call Call) (Plan, error) {
	in, err := t.input.Decode(call.Arguments)
	if err != nil {
		return Plan{}, err
	}
	return t.plan(ctx, call, in)
}

// FailedBy is the result of a call that failed: a sentence of the error.
func FailedBy(err error) Result {
	if errors.Is(err, context.Canceled) {
		return Failed("[Stopped by the user.]")
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return Failed("[It was not finished.]")
	}
	return Failed(Sentence(err.Error()))
}

// Sentence makes a sentence of an error: a capital letter, unless it begins with the name of an argument, and a full
// stop.
func Sentence(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if !strings.Contains(first, "_") && !slices.Contains([]string{"path", "pattern", "command", "content"}, first) &&
		s != "" {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") || strings.Contains(s, "\n") {
		return s
	}
	return s + "."
}

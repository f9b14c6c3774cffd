package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/arguments"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
)

// counted takes one whole number, and says which it ran with.
type counted struct{ parameters arguments.Parameters }

func (c counted) Spec() tools.Spec {
	return tools.Spec{Name: "counted", Parameters: c.parameters.Schema, Effect: effect.Computes}
}

func (c counted) Plan(_ context.Context, call tools.Call) (tools.Plan, error) {
	arguments, err := call.Checked(c.parameters)
	return tools.Plan{Run: func(context.Context, tools.Reporter) tools.Result { return tools.Text(string(arguments)) }}, err
}

// TestArgumentsAreCheckedAsTheyAre: what is known of the arguments of a prepared call counts for their very text, and
// for the schema that it was checked by.
func TestArgumentsAreCheckedAsTheyAre(t *testing.T) {
	parameters := func(kind string) arguments.Parameters {
		p, err := arguments.ReadParameters(json.RawMessage(`{"type":"object","properties":{"n":{"type":"` + kind + `"}},"required":["n"]}`))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	whole := counted{parameters("integer")}
	registry, err := tools.NewSources([]tools.Tool{whole}).Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := tools.NewDispatcher(registry, policy.New(nil), nil)
	for after, want := range map[string]error{`{"n": 1 }`: nil, `{"n":"x"}`: tools.ErrChanged, `{"n": 2 }`: tools.ErrChanged, `{"m": 1 }`: tools.ErrChanged} {
		raw := []byte(`{"n": 1 }`)
		p := d.Prepare(t.Context(), tools.Call{Name: "counted", Arguments: raw, Caller: policy.Model})
		if p.Answered != nil {
			t.Fatal(p.Answered.Text())
		}
		copy(raw, after) // by whoever holds them
		r, err := d.Execute(t.Context(), p, nil)
		if !errors.Is(err, want) || want == nil && r.Text() != `{"n":1}` {
			t.Errorf("%s: %q, %v", after, r.Text(), err)
		}
		copy(raw, `{"n": 1 }`)
		if _, err := p.Call.Checked(parameters("string")); err == nil {
			t.Error("a call that fits one schema passes for one that fits another")
		}
		if checked, err := p.Call.Checked(whole.parameters); err != nil || string(checked) != `{"n":1}` {
			t.Errorf("%s, %v", checked, err)
		}
	}
}

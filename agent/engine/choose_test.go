package engine_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools/python/signature"
)

func newEngine(t *testing.T) *engine.Engine {
	t.Helper()
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	return engine.New(nil, profiles)
}

// A model that does better with programs is told of functions where programs run, unless the user chose otherwise.
func TestWhoIsToldOfFunctions(t *testing.T) {
	e := newEngine(t)
	native := []string{"native", "text"}
	for name, c := range map[string]struct {
		options engine.Options
		profile model.Profile
		want    string
	}{
		"programs are off":      {engine.Options{}, model.Profile{Formats: native, Code: true}, "native"},
		"it does no better":     {engine.Options{Programs: true}, model.Profile{Formats: native}, "native"},
		"it does better":        {engine.Options{Programs: true}, model.Profile{Formats: native, Code: true}, "python"},
		"the user's format":     {engine.Options{Programs: true, Format: "hermes"}, model.Profile{Formats: native, Code: true}, "hermes"},
		"the user's primary":    {engine.Options{Programs: true, Primary: "text"}, model.Profile{Formats: native, Code: true}, "text"},
		"python is not enabled": {engine.Options{Programs: true, Enabled: []string{"native"}}, model.Profile{Formats: native, Code: true}, "native"},
		"only calls of others":  {engine.Options{Programs: true, Enabled: []string{"python"}}, model.Profile{Formats: native}, "python"},
		"chosen without them":   {engine.Options{Primary: "python"}, model.Profile{Formats: native}, "python"},
	} {
		f, err := e.ChooseFormat(c.options, c.profile, "")
		if err != nil || f.Name() != c.want {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
}

// Whether programs run changes no byte of what a model is sent that is told of no tool for them, and only where they run
// is one a call.
func TestRequestsWithoutPrograms(t *testing.T) {
	e := newEngine(t)
	tools := []model.Tool{{Name: "read_file", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)}}
	turns := []toolcall.Turn{
		{Role: model.RoleUser, Text: "Read it.", Asked: "Read it."},
		{Role: model.RoleAssistant, Calls: []toolcall.Call{{ID: "1", Name: "read_file", Arguments: json.RawMessage(`{"path":"a"}`)}}},
		{Role: model.RoleTool, CallID: "1", Name: "read_file", Text: "x"},
	}
	program := "```tool_code\nprint(read_file('a'), 1)\n```"
	execution := model.Tool{Name: signature.Execution, Parameters: json.RawMessage(`{"type":"object","properties":{"program":{"type":"string"}},"required":["program"]}`)}
	for _, name := range []string{"native", "hermes", "text", "guided"} {
		profile := model.Profile{Formats: []string{name, "text"}}
		off, errOff := e.ChooseFormat(engine.Options{}, profile, "")
		on, errOn := e.ChooseFormat(engine.Options{Programs: true}, profile, "")
		if errOff != nil || errOn != nil {
			t.Fatal(errOff, errOn)
		}
		want, got := off.Request("Be short.", turns, tools, toolcall.Hints{}), on.Request("Be short.", turns, tools, toolcall.Hints{})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for with, count := range map[*model.Tool]int{nil: 0, &execution: 1} {
			offered := tools
			if with != nil {
				offered = append(offered, *with)
			}
			d := on.Decoder(offered)
			calls := 0
			for _, event := range append(d.Push(model.Chunk{Text: program}), d.End(true)...) {
				if _, ok := event.(toolcall.Called); ok {
					calls++
				}
			}
			if calls != count {
				t.Errorf("%s: %d calls, want %d", name, calls, count)
			}
		}
	}
}

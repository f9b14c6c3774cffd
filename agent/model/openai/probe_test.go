package openai_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
)

// TestSchemaProbe: a server that accepts a schema and does not obey is found out, since no free reply fits.
func TestSchemaProbe(t *testing.T) {
	for _, test := range []struct {
		kind   string
		quirks []quirkserver.Quirk
		want   model.SchemaWay
		field  string
	}{
		{quirkserver.LlamaCpp, nil, model.ByResponseFormat, "response_format"},
		{quirkserver.LMStudio, nil, model.ByResponseFormat, "response_format"},
		{quirkserver.LlamaCpp, []quirkserver.Quirk{quirkserver.IgnoresResponseFormat}, model.ByGrammar, "grammar"},
		{quirkserver.Gateway, []quirkserver.Quirk{quirkserver.IgnoresResponseFormat}, model.ByGrammar, "grammar"},
		{quirkserver.Gateway, []quirkserver.Quirk{quirkserver.IgnoresResponseFormat, quirkserver.IgnoresGrammar}, model.NoSchema, ""},
		{quirkserver.SGLang, []quirkserver.Quirk{quirkserver.IgnoresResponseFormat}, model.NoSchema, ""},
		{quirkserver.VLLM, nil, model.ByResponseFormat, "response_format"},
		{quirkserver.VLLM, []quirkserver.Quirk{quirkserver.IgnoresResponseFormat}, model.ByStructuredOutputs, "structured_outputs"},
		{quirkserver.VLLM, []quirkserver.Quirk{quirkserver.IgnoresResponseFormat, quirkserver.IgnoresStructuredOutputs}, model.NoSchema, ""},
	} {
		s := quirkserver.New(test.kind, test.quirks...)
		b := backend(t, s)
		if _, known := b.Abilities(coder); known {
			t.Error("it is known before")
		}
		a, err := b.Probe(t.Context(), coder)
		if err != nil || a.Schema != test.want || a.Model != coder {
			t.Errorf("%s with %q: %+v, %v", test.kind, test.quirks, a, err)
		}
		if n := len(s.Chats()); n > 4 {
			t.Errorf("it took %d requests", n)
		}
		info, err := b.Describe(t.Context(), coder)
		if err != nil || info.Unconstrained != (test.want == model.NoSchema) {
			t.Errorf("%+v, %v", info, err)
		}
		if _, err := chat(t.Context(), b, model.Request{Format: json.RawMessage(`{"type":"object"}`)}); err != nil {
			t.Fatal(err)
		}
		last := s.Chats()[len(s.Chats())-1]
		for _, field := range []string{"response_format", "structured_outputs", "guided_json", "grammar"} {
			if (last[field] != nil) != (field == test.field) {
				t.Errorf("%s with %q: sent is %v", test.kind, test.quirks, last)
			}
		}
		if got, known := b.Abilities(coder); !known || got != a {
			t.Errorf("%+v is known, %v", got, known)
		}
	}
}

// A reply of the right shape with another word is one that the schema did not make.
func TestAModelThatOnlyFollowsTheShape(t *testing.T) {
	s := quirkserver.New(quirkserver.Gateway, quirkserver.IgnoresGrammar)
	s.Play(slices.Repeat([]quirkserver.Reply{events(say(`{"word":"hello"}`), finish("stop"), "[DONE]")}, 2)...)
	if a, err := backend(t, s).Probe(t.Context(), coder); err != nil || a.Schema != model.NoSchema {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestCallProbe(t *testing.T) {
	for _, test := range []struct {
		quirks []quirkserver.Quirk
		want   model.NativeCall
	}{
		{nil, model.WholeCalls},
		{[]quirkserver.Quirk{quirkserver.LosesArguments}, model.LossyCalls},
		{[]quirkserver.Quirk{quirkserver.MakesNoCalls}, model.NoCalls},
		{[]quirkserver.Quirk{quirkserver.NoToolParser}, model.NoCalls},
		{[]quirkserver.Quirk{quirkserver.NoToolParser, quirkserver.BareErrors}, model.NoCalls},
	} {
		b := backend(t, quirkserver.New(quirkserver.VLLM, test.quirks...))
		a, err := b.Probe(t.Context(), coder)
		if err != nil || a.Calls != test.want || (a.CallReason == "") != (test.want == model.WholeCalls) {
			t.Errorf("%q: %+v, %v", test.quirks, a, err)
		}
		info, err := b.Describe(t.Context(), coder)
		if err != nil || info.Can("tools") != (test.want == model.WholeCalls) || !info.Can("completion") {
			t.Errorf("%q: %+v, %v", test.quirks, info, err)
		}
	}
}

// What was tried counts for the same server, model and build.
func TestAbilitiesAreKept(t *testing.T) {
	s := quirkserver.New(quirkserver.VLLM, quirkserver.IgnoresResponseFormat, quirkserver.MakesNoCalls)
	a, err := backend(t, s).Probe(t.Context(), coder)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(a)
	var kept model.Abilities
	if err != nil || json.Unmarshal(text, &kept) != nil || kept != a {
		t.Fatalf("%s, %v", text, err)
	}
	later := backend(t, s)
	later.Recall(kept)
	if info, err := later.Describe(t.Context(), coder); err != nil || info.Can("tools") {
		t.Errorf("%+v, %v", info, err)
	}
	if got, known := later.Abilities(coder); !known || got != a {
		t.Errorf("%+v, %v", got, known)
	}
	s.Handle("/version", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"version":"0.18.0"}`)) })
	updated := backend(t, s)
	updated.Recall(kept)
	if _, err := updated.Describe(t.Context(), coder); err != nil {
		t.Fatal(err)
	}
	if got, known := updated.Abilities(coder); known {
		t.Errorf("of another build: %+v", got)
	}
}

// A probe that could not be made says nothing of the server.
func TestAProbeThatFails(t *testing.T) {
	s := quirkserver.New(quirkserver.VLLM)
	b := backend(t, s)
	busy := quirkserver.Reply{Status: http.StatusUnauthorized}
	s.Play(slices.Repeat([]quirkserver.Reply{busy}, 9)...)
	_, err := b.Probe(t.Context(), coder)
	failed(t, err, model.Refused, "wants a key")
	if a, known := b.Abilities(coder); known {
		t.Errorf("it says %+v", a)
	}
	for _, status := range []int{http.StatusBadRequest, http.StatusInternalServerError} { // whatever it is asked
		refusing := quirkserver.New(quirkserver.Gateway)
		refusing.Play(slices.Repeat([]quirkserver.Reply{{Status: status, Body: `{"error":"out of memory"}`}}, 9)...)
		b := backend(t, refusing)
		_, err := b.Probe(t.Context(), coder)
		failed(t, err, model.Refused, "out of memory")
		if a, known := b.Abilities(coder); known || len(refusing.Chats()) > 4 {
			t.Errorf("%d: it says %+v after %d requests", status, a, len(refusing.Chats()))
		}
	}
	plain := quirkserver.New(quirkserver.Gateway) // neither schemas nor calls, but chats
	plain.Play(slices.Repeat([]quirkserver.Reply{{Status: http.StatusBadRequest, Body: `{"error":"unknown field"}`}}, 3)...)
	if a, err := backend(t, plain).Probe(t.Context(), coder); err != nil || a.Schema != model.NoSchema || a.Calls != model.NoCalls {
		t.Errorf("%+v, %v", a, err)
	}
	_, err = b.Probe(t.Context(), "nothing-7b")
	failed(t, err, model.NotInstalled, "nothing-7b")
}

package openai_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/openai"
	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
)

func TestKindIsFoundOut(t *testing.T) {
	for _, test := range []struct{ kind, want, version string }{
		{quirkserver.LlamaCpp, openai.LlamaCpp, "llama.cpp b11669-abc"},
		{quirkserver.VLLM, openai.VLLM, "vLLM 0.17.0"},
		{quirkserver.SGLang, openai.SGLang, "SGLang 0.5.20"},
		{quirkserver.LMStudio, openai.LMStudio, "LM Studio"},
		{quirkserver.Gateway, openai.Other, "OpenAI's protocol"},
	} {
		for _, quirks := range [][]quirkserver.Quirk{nil, {quirkserver.NoOwners}} {
			s := quirkserver.New(test.kind, quirks...)
			b := backend(t, s)
			if kind, err := b.Kind(t.Context()); kind != test.want || err != nil {
				t.Errorf("%s with %q: %q, %v", test.kind, quirks, kind, err)
			}
			if version, err := b.Version(t.Context()); version != test.version || err != nil {
				t.Errorf("%s with %q: %q, %v", test.kind, quirks, version, err)
			}
			asked := len(s.Requests(""))
			if _, err := b.Kind(t.Context()); err != nil || len(s.Requests("")) != asked {
				t.Errorf("%s is asked again, %v", test.kind, err)
			}
		}
		s := quirkserver.New(test.kind)
		if kind, err := configured(t, s, openai.Config{Kind: openai.VLLM}).Kind(t.Context()); kind != openai.VLLM || err != nil || len(s.Requests("")) > 0 {
			t.Errorf("a kind that is given: %q, %v", kind, err)
		}
	}
}

func TestOllamaIsRefused(t *testing.T) {
	for _, quirks := range [][]quirkserver.Quirk{nil, {quirkserver.NoOwners}} {
		b := backend(t, quirkserver.New(quirkserver.Ollama, quirks...))
		_, kind := b.Kind(t.Context())
		_, models := b.Models(t.Context())
		_, describe := b.Describe(t.Context(), coder)
		_, chatting := chat(t.Context(), b, model.Request{})
		for _, err := range []error{kind, models, describe, chatting} {
			failed(t, err, model.Refused, "is Ollama", "kind ollama")
		}
	}
	_, err := configured(t, quirkserver.New(quirkserver.Ollama), openai.Config{Kind: openai.Other}).Models(t.Context())
	failed(t, err, model.Refused, "kind ollama")
}

func TestContextOfTheServer(t *testing.T) {
	for _, test := range []struct {
		name   string
		kind   string
		quirks []quirkserver.Quirk
		config int
		want   int
	}{
		{"per slot, never what it was trained for", quirkserver.LlamaCpp, nil, 0, 2048},
		{"the server wins", quirkserver.LlamaCpp, nil, 512, 2048},
		{"max_model_len", quirkserver.VLLM, nil, 0, 2048},
		{"max_model_len of SGLang", quirkserver.SGLang, nil, 0, 2048},
		{"as loaded, not the most", quirkserver.LMStudio, nil, 0, 2048},
		{"renamed by a gateway", quirkserver.Gateway, []quirkserver.Quirk{quirkserver.RenamesContext}, 0, 2048},
		{"stripped by a gateway: unknown", quirkserver.Gateway, []quirkserver.Quirk{quirkserver.StripsContext}, 0, 0},
		{"stripped, but declared", quirkserver.Gateway, []quirkserver.Quirk{quirkserver.StripsContext}, 4096, 4096},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := configured(t, quirkserver.New(test.kind, test.quirks...), openai.Config{Context: test.config})
			info, err := b.Describe(t.Context(), coder)
			if err != nil || info.LoadedContext != test.want || info.ContextLimit != test.want {
				t.Errorf("%+v, %v", info, err)
			}
		})
	}
	s := quirkserver.New(quirkserver.LMStudio)
	s.Models = append(s.Models, "gemma-3-4b")
	info, err := backend(t, s).Describe(t.Context(), "gemma-3-4b")
	if err != nil || info.LoadedContext != 0 || info.ContextLimit != 131072 {
		t.Errorf("not loaded: %+v, %v", info, err)
	}
	for _, row := range []string{`"max_model_len":1000,"max_input_tokens":2000`, `"max_input_tokens":1000,"context_length":2000`, `"context_length":1000,"meta":{"n_ctx":2000}`} {
		s := quirkserver.New(quirkserver.Gateway)
		s.Handle("/v1/models", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"data":[{"id":"x",` + row + `}]}`))
		})
		if info, err := configured(t, s, openai.Config{Kind: openai.Other}).Describe(t.Context(), "x"); err != nil || info.LoadedContext != 1000 {
			t.Errorf("%s: %+v, %v", row, info, err)
		}
	}
}

func TestDescribe(t *testing.T) {
	s := quirkserver.New(quirkserver.LlamaCpp)
	s.Models = []string{"/models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"}
	b := backend(t, s)
	models, err := b.Models(t.Context())
	if err != nil || len(models) != 1 || models[0].Name != "qwen2.5-coder-1.5b-instruct-q4_k_m" || models[0].Parameters != "1.5B" {
		t.Fatalf("%+v, %v", models, err)
	}
	info, err := b.Describe(t.Context(), models[0].Name)
	if err != nil || info.Quantization != "Q4_K_M" || !strings.Contains(info.Template, "<tools>") || !slices.Equal(info.Capabilities, []string{"completion", "tools"}) || info.Bytes != 1117320736 || info.Digest == "" {
		t.Errorf("%+v, %v", info, err)
	}
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	if profile, why := profiles.For(info); profile.Name != "qwen2.5-coder" {
		t.Errorf("the profile is %s since %s", profile.Name, why)
	}
	if n := b.Slots(t.Context()); n != 2 {
		t.Errorf("%d slots", n)
	}
}

// TestFilesAreShownByTheirName: the id is the whole path without --alias; people see its end, the server gets the id.
func TestFilesAreShownByTheirName(t *testing.T) {
	s := quirkserver.New(quirkserver.LlamaCpp)
	s.Models = []string{"/home/me/models/coder.gguf"}
	b := backend(t, s)
	for _, name := range []string{"coder", "/home/me/models/coder.gguf"} {
		if _, err := chat(t.Context(), b, model.Request{Model: name}); err != nil {
			t.Fatal(err)
		}
	}
	for _, body := range s.Chats() {
		if body["model"] != "/home/me/models/coder.gguf" {
			t.Errorf("the server was asked for %v", body["model"])
		}
	}
	s = quirkserver.New(quirkserver.Gateway)
	s.Models = []string{"/a/coder.gguf", "/b/coder.gguf", `C:\models\phi.gguf`, "Qwen/Qwen2.5-Coder-7B"}
	models, err := backend(t, s).Models(t.Context())
	var names []string
	for _, m := range models {
		names = append(names, m.Name)
	}
	if want := []string{"/a/coder.gguf", "/b/coder.gguf", "phi", "Qwen/Qwen2.5-Coder-7B"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%q, %v", names, err)
	}
}

// TestAnUnknownModelIsNotSent: llama.cpp's server, SGLang and LM Studio answer with the model that they have.
func TestAnUnknownModelIsNotSent(t *testing.T) {
	for _, kind := range []string{quirkserver.LlamaCpp, quirkserver.VLLM, quirkserver.SGLang, quirkserver.LMStudio, quirkserver.Gateway} {
		s := quirkserver.New(kind)
		b := backend(t, s)
		_, describe := b.Describe(t.Context(), "qwen2.5-coder-14b")
		_, chatting := chat(t.Context(), b, model.Request{Model: "qwen2.5-coder-14b"})
		for _, err := range []error{describe, chatting} {
			failed(t, err, model.NotInstalled, `"qwen2.5-coder-14b"`, coder)
		}
		if len(s.Chats()) > 0 {
			t.Errorf("%s was asked", kind)
		}
	}
	open := quirkserver.New(quirkserver.Gateway) // some gateways take names that they do not list
	open.Models = []string{"team/*"}
	open.Play(events(say("Yes."), finish("stop"), "[DONE]"))
	if g, err := chat(t.Context(), backend(t, open), model.Request{Model: "team/x"}); g.text != "Yes." || err != nil {
		t.Errorf("%q, %v", g.text, err)
	}
}

func TestAModelThatVanishes(t *testing.T) {
	s := quirkserver.New(quirkserver.VLLM)
	b := backend(t, s)
	if _, err := chat(t.Context(), b, model.Request{}); err != nil {
		t.Fatal(err)
	}
	s.Models = []string{"gemma-3-4b"}
	_, chatting := chat(t.Context(), b, model.Request{})
	_, describe := b.Describe(t.Context(), coder)
	for _, err := range []error{chatting, describe} {
		failed(t, err, model.NotInstalled, "has no model", "gemma-3-4b")
	}
}

func TestSlots(t *testing.T) {
	for _, test := range []struct {
		kind       string
		configured int
		want       int
	}{
		{quirkserver.LlamaCpp, 0, 2},
		{quirkserver.LlamaCpp, 8, 2},
		{quirkserver.SGLang, 0, 2},
		{quirkserver.VLLM, 0, 1},
		{quirkserver.VLLM, 8, 8},
		{quirkserver.Gateway, 0, 1},
	} {
		s := quirkserver.New(test.kind)
		b := configured(t, s, openai.Config{Slots: test.configured})
		for range 2 {
			if n := b.Slots(t.Context()); n != test.want {
				t.Errorf("%s has %d slots, want %d", test.kind, n, test.want)
			}
		}
	}
	b := configured(t, nil, openai.Config{URL: "http://127.0.0.1:1", Slots: 3})
	if n := b.Slots(t.Context()); n != 3 {
		t.Errorf("nobody there: %d slots", n)
	}
}

// Side requests never take the slot of the chat that was asked last, not even where chats have all slots.
func TestARequestBesideChatsLeavesThemTheirSlots(t *testing.T) {
	chats := func(names ...string) []string { return names }
	for _, test := range []struct {
		name  string
		slots int
		asked []string // requests of no chat begin with "beside"
		kept  []string
	}{
		{"a free slot", 2, chats("a", "beside1"), chats("a")},
		{"its own slot again", 2, chats("a", "beside1", "beside2", "beside3"), chats("a")},
		{"one slot for all of them", 4, chats("a", "b", "c", "beside1", "beside2", "a", "beside3"), chats("a", "b", "c")},
		{"chats have all slots", 2, chats("a", "b", "beside1", "beside2"), chats("b")},
		{"the older chat goes on", 2, chats("a", "b", "a", "beside1", "beside2"), chats("a")},
		{"a chat takes the slot", 3, chats("a", "b", "beside1", "b", "c", "b", "beside2"), chats("b", "c")},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := quirkserver.New(quirkserver.LlamaCpp)
			s.Slots = test.slots
			b := backend(t, s)
			b.Slots(t.Context())
			for _, name := range test.asked {
				req := model.Request{Messages: question(name), Beside: strings.HasPrefix(name, "beside")}
				if _, err := chat(t.Context(), b, req); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range test.kept {
				if !s.Keeps(name) {
					t.Errorf("the prompt of %s is gone", name)
				}
			}
		})
	}
}

func TestTheSlotOfARequestBesideChats(t *testing.T) {
	none := func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `[{"id": 0, "is_processing": true}]`)
	}
	for _, test := range []struct {
		name    string
		slots   int
		quirk   quirkserver.Quirk
		handler http.HandlerFunc
		want    any // the slot; nil: the server chooses
	}{
		{"one slot", 1, "", nil, nil},
		{"slots that are not told", 4, quirkserver.NoSlots, nil, 3.0},
		{"all busy", 4, "", none, nil},
	} {
		s := quirkserver.New(quirkserver.LlamaCpp, test.quirk)
		s.Slots = test.slots
		if test.handler != nil {
			s.Handle("/slots", test.handler)
		}
		b := backend(t, s)
		b.Slots(t.Context())
		for _, beside := range []bool{false, true} {
			if _, err := chat(t.Context(), b, model.Request{Beside: beside}); err != nil {
				t.Fatal(err)
			}
		}
		if bodies := s.Chats(); bodies[0]["id_slot"] != nil || bodies[1]["id_slot"] != test.want {
			t.Errorf("%s: the chat has %v and the other %v", test.name, bodies[0]["id_slot"], bodies[1]["id_slot"])
		}
	}
}

func TestCount(t *testing.T) {
	for _, kind := range []string{quirkserver.LlamaCpp, quirkserver.VLLM, quirkserver.SGLang} {
		b := backend(t, quirkserver.New(kind))
		req := model.Request{Model: coder, Messages: question("How many?"), Tools: []model.Tool{tool("read_file")}}
		count, err := b.Count(t.Context(), req)
		g, chatErr := chat(t.Context(), b, req)
		if kind == quirkserver.SGLang {
			g.done.PromptTokens = 0 // it cannot count
		}
		if err != nil || chatErr != nil || count != g.done.PromptTokens {
			t.Errorf("%s counts %d before and %d after, %v, %v", kind, count, g.done.PromptTokens, err, chatErr)
		}
	}
}

func TestInspect(t *testing.T) {
	s := quirkserver.New(quirkserver.LlamaCpp)
	b := backend(t, s)
	req := model.Request{Model: coder, Messages: question("Hi <b>&")}
	if _, err := chat(t.Context(), b, req); err != nil {
		t.Fatal(err)
	}
	sent := s.Requests("/v1/chat/completions")[0].Body
	body, err := b.Body(t.Context(), req)
	if err != nil || string(body) != string(sent) || !strings.Contains(string(body), "Hi <b>&") {
		t.Errorf("%s was sent, and %s shown, %v", sent, body, err)
	}
	if prompt, err := b.RenderOnly(t.Context(), req); err != nil || !strings.Contains(prompt, "<|im_start|>user") {
		t.Errorf("%q, %v", prompt, err)
	}
	_, err = backend(t, quirkserver.New(quirkserver.VLLM)).RenderOnly(t.Context(), req)
	failed(t, err, model.Refused, "cannot show a prompt")
	if n := len(s.Chats()); n != 1 {
		t.Errorf("%d chats", n)
	}
}

func TestPreload(t *testing.T) {
	s := quirkserver.New(quirkserver.LMStudio)
	s.Models = append(s.Models, "gemma-3-4b")
	b := backend(t, s)
	for _, name := range s.Models {
		if err := b.Preload(t.Context(), name, 4096, 0); err != nil {
			t.Fatal(err)
		}
	}
	if bodies := s.Chats(); len(bodies) != 1 || bodies[0]["model"] != "gemma-3-4b" || bodies[0]["max_tokens"] != 1.0 {
		t.Errorf("asked were %v", bodies)
	}
	failed(t, b.Preload(t.Context(), "phi4", 0, 0), model.NotInstalled, "phi4")
	if err := b.Unload(t.Context(), coder); err != nil {
		t.Error(err)
	}
}

// A list that waits for the props ends only if both are asked at once. The first time no list has said the model's id.
func TestDescribeAsksBothAtOnce(t *testing.T) {
	asked := make(chan bool, 2)
	var lists atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/props" {
			asked <- true
			_, _ = io.WriteString(w, `{"default_generation_settings": {"n_ctx": 4096}, "total_slots": 1}`)
			return
		}
		if lists.Add(1) > 1 {
			select {
			case <-asked:
			case <-r.Context().Done():
			}
		}
		_, _ = io.WriteString(w, `{"data": [{"id": "small"}]}`)
	}))
	t.Cleanup(s.Close)
	b, err := openai.New(openai.Config{URL: s.URL, Kind: openai.LlamaCpp, Client: s.Client()})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		info, err := b.Describe(t.Context(), "small")
		if err != nil || info.LoadedContext != 4096 {
			t.Fatalf("%+v, %v", info, err)
		}
		for len(asked) > 0 {
			<-asked
		}
	}
}

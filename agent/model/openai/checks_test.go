package openai_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/openai"
	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
)

// The checks of the matrix, in the order of quirks.md.

// search is a request that a model answers with a call.
func search() model.Request {
	return model.Request{Tools: []model.Tool{tool("grep")}, Messages: question(`Look for "this".`)}
}

func toolChoiceIsNotSent(t *testing.T, kind string) {
	s := quirkserver.New(kind, quirkserver.MakesNoCalls)
	g, err := chat(t.Context(), backend(t, s), search())
	if body := s.Chats()[0]; err != nil || body["tools"] == nil || body["tool_choice"] != nil || body["parallel_tool_calls"] != nil {
		t.Errorf("it got %v, %v", body, err)
	}
	if !strings.HasPrefix(g.text, "```json") || len(g.calls) > 0 { // our own decoder reads it
		t.Errorf("%+v", g)
	}
}

func anyPortWillDo(t *testing.T, kind string) {
	for _, url := range []string{"http://gpu.lan:8080", "http://gpu.lan:9931/v1", "https://gpu.lan"} {
		b := configured(t, quirkserver.New(kind), openai.Config{URL: url})
		if g, err := chat(t.Context(), b, model.Request{}); err != nil || g.text != "Hello." {
			t.Errorf("%s: %+v, %v", url, g, err)
		}
	}
}

func loadingIsWaitedFor(t *testing.T, kind string) {
	synctest.Test(t, func(t *testing.T) {
		s := quirkserver.New(kind)
		s.Loading = 100
		if g, err := chat(t.Context(), backend(t, s), model.Request{}); err != nil || g.text != "Hello." || g.loading == 0 {
			t.Errorf("%+v, %v", g, err)
		}
	})
}

// described is what is known of the model that the server has.
func described(t *testing.T, s *quirkserver.Server) model.Info {
	t.Helper()
	info, err := backend(t, s).Describe(t.Context(), coder)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func contextIsThatOfASlot(t *testing.T, kind string) {
	if info := described(t, quirkserver.New(kind)); info.LoadedContext != 2048 || info.ContextLimit != 2048 {
		t.Errorf("%+v", info)
	}
}

func overflowHasBothNumbers(t *testing.T, kind string) {
	s := quirkserver.New(kind)
	_, err := chat(t.Context(), backend(t, s), model.Request{Messages: question(strings.Repeat("word ", 4000))})
	failure := failed(t, err, model.ContextTooLong, "2048", coder, "start a new chat")
	if failure.Limit != 2048 || failure.Needed < 5000 || failure.Needed > 5100 || len(s.Chats()) != 1 {
		t.Errorf("%d of %d after %d requests", failure.Needed, failure.Limit, len(s.Chats()))
	}
}

func unknownModelIsNotSent(t *testing.T, kind string) {
	s := quirkserver.New(kind)
	_, err := chat(t.Context(), backend(t, s), model.Request{Model: "qwen2.5-coder-14b"})
	failed(t, err, model.NotInstalled, `"qwen2.5-coder-14b"`, coder)
	if n := len(s.Chats()); n > 0 {
		t.Errorf("%d chats were sent", n)
	}
}

func fileIsShownByItsName(t *testing.T, kind string) {
	const id = "/home/me/models/coder.gguf"
	s := quirkserver.New(kind)
	s.Models = []string{id}
	b := backend(t, s)
	if models, err := b.Models(t.Context()); err != nil || len(models) != 1 || models[0].Name != "coder" {
		t.Errorf("%+v, %v", models, err)
	}
	if _, err := chat(t.Context(), b, model.Request{Model: "coder"}); err != nil || s.Chats()[0]["model"] != id {
		t.Errorf("asked for %v, %v", s.Chats(), err)
	}
}

func progressIsShown(t *testing.T, kind string) {
	g, err := chat(t.Context(), backend(t, quirkserver.New(kind)), model.Request{})
	if err != nil || len(g.reading) != 2 || g.reading[1].Done != g.done.PromptTokens || !g.done.CacheKnown || g.done.PromptTime == 0 {
		t.Errorf("%+v, %+v, %v", g.reading, g.done, err)
	}
}

func rolesMayRepeat(t *testing.T, kind string) {
	g, err := played(t, kind, events(
		piece(`{"role":"assistant","content":null}`), piece(`{"role":"assistant","content":"o"}`), piece(`{"role":"assistant","content":null}`),
		piece(`{"role":"assistant","content":"ne"}`), finish("stop"), "[DONE]",
	))
	if err != nil || g.text != "one" {
		t.Errorf("%+v, %v", g, err)
	}
}

func schemaGoesAlone(t *testing.T, kind string) {
	s := quirkserver.New(kind)
	req := search()
	req.Format = json.RawMessage(`{"type":"object"}`)
	if _, err := chat(t.Context(), backend(t, s), req); err != nil || s.Chats()[0]["tools"] != nil || s.Chats()[0]["response_format"] == nil {
		t.Errorf("sent was %v, %v", s.Chats(), err)
	}
}

func countIsExact(t *testing.T, kind string) {
	b, req := backend(t, quirkserver.New(kind)), search()
	req.Model = coder
	count, err := b.Count(t.Context(), req)
	g, chatErr := chat(t.Context(), b, req)
	if err != nil || chatErr != nil || count == 0 || count != g.done.PromptTokens {
		t.Errorf("%d before and %d after, %v, %v", count, g.done.PromptTokens, err, chatErr)
	}
}

// used is the end of a reply to a prompt of 100 tokens.
func used(more string) quirkserver.Reply {
	return events(say("one"), finish("stop"), `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":3`+more+`}}`, "[DONE]")
}

func noneIsReused(t *testing.T, kind string) {
	g, err := played(t, kind, used(`,"prompt_tokens_details":{"cached_tokens":0}`))
	if err != nil || !g.done.CacheKnown || g.done.CachedTokens != 0 {
		t.Errorf("%+v, %v", g.done, err)
	}
}

func ignoredSchemaIsFound(t *testing.T, kind string) {
	s := quirkserver.New(kind, quirkserver.IgnoresResponseFormat, quirkserver.IgnoresStructuredOutputs, quirkserver.IgnoresGrammar)
	b := backend(t, s)
	a, err := b.Probe(t.Context(), coder)
	if err != nil || a.Schema != model.NoSchema {
		t.Errorf("%+v, %v", a, err)
	}
	if info, err := b.Describe(t.Context(), coder); err != nil || !info.Unconstrained {
		t.Errorf("%+v, %v", info, err)
	}
}

func thinkingGoesBack(t *testing.T, kind string) {
	for _, field := range []string{"reasoning", "reasoning_content"} {
		s := quirkserver.New(kind)
		s.Play(events(piece(`{"`+field+`":"Let me see."}`), say("Yes."), finish("stop"), "[DONE]"))
		b := backend(t, s)
		g, err := chat(t.Context(), b, model.Request{})
		if err != nil || g.thinking != "Let me see." || g.text != "Yes." {
			t.Errorf("%s: %+v, %v", field, g, err)
		}
		again := model.Request{Messages: append(question("?"), model.Message{Role: model.RoleAssistant, Text: "Yes.", Thinking: "Let me see."})}
		if _, err := chat(t.Context(), b, again); err != nil {
			t.Fatal(err)
		}
		if sent := s.Chats()[1]["messages"].([]any)[1].(map[string]any); sent[field] != "Let me see." || len(sent) != 3 {
			t.Errorf("%v went back", sent)
		}
	}
}

func refusedToolsAreFound(t *testing.T, kind string) {
	b := backend(t, quirkserver.New(kind, quirkserver.NoToolParser))
	if a, err := b.Probe(t.Context(), coder); err != nil || a.Calls != model.NoCalls || a.CallReason == "" {
		t.Errorf("%+v, %v", a, err)
	}
	if info, err := b.Describe(t.Context(), coder); err != nil || info.Can("tools") {
		t.Errorf("%+v, %v", info, err)
	}
}

func noToolsWithoutTools(t *testing.T, kind string) {
	s := quirkserver.New(kind)
	_, err := chat(t.Context(), backend(t, s), model.Request{})
	if _, sent := s.Chats()[0]["tools"]; err != nil || sent || s.Chats()[0]["tool_choice"] != nil {
		t.Errorf("sent was %v, %v", s.Chats(), err)
	}
}

// strictWhereItHelps: only vLLM holds arguments to a schema because of it; others may refuse what they do not know.
func strictWhereItHelps(t *testing.T, kind string) {
	strict := model.Tool{Name: "a", Parameters: json.RawMessage(`{"type":"object","properties":{"x":{"type":"object","properties":{},"required":[],"additionalProperties":false}},"required":["x"],"additionalProperties":false}`)}
	loose := model.Tool{Name: "b", Parameters: json.RawMessage(`{"type":"object","properties":{"x":{"type":"object","properties":{"y":{}}}},"required":["x"],"additionalProperties":false}`)}
	s := quirkserver.New(kind)
	if _, err := chat(t.Context(), backend(t, s), model.Request{Tools: []model.Tool{strict, loose}}); err != nil {
		t.Fatal(err)
	}
	var marks []any
	for _, tool := range s.Chats()[0]["tools"].([]any) {
		marks = append(marks, tool.(map[string]any)["function"].(map[string]any)["strict"])
	}
	want := []any{nil, nil}
	if kind == quirkserver.VLLM {
		want[0] = true
	}
	if !slices.Equal(marks, want) {
		t.Errorf("%v", marks)
	}
}

func lostArgumentsAreAskedFor(t *testing.T, kind string) {
	s := quirkserver.New(kind, quirkserver.LosesArguments)
	g, err := chat(t.Context(), backend(t, s), search())
	if err != nil || len(g.calls) != 1 || string(g.calls[0].Arguments) != `{"word": "this"}` || len(s.Chats()) != 2 || s.Chats()[1]["stream"] != false {
		t.Errorf("%+v of %v, %v", g, s.Chats(), err)
	}
}

func cachedMayBeUnknown(t *testing.T, kind string) {
	for _, quirks := range [][]quirkserver.Quirk{nil, {quirkserver.TellsCached}} {
		g, err := chat(t.Context(), backend(t, quirkserver.New(kind, quirks...)), model.Request{})
		if told := len(quirks) > 0; err != nil || g.done.CacheKnown != told || (g.done.CachedTokens > 0) != told {
			t.Errorf("%q: %+v, %v", quirks, g.done, err)
		}
	}
}

func contextHasManyNames(t *testing.T, kind string) {
	want := map[quirkserver.Quirk]int{quirkserver.RenamesContext: 2048, quirkserver.StripsContext: 0}
	for q, n := range want {
		if info := described(t, quirkserver.New(kind, q)); info.LoadedContext != n || info.ContextLimit != n {
			t.Errorf("%s: %+v", q, info)
		}
	}
}

func lateArgumentsAreAssembled(t *testing.T, kind string) {
	const a, b = `{"path":"a"}`, `{"path":"b"}`
	g, err := played(t, kind, events(
		call(`"index":0,"id":"0",`+function("grep", "")), call(`"index":0,"id":"1",`+function("grep", "")),
		call(`"index":0,"id":"0",`+function("", a)), call(`"index":0,"id":"1",`+function("", b)), finish("tool_calls"), "[DONE]",
	))
	if want := calls("0", "grep", a, "1", "grep", b); err != nil || len(g.calls) != 2 || string(g.calls[0].Arguments) != a || string(g.calls[1].Arguments) != b {
		t.Errorf("%q, want %q, %v", g.calls, want, err)
	}
}

// errorsMayBeBare, and a parser of thoughts may take the whole answer, where a server has one.
func errorsMayBeBare(t *testing.T, kind string) {
	_, err := played(t, kind, quirkserver.Reply{Status: http.StatusBadRequest, Body: `"bad schema"`})
	failed(t, err, model.Refused, "bad schema")
	g, err := played(t, kind, events(piece(`{"reasoning_content":"Four."}`), finish("stop"), "[DONE]"))
	if kind == quirkserver.SGLang || kind == quirkserver.VLLM {
		failed(t, err, model.Incomplete, "--reasoning-parser")
	} else if err != nil {
		t.Error(err)
	}
	if g.thinking != "Four." {
		t.Errorf("what was said is lost: %+v", g)
	}
}

func noObjectsForLMStudio(t *testing.T, kind string) {
	s := quirkserver.New(kind)
	s.Play(events(piece(`{"content":"{}","tool_calls":[]}`), finish("stop"), "[DONE]"))
	g, err := chat(t.Context(), backend(t, s), model.Request{Format: json.RawMessage(`{"type":"object"}`)})
	format, ok := s.Chats()[0]["response_format"].(map[string]any)
	if !ok || format["type"] != "json_schema" || s.Chats()[0]["tool_choice"] != nil {
		t.Errorf("sent was %v", s.Chats())
	}
	if err != nil || g.text != "{}" || g.calls != nil {
		t.Errorf("%+v, %v", g, err)
	}
}

func contextIsInItsOwnList(t *testing.T, kind string) {
	for _, quirks := range [][]quirkserver.Quirk{nil, {quirkserver.NoOwners}} {
		if info := described(t, quirkserver.New(kind, quirks...)); info.LoadedContext != 2048 || info.ContextLimit != 2048 {
			t.Errorf("%q: %+v", quirks, info)
		}
	}
}

func ollamaIsRefused(t *testing.T, kind string) {
	_, err := chat(t.Context(), backend(t, quirkserver.New(kind)), model.Request{})
	failed(t, err, model.Refused, "is Ollama", "kind ollama")
}

func heldStreamIsFound(t *testing.T, kind string) {
	synctest.Test(t, func(t *testing.T) {
		for _, wait := range []time.Duration{0, 3 * time.Second} {
			reply := events(append(slices.Repeat([]string{say("word ")}, 30), finish("stop"), "[DONE]")...)
			reply.Before = wait
			if g, err := played(t, kind, reply); err != nil || g.done.AtOnce != (wait > 0) {
				t.Errorf("after %v: %+v, %v", wait, g.done, err)
			}
		}
	})
}

func emptyIDIsNone(t *testing.T, kind string) {
	for _, reason := range []string{"tool_calls", "stop", "end_turn"} { // it may lie
		g, err := played(t, kind, events(
			call(`"index":0,"id":"1",`+function("grep", `{"path"`)), call(`"index":0,"id":"",`+function("", `:"a"}`)), finish(reason), "[DONE]",
		))
		if err != nil || len(g.calls) != 1 || string(g.calls[0].Arguments) != `{"path":"a"}` || g.done.Reason != reason {
			t.Errorf("%s: %q, %v", reason, g.calls, err)
		}
	}
}

// grammarIsFound: where a schema is not obeyed, a grammar may be, and a guided reply is then held by it.
func grammarIsFound(t *testing.T, kind string) {
	s := quirkserver.New(kind, quirkserver.IgnoresResponseFormat)
	b := backend(t, s)
	if a, err := b.Probe(t.Context(), coder); err != nil || a.Schema != model.ByGrammar {
		t.Errorf("%+v, %v", a, err)
	}
	if info, err := b.Describe(t.Context(), coder); err != nil || info.Unconstrained {
		t.Errorf("%+v, %v", info, err)
	}
	req := search()
	req.Format = json.RawMessage(`{"type":"object","properties":{"do":{"const":"talk"}},"required":["do"]}`)
	if _, err := chat(t.Context(), b, req); err != nil {
		t.Fatal(err)
	}
	sent := s.Chats()[len(s.Chats())-1]
	if text, _ := sent["grammar"].(string); !strings.HasPrefix(text, "root ::= ") || !strings.Contains(text, `"\"talk\""`) || sent["response_format"] != nil || sent["tools"] != nil {
		t.Errorf("sent was %v", sent)
	}
}

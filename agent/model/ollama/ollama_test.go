package ollama_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/ollama"
)

const coder = "qwen2.5-coder:1.5b"

// chat collects a reply.
func chat(ctx context.Context, b *ollama.Backend, req model.Request) (text string, chunks []model.Chunk, err error) {
	if req.Model == "" {
		req.Model = coder
	}
	err = b.Chat(ctx, req, func(c model.Chunk) error {
		text += c.Text
		chunks = append(chunks, c)
		return nil
	})
	return text, chunks, err
}

func backend(t *testing.T, script string) (*agenttest.Server, *ollama.Backend) {
	t.Helper()
	server, base := agenttest.Start(t, script)
	return server, ollama.New(base, agenttest.Way())
}

func question(text string) []model.Message {
	return []model.Message{{Role: model.RoleUser, Text: text}}
}

func TestChat(t *testing.T) {
	_, b := backend(t, `
model thinker capabilities=completion,tools,thinking
turn
expect: user: What time is it?
expect: get_time
expect-not: secret
think: I need
think: " a clock."
say: Let me
say: " see."
call get_time {"zone": "a<b & c", "at": {"z": 1, "a": 2}, "big": 1}
usage prompt=640 cached=600 output=12 load=2s prompt-time=1s output-time=500ms
reason stop
`)
	tool := model.Tool{Name: "get_time", Description: "tells the time", Parameters: json.RawMessage(`{"type":"object","properties":{"zone":{"type":"string"}}}`)}
	_, chunks, err := chat(t.Context(), b, model.Request{Model: "thinker", Messages: question("What time is it?"), Tools: []model.Tool{tool}})
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Chunk{
		{Thinking: "I need"},
		{Thinking: " a clock."},
		{Text: "Let me"},
		{Text: " see."},
		{Calls: []model.Call{{ID: "call_1_0", Name: "get_time", Arguments: json.RawMessage(`{"zone":"a<b & c","at":{"a":2,"z":1},"big":1}`)}}},
		{Done: &model.Done{Reason: "stop", PromptTokens: 640, CachedTokens: 600, CacheKnown: true, OutputTokens: 12, LoadTime: 2 * time.Second, PromptTime: time.Second, OutputTime: 500 * time.Millisecond}},
	}
	if diff := cmp.Diff(want, chunks); diff != "" {
		t.Error(diff)
	}
}

// How much a model thinks is true, false or a level on the wire, and nothing where nobody says.
func TestThink(t *testing.T) {
	for think, want := range map[model.Think]string{"": "", model.ThinkOn: "true", model.ThinkOff: "false", model.ThinkLow: `"low"`, model.ThinkMedium: `"medium"`, model.ThinkHigh: `"high"`} {
		server, b := backend(t, "model thinker capabilities=completion,thinking\nturn\nsay Hi.")
		if _, _, err := chat(t.Context(), b, model.Request{Model: "thinker", Sampling: model.Sampling{Think: think}}); err != nil {
			t.Fatal(err)
		}
		var got map[string]json.RawMessage
		if err := json.Unmarshal(server.Chats()[0].Body, &got); err != nil || string(got["think"]) != want {
			t.Errorf("%q: think is %s (%v)", think, got["think"], err)
		}
	}
	_, b := backend(t, "model gpt-oss capabilities=completion,thinking\nturn\nstatus 400 think value \"high\" is not supported for this model")
	if _, _, err := chat(t.Context(), b, model.Request{Model: "gpt-oss"}); err == nil || !strings.Contains(err.Error(), "Write think: true or think: false") {
		t.Errorf("%v", err)
	}
}

// What is sent, byte for byte where it matters.
// Invariant 4.
func TestChatRequest(t *testing.T) {
	server, b := backend(t, "model thinker capabilities=completion,tools,thinking\nturn\njson {\"tool\":\"answer\"}")
	temperature, penalty := 0.2, 1.05
	req := model.Request{
		Model: "thinker", ContextSize: 8192, MaxTokens: 100, Temperature: &temperature,
		Sampling: model.Sampling{Temperature: new(float64), RepeatPenalty: &penalty, Think: model.ThinkHigh},
		Think:    model.ThinkOff, KeepAlive: 10 * time.Minute, Format: json.RawMessage(`{"type":"object"}`),
		Messages: []model.Message{
			{Role: model.RoleSystem, Text: "Be brief."},
			{Role: model.RoleUser, Text: "Look.", Images: [][]byte{{1, 2}}},
			{Role: model.RoleAssistant, Calls: []model.Call{{ID: "a", Name: "ls", Arguments: json.RawMessage(`{"z":1,"a":2}`)}}},
			{Role: model.RoleTool, Text: "none", CallID: "a", ToolName: "ls"},
		},
	}
	if text, _, err := chat(t.Context(), b, req); err != nil || text != `{"tool":"answer"}` {
		t.Fatalf("%q, %v", text, err)
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(server.Chats()[0].Body, &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"model": `"thinker"`, "stream": "true", "truncate": "false", "shift": "false", "think": "false", "keep_alive": `"10m0s"`,
		"format": `{"type":"object"}`, "options": `{"num_ctx":8192,"num_predict":100,"repeat_penalty":1.05,"temperature":0.2}`,
		"messages": `[{"role":"system","content":"Be brief."},{"role":"user","content":"Look.","images":["AQI="]},` +
			`{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"index":0,"name":"ls","arguments":{"z":1,"a":2}}}]},` +
			`{"role":"tool","content":"none","tool_name":"ls","tool_call_id":"a"}]`,
	} {
		if string(got[key]) != want {
			t.Errorf("%s is %s, want %s", key, got[key], want)
		}
	}
}

// A request that sets nothing sends no options: the model's own defaults hold.
func TestChatRequestWithoutOptions(t *testing.T) {
	server, b := backend(t, "turn\nsay: hi")
	if _, _, err := chat(t.Context(), b, model.Request{Messages: question("hello")}); err != nil {
		t.Fatal(err)
	}
	body := string(server.Chats()[0].Body)
	if !strings.Contains(body, `"options":{}`) || strings.Contains(body, "think") || strings.Contains(body, "keep_alive") {
		t.Errorf("sent %s", body)
	}
}

func TestChatRefusesWhatCannotBeSent(t *testing.T) {
	_, b := backend(t, "")
	for _, req := range []model.Request{
		{Tools: []model.Tool{{Name: "ls", Parameters: json.RawMessage(`[]`)}}},
		{Messages: []model.Message{{Role: model.RoleAssistant, Calls: []model.Call{{Name: "ls", Arguments: json.RawMessage(`[]`)}}}}},
	} {
		_, _, err := chat(t.Context(), b, req)
		if failure := (*model.Error)(nil); !errors.As(err, &failure) || failure.Kind != model.Refused || !strings.Contains(err.Error(), "ls") {
			t.Errorf("got %v", err)
		}
	}
}

func TestEachStopsTheChat(t *testing.T) {
	server, b := backend(t, "turn\nsay: a\nhang")
	enough := errors.New("enough")
	err := b.Chat(t.Context(), model.Request{Model: coder}, func(model.Chunk) error { return enough })
	if !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	if err := server.WaitGone(t.Context(), 1); err != nil {
		t.Error(err)
	}
}

func TestModelsAndDescribe(t *testing.T) {
	_, b := backend(t, `
version 0.17.4
model qwen2.5-coder:1.5b context=32768 loaded=4096 bytes=1000 vram=500 parser=hermes
template: {{ .Messages }}
model other:latest family=llama parameters=8B quantization=Q8_0 capabilities=completion context=2048
`)
	version, err := b.Version(t.Context())
	if version != "0.17.4" || err != nil {
		t.Errorf("version %q, %v", version, err)
	}
	models, err := b.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := model.Info{
		Name: coder, Family: "qwen2", Parameters: "1.5B", Quantization: "Q4_K_M", Bytes: 1000,
		Digest: models[0].Digest, LoadedContext: 4096, LoadedBytes: 1000, VRAMBytes: 500,
	}
	if diff := cmp.Diff(want, models[0]); diff != "" || len(models) != 2 {
		t.Errorf("%d models, first: %s", len(models), diff)
	}
	want.Template, want.Parser, want.ContextLimit, want.Capabilities = "{{ .Messages }}", "hermes", 32768, []string{"completion", "tools"}
	got, err := b.Describe(t.Context(), coder)
	want.Endpoint = model.Endpoint{Kind: "ollama", Address: "127.0.0.1", Port: got.Endpoint.Port}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
	got, err = b.Describe(t.Context(), "other")
	if err != nil || got.Name != "other:latest" || got.ContextLimit != 2048 || got.LoadedBytes != 0 || got.Can("tools") {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestPreload(t *testing.T) {
	server, b := backend(t, "")
	if err := b.Preload(t.Context(), coder, 8192, -1); err != nil {
		t.Fatal(err)
	}
	info, err := b.Describe(t.Context(), coder)
	if err != nil || info.LoadedContext != 8192 {
		t.Errorf("%+v, %v", info, err)
	}
	if body := string(server.Requests()[0].Body); !strings.Contains(body, `"keep_alive":-1`) {
		t.Errorf("sent %s", body)
	}
}

func TestRenderOnly(t *testing.T) {
	server, b := backend(t, "")
	got, err := b.RenderOnly(t.Context(), model.Request{Model: coder, Messages: question("hello")})
	if err != nil || got != "user: hello\n" {
		t.Errorf("%q, %v", got, err)
	}
	if body := string(server.Requests()[0].Body); !strings.Contains(body, `"_debug_render_only":true`) {
		t.Errorf("sent %s", body)
	}
}

// TestBody is what Chat sends, and sends nothing.
func TestBody(t *testing.T) {
	server, b := backend(t, "turn\nsay: Hi.\n")
	req := model.Request{
		Model: coder, Messages: question("a <b> \u202e\u2028 & \"c\""), ContextSize: 4096, Format: []byte(`{"type":"object"}`),
		Tools: []model.Tool{{Name: "x", Description: "<d>", Parameters: []byte(`{"type":"object","properties":{}}`)}},
	}
	body, err := b.Body(t.Context(), req)
	if err != nil || len(server.Requests()) != 0 {
		t.Fatalf("%v, after %d requests", err, len(server.Requests()))
	}
	if err := b.Chat(t.Context(), req, func(model.Chunk) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if got := string(server.Chats()[0].Body); got != string(body) {
		t.Errorf("Body is\n%s\nand sent is\n%s", body, got)
	}
	req.Tools[0].Parameters = []byte("no schema")
	if body, err := b.Body(t.Context(), req); err == nil {
		t.Errorf("a request that cannot be written is %q", body)
	}
}

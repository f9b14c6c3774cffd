package openai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
)

// played is what a chat brings when the server answers so.
func played(t *testing.T, kind string, reply ...quirkserver.Reply) (got, error) {
	t.Helper()
	s := quirkserver.New(kind)
	s.Play(reply...)
	return chat(t.Context(), backend(t, s), model.Request{Tools: []model.Tool{tool("read_file"), tool("grep")}})
}

func calls(pairs ...string) []model.Call {
	var list []model.Call
	for i := 0; i < len(pairs); i += 3 {
		list = append(list, model.Call{ID: pairs[i], Name: pairs[i+1], Arguments: json.RawMessage(pairs[i+2])})
	}
	return list
}

func call(fields string) string { return piece(`{"tool_calls":[{` + fields + `}]}`) }

func function(name, arguments string) string {
	raw, _ := json.Marshal(arguments) // of a text
	f := `"function":{"arguments":` + string(raw)
	if name != "" {
		f += `,"name":"` + name + `"`
	}
	return f + `}`
}

// TestCallsAreAssembled: by id, else by index, else into the last call; an empty id is none, and what the server says
// about the end is only a hint.
func TestCallsAreAssembled(t *testing.T) {
	const a, b = `{"path":"a"}`, `{"path":"b"}`
	for _, test := range []struct {
		name   string
		events []string
		want   []model.Call
	}{
		{"whole", []string{call(`"index":0,"id":"1",` + function("grep", a))}, calls("1", "grep", a)},
		{"in pieces", []string{call(`"index":0,"id":"1",` + function("grep", "")), call(`"index":0,` + function("", `{"path"`)), call(`"index":0,` + function("", `:"a"}`))}, calls("1", "grep", a)},
		{"later ids are empty", []string{call(`"index":0,"id":"1",` + function("grep", `{"path"`)), call(`"index":0,"id":"",` + function("", `:"a"}`))}, calls("1", "grep", a)},
		{"later ids are null", []string{call(`"index":0,"id":"1",` + function("grep", `{"path"`)), call(`"index":0,"id":null,` + function("", `:"a"}`))}, calls("1", "grep", a)},
		{"ids that change", []string{call(`"index":0,"id":"1",` + function("grep", `{"path"`)), call(`"index":0,"id":"2",` + function("", `:"a"}`))}, calls("1", "grep", a)},
		{"the name and an id in each piece", []string{call(`"index":0,"id":"1",` + function("grep", `{"path"`)), call(`"index":0,"id":"1",` + function("grep", `:"a"}`))}, calls("1", "grep", a)},
		{"the name in each piece, no id", []string{call(`"index":0,` + function("grep", "")), call(`"index":0,` + function("grep", `{"path"`)), call(`"index":0,` + function("grep", `:"a"}`))}, calls("", "grep", a)},
		{"two by index", []string{call(`"index":0,"id":"1",` + function("grep", `{"path"`)), call(`"index":1,"id":"2",` + function("grep", `{"path"`)), call(`"index":0,` + function("", `:"a"}`)), call(`"index":1,` + function("", `:"b"}`))}, calls("1", "grep", a, "2", "grep", b)},
		{"two by id, one index", []string{call(`"index":0,"id":"0",` + function("grep", `{"path"`)), call(`"index":0,"id":"1",` + function("grep", `{"path"`)), call(`"index":0,"id":"0",` + function("", `:"a"}`)), call(`"index":0,"id":"1",` + function("", `:"b"}`))}, calls("0", "grep", a, "1", "grep", b)},
		{"two whole ones at one index without id", []string{call(`"index":0,` + function("grep", a)), call(`"index":0,` + function("grep", b))}, calls("", "grep", a, "", "grep", b)},
		{"other tools at one index", []string{call(`"index":0,` + function("grep", a)), call(`"index":0,` + function("read_file", b))}, calls("", "grep", a, "", "read_file", b)},
		{"no index", []string{call(`"id":"1",` + function("grep", `{"path"`)), call(function("", `:"a"}`)), call(`"id":"2",` + function("grep", `{"path"`)), call(function("", `:"b"}`))}, calls("1", "grep", a, "2", "grep", b)},
		{"a gap before an index", []string{call(`"index":3,"id":"1",` + function("grep", `{"path"`)), call(`"index":3,` + function("", `:"a"}`))}, calls("1", "grep", a)},
		{"an index that nobody opened", []string{call(`"index":0,"id":"1",` + function("grep", `{"path"`)), call(`"index":1,` + function("", `:"a"}`))}, calls("1", "grep", a)},
		{"an object as arguments", []string{call(`"index":0,"id":"1","function":{"name":"grep","arguments":{"path":"a"}}`)}, calls("1", "grep", a)},
		{"a number as id", []string{call(`"index":0,"id":7,` + function("grep", a))}, calls("7", "grep", a)},
		{"an older version", []string{piece(`{"function_call":{"name":"grep","arguments":"{\"path\""}}`), piece(`{"function_call":{"arguments":":\"a\"}"}}`)}, calls("", "grep", a)},
		{"an empty list", []string{piece(`{"content":"x","tool_calls":[]}`)}, nil},
		{"no name", []string{call(`"index":0,"id":"1",` + function("", a))}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, reason := range []string{"tool_calls", "stop", "length", "end_turn"} { // it may lie
				g, err := played(t, quirkserver.SGLang, events(append(slices.Clone(test.events), finish(reason), "[DONE]")...))
				if err != nil || !reflect.DeepEqual(g.calls, test.want) || g.done == nil || g.done.Reason != reason {
					t.Errorf("%s: %q, %v", reason, g.calls, err)
				}
			}
		})
	}
}

// Streams that are odd but whole are understood.
func TestOddStreams(t *testing.T) {
	body := func(text string) quirkserver.Reply { return quirkserver.Reply{Body: text} }
	one, end := "data: "+say("one")+"\n\n", "data: "+finish("stop")+"\n\n"
	for _, test := range []struct {
		name  string
		reply quirkserver.Reply
		text  string
	}{
		{"roles and nulls again and again", events(piece(`{"role":"assistant","content":null}`), piece(`{"role":"assistant","content":"one"}`), piece(`{"role":"assistant","content":null}`), finish("stop"), "[DONE]"), "one"},
		{"no [DONE]", events(say("one"), finish("stop")), "one"},
		{"no reason", events(say("one"), "[DONE]"), "one"},
		{"windows line ends", body(strings.ReplaceAll(one+end, "\n", "\r\n")), "one"},
		{"no empty lines", body(strings.ReplaceAll(one+end, "\n\n", "\n")), "one"},
		{"no space", body(strings.ReplaceAll(one+end, "data: ", "data:")), "one"},
		{"comments and names", body(": ping\n\nevent: message\nid: 1\n" + one + ":\n\nretry: 10\n" + end), "one"},
		{"no last line end", body(one + "data: " + finish("stop")), "one"},
		{"an event over two lines", body("data: {\"choices\":[{\"delta\":\ndata: {\"content\":\"one\"}}]}\n\n" + end), "one"},
		{"content in parts", events(piece(`{"content":[{"type":"text","text":"o"},{"type":"text","text":"ne"}]}`), finish("stop")), "one"},
		{"a list without a choice first", events(`{"object":"chat.completion.chunk","choices":[]}`, say("one"), finish("stop")), "one"},
		{"no stream at all", body(`{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"one"},"finish_reason":"stop"}]}`), "one"},
		{"no stream, over many lines", body("\n{\n \"choices\": [\n{\"message\": {\"content\": \"one\"},\n\"finish_reason\": \"stop\"}]}\n"), "one"},
		{"lines of JSON", body(say("o") + "\n" + say("ne") + "\n" + finish("stop") + "\n"), "one"},
		{"a line of 2 MB", events(say(strings.Repeat("x", 2_000_000)), finish("stop")), strings.Repeat("x", 2_000_000)},
		{"noise behind the end", events(say("one"), "[DONE]", "<garbage>"), "one"},
		{"an error that is null", events(`{"error":null,"choices":[{"delta":{"content":"one"}}]}`, finish("stop")), "one"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, err := played(t, quirkserver.Gateway, test.reply)
			if err != nil || g.text != test.text || g.done == nil || g.done.Reason != "stop" {
				t.Errorf("%d bytes, %+v, %v", len(g.text), g.done, err)
			}
		})
	}
}

// A connection that stays open behind the last token does not hold up the reply.
func TestAConnectionThatStaysOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reply := events(say("one"), finish("stop"))
		reply.Hang = true
		if g, err := played(t, quirkserver.Gateway, reply); err != nil || g.text != "one" || g.done == nil {
			t.Errorf("%+v, %v", g, err)
		}
	})
}

func TestBrokenReplies(t *testing.T) {
	for _, test := range []struct {
		name  string
		reply quirkserver.Reply
		text  string // what must have arrived
		kind  model.Kind
		words []string
	}{
		{"it ends early", events(say("one")), "one", model.Incomplete, []string{"ended the reply before it was whole", "send again"}},
		{"nothing", quirkserver.Reply{}, "", model.Incomplete, []string{"ended the reply"}},
		{"a page", quirkserver.Reply{Body: "<!DOCTYPE html>\n<html>login</html>"}, "", model.Incomplete, []string{"does not speak the OpenAI protocol", "http://gpu.lan:9931"}},
		{"success with an error inside", quirkserver.Reply{Body: `{"error":{"message":"CUDA out of memory"}}`}, "", model.Incomplete, []string{"CUDA out of memory", "smaller"}},
		{"a bare string", quirkserver.Reply{Body: `"no"`}, "", model.Incomplete, []string{`"no"`}},
		{"other JSON", quirkserver.Reply{Body: `{"hello":1}`}, "", model.Incomplete, []string{"does not speak the OpenAI protocol"}},
		{"text", quirkserver.Reply{Body: "upstream gone\n"}, "", model.Incomplete, []string{"upstream gone"}},
		{"an error in the stream", events(say("one"), `{"error":{"message":"the engine died"}}`), "one", model.Incomplete, []string{"the engine died"}},
		{"an error event of llama.cpp", quirkserver.Reply{Body: "data: " + say("one") + "\n\nerror: {\"message\":\"slot gone\",\"error\":\"slot gone\"}\n\n"}, "one", model.Incomplete, []string{"slot gone"}},
		{"an error of FastAPI in the stream", events(say("one"), `{"detail":[{"loc":["x"],"msg":"field required"}]}`), "one", model.Incomplete, []string{"field required"}},
		{"no JSON in the stream", quirkserver.Reply{Body: "data: " + say("one") + "\n\ndata: <html>\n\n"}, "one", model.Incomplete, []string{"<html>"}},
		{"a line above the limit", events(say("one"), say(strings.Repeat("x", 9_000_000))), "one", model.Incomplete, []string{"a line of more than 8 MB"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, err := played(t, quirkserver.Gateway, test.reply)
			failed(t, err, test.kind, test.words...)
			if g.text != test.text || g.done != nil {
				t.Errorf("%+v arrived", g)
			}
		})
	}
}

func TestThinkingGoesBackAsItCame(t *testing.T) {
	for _, field := range []string{"reasoning", "reasoning_content"} {
		s := quirkserver.New(quirkserver.VLLM)
		s.Play(events(piece(`{"`+field+`":"Let me see."}`), say("Yes."), finish("stop"), "[DONE]"))
		b := backend(t, s)
		g, err := chat(t.Context(), b, model.Request{})
		if err != nil || g.thinking != "Let me see." || g.text != "Yes." {
			t.Errorf("%s: %+v, %v", field, g, err)
		}
		if _, err := chat(t.Context(), b, model.Request{Messages: []model.Message{{Role: model.RoleUser, Text: "?"}, {Role: model.RoleAssistant, Text: "Yes.", Thinking: "Let me see."}, {Role: model.RoleUser, Text: "Sure?"}}}); err != nil {
			t.Fatal(err)
		}
		if sent := s.Chats()[1]["messages"].([]any)[1].(map[string]any); sent[field] != "Let me see." || len(sent) != 3 {
			t.Errorf("%v went back", sent)
		}
	}
	g, err := played(t, quirkserver.VLLM, events(piece(`{"reasoning":"twice","reasoning_content":"twice"}`), say("Yes."), finish("stop")))
	if err != nil || g.thinking != "twice" {
		t.Errorf("in both fields: %+v, %v", g, err)
	}
}

func TestASwallowedAnswer(t *testing.T) {
	for _, field := range []string{"reasoning", "reasoning_content"} {
		g, err := played(t, quirkserver.SGLang, events(piece(`{"`+field+`":"Four."}`), finish("stop"), "[DONE]"))
		failed(t, err, model.Incomplete, "--reasoning-parser")
		if g.thinking != "Four." {
			t.Errorf("what was said is lost: %+v", g)
		}
	}
	if _, err := played(t, quirkserver.SGLang, events(piece(`{"reasoning":"Hm."}`), finish("length"), "[DONE]")); err != nil {
		t.Errorf("a thought that was cut: %v", err)
	}
	if _, err := played(t, quirkserver.LlamaCpp, events(piece(`{"reasoning_content":"Hm."}`), finish("stop"), "[DONE]")); err != nil {
		t.Errorf("a server that has no such parser: %v", err)
	}
}

func TestProgressAndUsage(t *testing.T) {
	s := quirkserver.New(quirkserver.LlamaCpp)
	b := backend(t, s)
	g, err := chat(t.Context(), b, model.Request{Messages: question(strings.Repeat("word ", 100))})
	if err != nil {
		t.Fatal(err)
	}
	n := g.done.PromptTokens
	if want := []model.Reading{{Done: n / 2, Total: n}, {Done: n, Total: n}}; !slices.Equal(g.reading, want) {
		t.Errorf("it read %v, want %v", g.reading, want)
	}
	if g.text != "Hello." {
		t.Errorf("the message is %q", g.text)
	}
	if !g.done.CacheKnown || g.done.CachedTokens != n/2 || g.done.PromptTime != 20500*time.Microsecond || g.done.OutputTime != 10*time.Millisecond {
		t.Errorf("%+v", g.done)
	}
}

func TestCachedTokens(t *testing.T) {
	usage := func(text string) quirkserver.Reply {
		return events(say("one"), finish("stop"), `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":3`+text+`}}`, "[DONE]")
	}
	for _, test := range []struct {
		name   string
		reply  quirkserver.Reply
		cached int
		known  bool
	}{
		{"not told", usage(""), 0, false},
		{"details are null", usage(`,"prompt_tokens_details":null`), 0, false},
		{"the count is null", usage(`,"prompt_tokens_details":{"cached_tokens":null}`), 0, false},
		{"none", usage(`,"prompt_tokens_details":{"cached_tokens":0}`), 0, true},
		{"some", usage(`,"prompt_tokens_details":{"cached_tokens":64}`), 64, true},
		{"more than there are", usage(`,"prompt_tokens_details":{"cached_tokens":640}`), 0, false},
		{"usage in each piece", events(`{"choices":[{"delta":{"content":"one"}}],"usage":{"prompt_tokens":100,"completion_tokens":1}}`, `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":3}}`, "[DONE]"), 0, false},
	} {
		g, err := played(t, quirkserver.VLLM, test.reply)
		if err != nil || g.done.PromptTokens != 100 || g.done.OutputTokens != 3 || g.done.CachedTokens != test.cached || g.done.CacheKnown != test.known {
			t.Errorf("%s: %+v, %v", test.name, g.done, err)
		}
	}
}

// Something on the way collects the stream and passes it on at its end.
func TestAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var list []string
		for range 30 {
			list = append(list, say("word "))
		}
		late := events(append(list, finish("stop"), "[DONE]")...)
		late.Before = 3 * time.Second
		if g, err := played(t, quirkserver.Gateway, late); err != nil || !g.done.AtOnce {
			t.Errorf("%+v, %v", g.done, err)
		}
		whole := quirkserver.Reply{Body: `{"choices":[{"message":{"content":"Yes."},"finish_reason":"stop"}]}`}
		if g, err := played(t, quirkserver.Gateway, whole); err != nil || !g.done.AtOnce {
			t.Errorf("no stream: %+v, %v", g.done, err)
		}
		few := events(say("Yes."), finish("stop"), "[DONE]")
		few.Before = 3 * time.Second
		if g, err := played(t, quirkserver.Gateway, few); err != nil || g.done.AtOnce {
			t.Errorf("a short reply: %+v, %v", g.done, err)
		}
		late.Before = 0
		if g, err := played(t, quirkserver.Gateway, late); err != nil || g.done.AtOnce {
			t.Errorf("a fast one: %+v, %v", g.done, err)
		}
	})
}

// TestLostArguments: a call that lost its arguments in the stream is asked for once more without one, if nothing was
// shown, and so are those that follow.
func TestLostArguments(t *testing.T) {
	req := model.Request{Tools: []model.Tool{tool("grep")}, Messages: question(`Look for "this".`)}
	s := quirkserver.New(quirkserver.VLLM, quirkserver.LosesArguments)
	b := backend(t, s)
	for range 2 {
		g, err := chat(t.Context(), b, req)
		if err != nil || len(g.calls) != 1 || string(g.calls[0].Arguments) != `{"word": "this"}` || g.done == nil || g.done.AtOnce {
			t.Errorf("%+v, %v", g, err)
		}
	}
	if bodies := s.Chats(); len(bodies) != 3 || bodies[0]["stream"] != true || bodies[1]["stream"] != false || bodies[1]["stream_options"] != nil || bodies[2]["stream"] != false {
		t.Errorf("asked were %v", bodies)
	}

	said := events(say("I look."), call(`"index":0,"id":"1",`+function("grep", "")), finish("tool_calls"), "[DONE]")
	s = quirkserver.New(quirkserver.VLLM)
	s.Play(said)
	g, err := chat(t.Context(), backend(t, s), req)
	if err != nil || len(s.Chats()) != 1 || g.text != "I look." || len(g.calls) != 1 || g.calls[0].Name != "grep" {
		t.Errorf("what was shown is not repeated: %+v, %v", g, err)
	}
	for _, arguments := range []string{`{"path"`, `{"path":"a"}`} {
		s = quirkserver.New(quirkserver.VLLM)
		s.Play(events(call(`"index":0,"id":"1",`+function("grep", arguments)), finish("length"), "[DONE]"))
		if _, err := chat(t.Context(), backend(t, s), req); err != nil || len(s.Chats()) != 1 {
			t.Errorf("%s, cut for its length: %d requests, %v", arguments, len(s.Chats()), err)
		}
	}
}

func TestEachEndsTheChat(t *testing.T) {
	enough := errors.New("enough")
	loading := quirkserver.New(quirkserver.LlamaCpp)
	loading.Loading = 1000
	err := backend(t, loading).Chat(t.Context(), model.Request{Model: coder}, func(model.Chunk) error { return enough })
	if !errors.Is(err, enough) {
		t.Errorf("while it loads: %v", err)
	}
	s := quirkserver.New(quirkserver.Gateway)
	s.Play(events(say("one"), say("two"), finish("stop")))
	n := 0
	err = backend(t, s).Chat(t.Context(), model.Request{Model: coder, Messages: question("?")}, func(model.Chunk) error {
		n++
		return enough
	})
	if !errors.Is(err, enough) || n != 1 {
		t.Errorf("%d chunks, %v", n, err)
	}
	s = quirkserver.New(quirkserver.VLLM)
	s.Play(
		events(call(`"index":0,"id":"1",`+function("grep", "")), finish("tool_calls"), "[DONE]"),
		events(say("in other words"), finish("stop"), "[DONE]"),
	)
	n = 0
	req := model.Request{Model: coder, Messages: question("?"), Tools: []model.Tool{tool("grep")}}
	err = backend(t, s).Chat(t.Context(), req, func(model.Chunk) error {
		n++
		return enough
	})
	if !errors.Is(err, enough) || n != 1 || len(s.Chats()) != 2 {
		t.Errorf("the second try of a lost call: %d chunks, %v", n, err)
	}
}

func TestRequests(t *testing.T) {
	five, half, text := 5, 0.5, json.RawMessage(`{"type":"object"}`)
	sampling := model.Sampling{Temperature: &half, TopP: &half, TopK: &five, MinP: &half, RepeatPenalty: &half, PresencePenalty: &half, Seed: &five, LongestReply: &five}
	request := func(kind string, req model.Request) map[string]any {
		t.Helper()
		s := quirkserver.New(kind)
		s.Play(events(say("one"), finish("stop"), "[DONE]"))
		if _, err := chat(t.Context(), backend(t, s), req); err != nil {
			t.Fatal(err)
		}
		return s.Chats()[0]
	}
	sorted := func(body map[string]any) []string {
		var keys []string
		for key := range body {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		return keys
	}
	plain := []string{"max_tokens", "messages", "model", "presence_penalty", "seed", "stream", "stream_options", "temperature", "top_p"}
	for kind, more := range map[string][]string{
		quirkserver.Gateway:  nil, // what the protocol does not know may be refused
		quirkserver.LlamaCpp: {"chat_template_kwargs", "min_p", "repeat_penalty", "return_progress", "top_k"},
		quirkserver.VLLM:     {"chat_template_kwargs", "min_p", "repetition_penalty", "top_k"},
		quirkserver.SGLang:   {"chat_template_kwargs", "min_p", "repetition_penalty", "top_k"},
		quirkserver.LMStudio: {"chat_template_kwargs", "min_p", "repeat_penalty", "top_k"},
	} {
		want := append(slices.Clone(plain), more...)
		slices.Sort(want)
		if keys := sorted(request(kind, model.Request{Sampling: sampling, Think: model.ThinkOff})); !slices.Equal(keys, want) {
			t.Errorf("%s gets %q, want %q", kind, keys, want)
		}
	}
	if body := request(quirkserver.VLLM, model.Request{Think: model.ThinkLow}); body["reasoning_effort"] != "low" {
		t.Errorf("%v", body)
	}
	if body := request(quirkserver.VLLM, model.Request{MaxTokens: 7, Sampling: sampling}); body["max_tokens"] != 7.0 {
		t.Errorf("%v", body)
	}
	less := -1
	if body := request(quirkserver.VLLM, model.Request{Sampling: model.Sampling{LongestReply: &less}}); body["max_tokens"] != nil {
		t.Errorf("%v", body)
	}
	for _, kind := range []string{quirkserver.LlamaCpp, quirkserver.VLLM, quirkserver.Gateway} {
		if body := request(kind, model.Request{Format: text, Tools: []model.Tool{tool("grep")}}); body["tools"] != nil || body["response_format"] == nil {
			t.Errorf("tools and a schema together: %v", body)
		}
	}
	s := quirkserver.New(quirkserver.Gateway)
	_, err := chat(t.Context(), backend(t, s), model.Request{Tools: []model.Tool{{Name: "bad", Parameters: json.RawMessage("{")}}})
	failed(t, err, model.Refused, "the tool bad")
	_, err = chat(t.Context(), backend(t, s), model.Request{Format: json.RawMessage("{")})
	failed(t, err, model.Refused, "schema")
}

func TestMessages(t *testing.T) {
	png, wav, mp3 := []byte("\x89PNG\x0d\x0a\x1a\x0a"), []byte("RIFF\x00\x00\x00\x00WAVE"), []byte("ID3\x04")
	s := quirkserver.New(quirkserver.VLLM)
	_, err := chat(t.Context(), backend(t, s), model.Request{Messages: []model.Message{
		{Role: model.RoleSystem, Text: "Be kind."},
		{Role: model.RoleSystem, Text: "Be short."},
		{Role: model.RoleUser, Text: "Look.", Images: [][]byte{png, wav, mp3}},
		{Role: model.RoleAssistant, Calls: []model.Call{{ID: "c1", Name: "grep", Arguments: json.RawMessage(`{"a":"<b>"}`)}, {Name: "list"}, {Name: "list"}}},
		{Role: model.RoleTool, CallID: "c1", ToolName: "grep", Text: "one"},
		{Role: model.RoleTool, ToolName: "list", Text: "two"},
		{Role: model.RoleTool, ToolName: "list", Text: "three"},
		{Role: model.RoleSystem, Text: "Now end."},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var sent struct {
		Messages json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(s.Requests("/v1/chat/completions")[0].Body, &sent); err != nil {
		t.Fatal(err)
	}
	want := `[{"content":"Be kind.\n\nBe short.","role":"system"},` +
		`{"content":[{"text":"Look.","type":"text"},{"image_url":{"url":"data:image/png;base64,iVBORw0KGgo="},"type":"image_url"},{"input_audio":{"data":"UklGRgAAAABXQVZF","format":"wav"},"type":"input_audio"},{"input_audio":{"data":"SUQzBA==","format":"mp3"},"type":"input_audio"}],"role":"user"},` +
		`{"content":"","role":"assistant","tool_calls":[{"function":{"arguments":"{\"a\":\"<b>\"}","name":"grep"},"id":"c1","type":"function"},{"function":{"arguments":"{}","name":"list"},"id":"call1","type":"function"},{"function":{"arguments":"{}","name":"list"},"id":"call2","type":"function"}]},` +
		`{"content":"one","name":"grep","role":"tool","tool_call_id":"c1"},{"content":"two","name":"list","role":"tool","tool_call_id":"call1"},{"content":"three","name":"list","role":"tool","tool_call_id":"call2"},` +
		`{"content":"Now end.","role":"user"}]`
	if !bytes.Equal(sent.Messages, []byte(want)) {
		t.Errorf("sent was\n%s\nwant\n%s", sent.Messages, want)
	}
}

// A field that a server refuses and that is not needed is left out from then on.
func TestARefusedFieldIsLeftOut(t *testing.T) {
	five := 5
	s := quirkserver.New(quirkserver.SGLang)
	refuse := func(field string) quirkserver.Reply {
		return quirkserver.Reply{Status: http.StatusBadRequest, Body: `{"detail":[{"type":"extra_forbidden","msg":"Extra inputs are not permitted: ` + field + `"}]}`}
	}
	s.Play(refuse("stream_options"), refuse("top_k"))
	b := backend(t, s)
	for range 2 {
		if g, err := chat(t.Context(), b, model.Request{Sampling: model.Sampling{TopK: &five, Seed: &five}}); err != nil || g.text != "Hello." {
			t.Fatalf("%+v, %v", g, err)
		}
	}
	if bodies := s.Chats(); len(bodies) != 4 || bodies[3]["stream_options"] != nil || bodies[3]["top_k"] != nil || bodies[3]["seed"] != 5.0 {
		t.Errorf("asked were %v", bodies)
	}
	s.Play(refuse("messages"))
	_, err := chat(t.Context(), b, model.Request{})
	failed(t, err, model.Refused, "messages")
	if n := len(s.Chats()); n != 5 {
		t.Errorf("%d requests", n)
	}
}

// A reply that may be longer than what is left of the context is asked for without that limit.
func TestALongReplyOfAPromptThatFits(t *testing.T) {
	s := quirkserver.New(quirkserver.VLLM)
	b := backend(t, s)
	if g, err := chat(t.Context(), b, model.Request{MaxTokens: 2048}); err != nil || g.text != "Hello." {
		t.Errorf("%+v, %v", g, err)
	}
	if bodies := s.Chats(); len(bodies) != 2 || bodies[1]["max_tokens"] != nil {
		t.Errorf("asked were %v", bodies)
	}
	if _, err := chat(t.Context(), b, model.Request{MaxTokens: 9}); err != nil || s.Chats()[2]["max_tokens"] != 9.0 {
		t.Errorf("it is kept for others: %v, %v", s.Chats(), err)
	}
}

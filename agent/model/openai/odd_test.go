package openai_test

import (
	"io"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/openai"
	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
)

// TestOddPieces: what is of another type than the protocol says, or stands where nothing belongs, costs a reply nothing
// but itself.
func TestOddPieces(t *testing.T) {
	raw := func(text string) quirkserver.Reply { return quirkserver.Reply{Body: text} }
	ends := func(more ...string) quirkserver.Reply {
		return events(append(append([]string{say("one")}, more...), finish("stop"), "[DONE]")...)
	}
	before := func(first ...string) quirkserver.Reply {
		return events(append(first, say("one"), finish("stop"), "[DONE]")...)
	}
	stream := "data: " + say("one") + "\n\ndata: " + finish("stop") + "\n\n"
	message := `{"choices":[{"index":0,"message":{"role":"assistant","content":"one"},"finish_reason":"stop"}]}`
	for name, reply := range map[string]quirkserver.Reply{
		"usage in fractions":            ends(`{"choices":[],"usage":{"prompt_tokens":12.0,"completion_tokens":3.5}}`),
		"usage in texts":                ends(`{"choices":[],"usage":{"prompt_tokens":"12","completion_tokens":"many"}}`),
		"usage that is a list":          ends(`{"choices":[],"usage":[1,2]}`),
		"usage below zero":              ends(`{"choices":[],"usage":{"prompt_tokens":-12,"completion_tokens":-1}}`),
		"usage beyond all bounds":       ends(`{"choices":[],"usage":{"prompt_tokens":1e300,"completion_tokens":99999999999999999999}}`),
		"details that are a number":     ends(`{"choices":[],"usage":{"prompt_tokens":12,"prompt_tokens_details":7}}`),
		"timings in texts":              ends(`{"choices":[],"timings":{"cache_n":"many","prompt_ms":"fast"}}`),
		"progress in texts":             before(`{"choices":[],"prompt_progress":{"total":"10","processed":"20"}}`),
		"progress that is a list":       before(`{"choices":[],"prompt_progress":[1]}`),
		"a reason that is an object":    events(`{"choices":[{"delta":{"content":"one"},"finish_reason":{"type":"stop"}}]}`, "[DONE]"),
		"a role that is a number":       before(piece(`{"role":7}`)),
		"a delta that is null":          before(`{"choices":[{"delta":null,"finish_reason":null}]}`),
		"choices that are null":         before(`{"object":"chat.completion.chunk","choices":null}`),
		"a delta that is a text":        before(`{"choices":[{"delta":"x","finish_reason":null}]}`),
		"an index that is a text":       events(`{"choices":[{"index":"0","delta":{"content":"one"},"finish_reason":null}]}`, finish("stop")),
		"an end in quotes":              events(say("one"), finish("stop"), `"[DONE]"`),
		"a byte order mark":             raw("\xef\xbb\xbf" + stream),
		"a byte order mark, no stream":  raw("\xef\xbb\xbf" + message),
		"lines that are indented":       raw("  " + strings.ReplaceAll(stream, "data", "\tdata")),
		"a sign of life first":          before(`{}`),
		"null first":                    before(`null`),
		"another object first":          before(`{"type":"ping","id":"x"}`),
		"signs of life between":         events(say("o"), `{}`, say("ne"), `{"type":"ping"}`, finish("stop"), "[DONE]"),
		"the whole message at the end":  events(say("o"), say("ne"), message, "[DONE]"),
		"pieces in messages":            events(`{"choices":[{"message":{"content":"o"}}]}`, `{"choices":[{"message":{"content":"ne"},"finish_reason":"stop"}]}`, "[DONE]"),
		"a second choice":               events(say("o"), `{"choices":[{"index":1,"delta":{"content":"two"}}]}`, `{"choices":[{"index":1,"delta":{"content":"two"}},{"index":0,"delta":{"content":"ne"}}]}`, finish("stop")),
		"content that is false":         before(piece(`{"content":false}`)),
		"content that is a part":        events(piece(`{"content":{"type":"text","text":"one"}}`), finish("stop")),
		"content that is a list":        events(piece(`{"content":["o",{"type":"text","text":"ne"},{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},7,null]}`), finish("stop")),
		"a refusal":                     events(piece(`{"content":null,"refusal":"one"}`), finish("stop")),
		"completions alone":             events(`{"object":"text_completion","choices":[{"index":0,"text":"one","finish_reason":null}]}`, `{"choices":[{"text":"","finish_reason":"stop"}]}`),
		"a reason in each piece":        events(`{"choices":[{"delta":{"content":"o"},"finish_reason":"stop"}]}`, `{"choices":[{"delta":{"content":"ne"},"finish_reason":"stop"}]}`, "[DONE]"),
		"an empty reason in each piece": events(`{"choices":[{"delta":{"content":"one"},"finish_reason":""}]}`, finish("stop")),
		"lines of JSON with an end":     raw(say("one") + "\n" + finish("stop") + "\n[DONE]\n"),
		"a tab behind the colon":        raw(strings.ReplaceAll(stream, "data: ", "data:\t")),
		"nulls everywhere":              before(`{"choices":[{"delta":{"content":null,"reasoning":null,"reasoning_content":null,"tool_calls":null,"function_call":null,"refusal":null},"finish_reason":null}],"usage":null,"timings":null,"error":null}`),
		"an empty error":                ends(`{"choices":[],"error":""}`),
		"twice the end":                 ends("[DONE]"),
		"calls that are a text":         before(piece(`{"tool_calls":"none"}`)),
		"a thousand comments":           raw(strings.Repeat(": still here\n\n", 1000) + stream),
	} {
		t.Run(name, func(t *testing.T) {
			g, err := played(t, quirkserver.Gateway, reply)
			if err != nil || g.text != "one" || g.done == nil || g.done.Reason != "stop" || len(g.calls) > 0 {
				t.Fatalf("%+v, %+v, %v", g, g.done, err)
			}
			if d := g.done; d.PromptTokens < 0 || d.OutputTokens < 0 || d.PromptTokens > 1e9 || d.OutputTokens > 1e9 {
				t.Errorf("counted were %+v", d)
			}
		})
	}
}

func TestOddCalls(t *testing.T) {
	const a, b = `{"path":"a"}`, `{"path":"b"}`
	for name, test := range map[string]struct {
		events []string
		want   []model.Call
	}{
		"one without a list":      {[]string{piece(`{"tool_calls":{"id":"1",` + function("grep", a) + `}}`)}, calls("1", "grep", a)},
		"one that is no call":     {[]string{piece(`{"tool_calls":[7,{"id":"1",` + function("grep", a) + `}]}`)}, calls("1", "grep", a)},
		"indexes that are texts":  {[]string{call(`"index":"0","id":"1",` + function("grep", `{"path"`)), call(`"index":"1","id":"2",` + function("grep", `{"path"`)), call(`"index":"0",` + function("", `:"a"}`)), call(`"index":"1",` + function("", `:"b"}`))}, calls("1", "grep", a, "2", "grep", b)},
		"a name that is a number": {[]string{call(`"id":"1","function":{"name":7,"arguments":"{}"}`)}, calls("1", "7", `{}`)},
		"a function that is null": {[]string{call(`"id":"1","function":null`), call(`"id":"2",` + function("grep", a))}, calls("1", "grep", a)},
		"the whole message again": {[]string{call(`"index":0,"id":"1",` + function("grep", a)), `{"choices":[{"message":{"tool_calls":[{"id":"x",` + function("grep", a) + `}]},"finish_reason":"tool_calls"}]}`}, calls("1", "grep", a)},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := played(t, quirkserver.Gateway, events(append(test.events, finish("tool_calls"), "[DONE]")...))
			if err != nil || !reflect.DeepEqual(g.calls, test.want) {
				t.Errorf("%q, %v", g.calls, err)
			}
		})
	}
}

// TestMoreWaysToBreak: each is one sentence, and what came before stays.
func TestMoreWaysToBreak(t *testing.T) {
	deep := strings.Repeat(`{"error":`, 7000) + `"x"` + strings.Repeat(`}`, 7000)
	for name, test := range map[string]struct {
		reply quirkserver.Reply
		kind  model.Kind
		text  string
		words string
	}{
		"an error beside a piece":         {events(`{"choices":[{"delta":{"content":"one"},"finish_reason":"error"}],"error":{"code":502,"message":"the provider is gone"}}`, "[DONE]"), model.Incomplete, "one", "the provider is gone"},
		"a reason that is an error":       {events(say("one"), finish("error"), "[DONE]"), model.Incomplete, "one", "could not end the reply (error)"},
		"a reason that is an abort":       {events(say("one"), finish("abort")), model.Incomplete, "one", "could not end the reply (abort)"},
		"an abort without a stream":       {quirkserver.Reply{Body: `{"choices":[{"message":{"content":"one"},"finish_reason":"abort"}]}`}, model.Incomplete, "one", "could not end the reply (abort)"},
		"signs of life alone":             {events(`{}`, `{}`), model.Incomplete, "", "ended the reply before it was whole"},
		"a list":                          {events(say("one"), `[]`), model.Incomplete, "one", "no JSON"},
		"a text":                          {events(say("one"), `"oops"`), model.Incomplete, "one", "oops"},
		"a number":                        {events(say("one"), `7`), model.Incomplete, "one", "no JSON"},
		"a piece that is cut":             {quirkserver.Reply{Body: "data: " + say("one") + "\n\ndata: {\"choices\":[{\"del"}, model.Incomplete, "one", "no JSON"},
		"packed without saying so":        {quirkserver.Reply{Body: "\x1f\x8b\x08\x00\x00\x00\x00\x00"}, model.Incomplete, "", "no JSON"},
		"nothing but zeros":               {quirkserver.Reply{Body: strings.Repeat("\x00", 1000)}, model.Incomplete, "", "no JSON"},
		"an error within 7000 errors":     {quirkserver.Reply{Status: 400, Body: deep}, model.Refused, "", `refused the request: "{\"error\":{`},
		"such an error in the stream":     {events(say("one"), deep), model.Incomplete, "one", `refused the request: "{\"error\":{`},
		"lists within 9000 lists":         {events(say("one"), piece(`{"content":`+strings.Repeat("[", 9000)+strings.Repeat("]", 9000)+`}`)), model.Incomplete, "one", "ended the reply"},
		"an error whose words are a list": {quirkserver.Reply{Status: 400, Body: `{"error":{"message":["bad","worse"]}}`}, model.Refused, "", "bad"},
		"an error of other types":         {quirkserver.Reply{Status: 400, Body: `{"object":7,"msg":[1],"message":"bad schema"}`}, model.Refused, "", "bad schema"},
		"too large for a gateway":         {quirkserver.Reply{Status: 413, Body: "<html><h1>413 Request Entity Too Large</h1>"}, model.Refused, "", "takes no request of this size: start a new chat"},
		"a page of a gateway":             {quirkserver.Reply{Status: 500, Body: "<html><h1>500"}, model.Refused, "", "cannot reach it (a page of HTML with status 500)"},
		"a status without words":          {quirkserver.Reply{Status: 418}, model.Refused, "", "status 418"},
		"a thousand calls and more": {
			events(slices.Repeat([]string{call(function("grep", `{}`))}, 1002)...), model.Incomplete, "", "more calls than any reply has",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := played(t, quirkserver.Gateway, test.reply)
			failure := failed(t, err, test.kind, test.words)
			if g.text != test.text || g.done != nil || len(failure.Sentence) > 1100 {
				t.Errorf("%+v arrived, and it says %.700s", g, failure.Sentence)
			}
		})
	}
}

// slowly answers chats with events, one each three seconds.
func slowly(list ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, event := range list {
			if _, err := io.WriteString(w, event+"\n\n"); err != nil {
				return
			}
			select {
			case <-time.After(3 * time.Second):
			case <-r.Context().Done():
				return
			}
		}
	}
}

// TestAnEndThatIsNone: a server that says in each piece that it is the last one is read to its end, and one that only
// shows that it lives is not.
func TestAnEndThatIsNone(t *testing.T) {
	lying := `data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}`
	for name, test := range map[string]struct {
		events []string
		text   string
		took   time.Duration
	}{
		"pieces go on":   {append(slices.Repeat([]string{lying}, 10), "data: [DONE]"), strings.Repeat("x", 10), 30 * time.Second},
		"comments go on": {append([]string{lying}, slices.Repeat([]string{": ping"}, 100)...), "x", 5 * time.Second},
		"empty pieces":   {append([]string{lying}, slices.Repeat([]string{"data: " + piece(`{"content":""}`)}, 100)...), "x", 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := quirkserver.New(quirkserver.Gateway)
				s.Handle("/v1/chat/completions", slowly(test.events...))
				began := time.Now()
				g, err := chat(t.Context(), backend(t, s), model.Request{})
				if took := time.Since(began); err != nil || g.text != test.text || g.done == nil || took != test.took { // of fake time
					t.Errorf("%+v after %v, %v", g, took, err)
				}
			})
		})
	}
}

// TestAnAcceptedRequestIsNotRepeated: whatever becomes of a connection that was accepted, the request is sent once.
func TestAnAcceptedRequestIsNotRepeated(t *testing.T) {
	for name, answer := range map[string]string{
		"nothing":             "",
		"half a status":       "HTTP/1.1 2",
		"no HTTP":             "\x00\x01\x02 hello\r\n\r\n",
		"an older protocol":   "SSH-2.0-OpenSSH\r\n",
		"half a header":       "HTTP/1.1 200 OK\r\nContent-Ty",
		"less than announced": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ndata: ",
		"a broken chunk":      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
		"a reset":             "reset",
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			s := quirkserver.New(quirkserver.VLLM)
			s.Handle("/v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				if tcp, ok := conn.(*net.TCPConn); ok && answer == "reset" {
					_ = tcp.SetLinger(0)
				} else {
					_, _ = io.WriteString(conn, answer)
				}
				_ = conn.Close()
			})
			_, err := chat(t.Context(), configured(t, nil, openai.Config{URL: s.Start(t)}), model.Request{})
			failure := (*model.Error)(nil)
			if kind := model.Incomplete; err != nil {
				if strings.Contains(err.Error(), "does not speak") {
					kind = model.Refused
				}
				failure = failed(t, err, kind, "gpu")
			}
			if failure == nil || asked.Load() != 1 {
				t.Errorf("it was asked %d times, %v", asked.Load(), err)
			}
		})
	}
}

// TestOddLists: models are found in whatever a gateway makes of a list.
func TestOddLists(t *testing.T) {
	for name, test := range map[string]struct {
		body string
		want []string // nil: it is none
	}{
		"no object around":         {`[{"id":"a"},{"id":"b"}]`, []string{"a", "b"}},
		"a byte order mark":        {"\xef\xbb\xbf{\"data\":[{\"id\":\"a\"}]}", []string{"a"}},
		"each model twice":         {`{"data":[{"id":"a"},{"id":"b"},{"id":"a"}]}`, []string{"a", "b"}},
		"empty":                    {`{"data":[]}`, []string{}},
		"rows that are none":       {`{"data":[7,"x",null,[],{"id":7},{"id":""},{"id":"a","owned_by":7,"meta":"x","max_model_len":"4k","capabilities":{}}]}`, []string{"a"}},
		"null":                     {`{"data":null}`, nil},
		"an object":                {`{"data":{"a":{}}}`, nil},
		"true":                     {`true`, nil},
		"an error beside the list": {`{"data":[],"error":{"message":"no key"}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := quirkserver.New(quirkserver.Gateway)
			s.Handle("/v1/models", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, test.body) })
			models, err := configured(t, s, openai.Config{Kind: openai.Other}).Models(t.Context())
			if test.want == nil {
				failed(t, err, model.Refused)
				return
			}
			names := []string{}
			for _, m := range models {
				names = append(names, m.Name)
			}
			if err != nil || !slices.Equal(names, test.want) {
				t.Errorf("%q, %v", names, err)
			}
		})
	}
}

// TestOddFacts: what a server tells of its context in another type, or beyond all bounds, is not believed, and the rest
// is.
func TestOddFacts(t *testing.T) {
	for size, want := range map[string]int{
		`4096`: 4096, `4096.0`: 0, `"4096"`: 0, `-1`: 0, `0`: 0, `1e30`: 0, `9000000000000000000`: 0, `null`: 0, `[]`: 0,
	} {
		s := quirkserver.New(quirkserver.LlamaCpp, quirkserver.StripsContext)
		s.Handle("/props", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"default_generation_settings":{"n_ctx":`+size+`},"total_slots":"two","chat_template":"{{ tools }}","chat_template_caps":[],"modalities":7,"build_info":"b1"}`)
		})
		info, err := configured(t, s, openai.Config{Kind: openai.LlamaCpp}).Describe(t.Context(), coder)
		if err != nil || info.LoadedContext != want || info.ContextLimit != want || !info.Can("tools") {
			t.Errorf("%s: %+v, %v", size, info, err)
		}
	}
}

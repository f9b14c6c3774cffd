package openai_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/openai"
	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
)

// TestOverflows: each server's own way to say that a prompt is too long.
func TestOverflows(t *testing.T) {
	for _, kind := range []string{quirkserver.LlamaCpp, quirkserver.VLLM, quirkserver.SGLang, quirkserver.LMStudio} {
		s := quirkserver.New(kind)
		b := backend(t, s)
		_, err := chat(t.Context(), b, model.Request{Messages: question(strings.Repeat("word ", 4000))})
		failure := failed(t, err, model.ContextTooLong, "2048", coder, "start a new chat")
		if failure.Limit != 2048 || failure.Needed < 5000 || failure.Needed > 5100 {
			t.Errorf("%s: %d of %d", kind, failure.Needed, failure.Limit)
		}
		if n := len(s.Chats()); n != 1 {
			t.Errorf("%s was asked %d times", kind, n)
		}
	}
	for _, test := range []struct {
		body          string
		needed, limit int
	}{
		{`{"error":{"message":"This model's maximum context length is 2048 tokens. However, you requested 9100 tokens (9030 in the messages, 70 in the completion). Please reduce the length of the messages or completion.","code":"context_length_exceeded"}}`, 9030, 2048},
		{`{"object":"error","message":"This model's maximum context length is 2048 tokens. However, your request has 9030 input tokens. Please reduce the length of the input messages.","code":400}`, 9030, 2048},
		{`{"object":"error","message":"The decoder prompt (length 9030) is longer than the maximum model length of 2048. Make sure that max_model_len is no smaller."}`, 9030, 2048},
		{`{"object":"error","message":"Requested token count exceeds the model's maximum context length of 2048 tokens. You requested a total of 9100 tokens: 9030 tokens from the input messages and 70 tokens for the completion."}`, 9030, 2048},
		{`"Input length (9030 tokens) exceeds the maximum allowed length (2048 tokens). Use a shorter input or enable --allow-auto-truncate."`, 9030, 2048},
		{`{"error":"Trying to keep the first 9030 tokens when context the overflows. However, the model is loaded with context length of only 2048 tokens, which is not enough."}`, 9030, 2048},
		{`{"error":{"message":"litellm.ContextWindowExceededError: OpenAIException - This model's maximum context length is 2048 tokens. However, your messages resulted in 9030 tokens."}}`, 9030, 2048},
		{`{"error":{"message":"{\"error\":{\"code\":400,\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":9030,\"n_ctx\":2048}}"}}`, 9030, 2048},
		{`request (9030 tokens) exceeds the available context size (2048 tokens), try increasing it`, 9030, 2048},
		{`{"error":{"type":"exceed_context_size_error","message":"too long"}}`, 0, 0},
		{`{"error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}`, 0, 0},
	} {
		for _, status := range []int{http.StatusBadRequest, http.StatusInternalServerError, http.StatusOK} {
			_, err := played(t, quirkserver.Gateway, quirkserver.Reply{Status: status, Body: test.body})
			if status == http.StatusOK && !strings.HasPrefix(test.body, "{") && !strings.HasPrefix(test.body, `"`) {
				continue // text with success is no refusal
			}
			if failure := failed(t, err, model.ContextTooLong, "start a new chat"); failure.Needed != test.needed || failure.Limit != test.limit {
				t.Errorf("%s: %d of %d", test.body, failure.Needed, failure.Limit)
			}
		}
	}
}

// A server that cuts a prompt in silence is found out by what it counts.
func TestASilentCut(t *testing.T) {
	s := quirkserver.New(quirkserver.VLLM, quirkserver.Truncates)
	meter := model.NewMeter()
	req := model.Request{Model: coder, Messages: question(strings.Repeat("some words of a long text, ", 1000))}
	g, err := chat(t.Context(), backend(t, s), req)
	if err != nil || g.done.PromptTokens != 2048 || !meter.Estimate(req).Small(g.done.PromptTokens) {
		t.Errorf("%+v of %+v, %v", g.done, meter.Estimate(req), err)
	}
}

func TestLoadingIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := quirkserver.New(quirkserver.LlamaCpp)
		s.Loading = 100
		b := backend(t, s)
		if version, err := b.Version(t.Context()); err != nil || !strings.Contains(version, "loading") {
			t.Errorf("%q, %v", version, err)
		}
		_, err := b.Models(t.Context())
		failed(t, err, model.Refused, "still loads its model")
		g, err := chat(t.Context(), b, model.Request{})
		if err != nil || g.text != "Hello." || g.loading != 1 {
			t.Errorf("%+v, %v", g, err)
		}
		s.Loading = 10 // it was started again
		if g, err = chat(t.Context(), b, model.Request{}); err != nil || g.text != "Hello." || g.loading != 1 {
			t.Errorf("%+v, %v", g, err)
		}
		s.Loading = 10
		if _, err := b.Describe(t.Context(), coder); err != nil {
			t.Error(err)
		}
		s.Loading = 1000
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		if _, err := chat(ctx, b, model.Request{}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// TestRetries: at most two more, with growing delays, and none of a request that the server accepted.
func TestRetries(t *testing.T) {
	busy := func(status int) quirkserver.Reply {
		return quirkserver.Reply{Status: status, Body: `{"error":{"message":"busy"}}`}
	}
	after := func(seconds string) quirkserver.Reply {
		r := busy(http.StatusTooManyRequests)
		r.Header = http.Header{"Retry-After": {seconds}}
		return r
	}
	for _, test := range []struct {
		name    string
		replies []quirkserver.Reply
		chats   int
		took    time.Duration
		fails   string
	}{
		{"429", []quirkserver.Reply{busy(429)}, 2, 500 * time.Millisecond, ""},
		{"502, 503", []quirkserver.Reply{busy(502), busy(503)}, 3, 2500 * time.Millisecond, ""},
		{"504 for ever", []quirkserver.Reply{busy(504), busy(504), busy(504), busy(504)}, 3, 2500 * time.Millisecond, "busy"},
		{"429 for ever", []quirkserver.Reply{busy(429), busy(429), busy(429), busy(429)}, 3, 2500 * time.Millisecond, "try again later"},
		{"when the server says", []quirkserver.Reply{after("7")}, 2, 7 * time.Second, ""},
		{"later than is waited", []quirkserver.Reply{after("600")}, 1, 0, "try again later"},
		{"no number", []quirkserver.Reply{after("soon")}, 2, 500 * time.Millisecond, ""},
		{"500", []quirkserver.Reply{busy(500)}, 1, 0, "busy"},
		{"400", []quirkserver.Reply{busy(400)}, 1, 0, "busy"},
		{"accepted, then nothing", []quirkserver.Reply{{}}, 1, 0, "ended the reply"},
		{"accepted, then broken", []quirkserver.Reply{events(say("one"))}, 1, 0, "ended the reply"},
		{"accepted, then 'busy'", []quirkserver.Reply{events(`{"error":{"code":429,"message":"busy"}}`)}, 1, 0, "busy"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := quirkserver.New(quirkserver.Gateway)
				s.Play(test.replies...)
				b := backend(t, s)
				started := time.Now()
				g, err := chat(t.Context(), b, model.Request{})
				if (test.fails == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.fails) || err == nil && g.text != "Hello." {
					t.Errorf("%+v, %v", g, err)
				}
				if n, took := len(s.Chats()), time.Since(started); n != test.chats || took != test.took {
					t.Errorf("%d requests in %v", n, took)
				}
			})
		})
	}
}

// refusing is a way on which the first connections are refused.
type refusing struct {
	next http.RoundTripper
	left *atomic.Int32
	tell *atomic.Int32
}

func (r refusing) RoundTrip(q *http.Request) (*http.Response, error) {
	if strings.HasSuffix(q.URL.Path, "/chat/completions") && r.left.Add(-1) >= 0 {
		r.tell.Add(1)
		return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	}
	return r.next.RoundTrip(q)
}

func TestARefusedConnectionIsTriedAgain(t *testing.T) {
	for times, want := range map[int32]int32{1: 1, 2: 2, 9: 3} {
		synctest.Test(t, func(t *testing.T) {
			var left, told atomic.Int32
			left.Store(times)
			s := quirkserver.New(quirkserver.VLLM)
			b := configured(t, s, openai.Config{Client: &http.Client{Transport: refusing{s, &left, &told}}})
			_, err := chat(t.Context(), b, model.Request{})
			if times > 2 {
				failed(t, err, model.Unreachable, "No server answers at http://gpu.lan:9931", "start gpu")
			} else if err != nil {
				t.Error(err)
			}
			if told.Load() != want {
				t.Errorf("%d connections were refused, want %d", told.Load(), want)
			}
		})
	}
}

// Nothing but one clear sentence for what is no such server.
func TestNotAServer(t *testing.T) {
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		words   string
	}{
		{"a page for what is missing", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, "<html>hello")
		}, "does not speak the OpenAI protocol"},
		{"text", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }, "no JSON"},
		{"a bare string", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `"go away"`) }, `go away`},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(test.handler)
			defer server.Close()
			b := configured(t, nil, openai.Config{URL: server.URL})
			_, version := b.Version(t.Context())
			_, models := b.Models(t.Context())
			_, describe := b.Describe(t.Context(), coder)
			for _, err := range []error{version, models, describe} {
				failed(t, err, model.Refused, test.words)
			}
		})
	}
}

// TestARefusalWithoutEnd: its beginning says enough.
func TestARefusalWithoutEnd(t *testing.T) {
	s := quirkserver.New(quirkserver.VLLM)
	s.Handle("/v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		for range 1 << 16 {
			if _, err := io.WriteString(w, strings.Repeat("no, ", 1<<10)); err != nil {
				return
			}
		}
	})
	_, err := chat(t.Context(), configured(t, nil, openai.Config{URL: s.Start(t)}), model.Request{})
	failed(t, err, model.Refused, "no, no, ")
}

func TestCertificates(t *testing.T) {
	server := httptest.NewUnstartedServer(quirkserver.New(quirkserver.VLLM))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of the connection that is given up
	server.StartTLS()
	defer server.Close()
	_, err := configured(t, nil, openai.Config{URL: server.URL}).Models(t.Context())
	failed(t, err, model.Unreachable, "certificate of gpu is not trusted")
	if _, err := configured(t, nil, openai.Config{URL: server.URL, Client: server.Client()}).Models(t.Context()); err != nil {
		t.Error(err)
	}
	_, err = configured(t, nil, openai.Config{URL: strings.Replace(quirkserver.New(quirkserver.VLLM).Start(t), "http:", "https:", 1)}).Models(t.Context())
	failed(t, err, model.Unreachable, "http://")
}

// TestKeys: a key goes to the server in each request, and what is wrong with it is said.
func TestKeys(t *testing.T) {
	const key = `sk-se"cret/1234 56`
	ask := func(s *quirkserver.Server, c openai.Config) []error {
		b := configured(t, s, c)
		_, models := b.Models(t.Context())
		_, version := b.Version(t.Context())
		_, chatting := chat(t.Context(), b, model.Request{})
		return []error{models, version, chatting}
	}
	given := func(key string) func(context.Context) (string, error) {
		return func(context.Context) (string, error) { return key, nil }
	}
	s := quirkserver.New(quirkserver.VLLM)
	s.Key = key
	for _, err := range ask(s, openai.Config{Key: given(key + "\n"), Headers: http.Header{"x-team": {"blue"}}}) {
		if err != nil {
			t.Error(err)
		}
	}
	for _, r := range s.Requests("") {
		if r.Header.Get("Authorization") != "Bearer "+key || r.Header.Get("X-Team") != "blue" {
			t.Errorf("%s has %v", r.Path, r.Header)
		}
	}
	s.Key = "another"
	for _, err := range ask(s, openai.Config{Key: given(key)}) {
		failed(t, err, model.Refused, "does not accept the key")
	}
	for _, err := range ask(s, openai.Config{}) {
		failed(t, err, model.Refused, "wants a key")
	}
	for _, err := range ask(s, openai.Config{Key: func(context.Context) (string, error) { return "", errors.New("the keyring is locked") }}) {
		failed(t, err, model.Refused, "the keyring is locked")
	}
	for _, r := range s.Requests("") {
		if strings.Contains(r.Header.Get("Authorization"), "keyring") {
			t.Errorf("sent was %v", r.Header)
		}
	}
}

// Nothing of OpenAI's comes from the environment: no key, no address.
func TestNothingFromTheEnvironment(t *testing.T) {
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_CUSTOM_HEADERS", "OPENAI_ORG_ID"} {
		t.Setenv(name, "X-Leak: yes")
	}
	s := quirkserver.New(quirkserver.VLLM)
	url := s.Start(t)
	if _, err := chat(t.Context(), configured(t, nil, openai.Config{URL: url}), model.Request{}); err != nil {
		t.Error(err)
	}
	// The library would take the transport of the whole program, and its proxies.
	if _, err := chat(t.Context(), configured(t, nil, openai.Config{URL: url, Client: &http.Client{}}), model.Request{}); err == nil || !strings.Contains(err.Error(), "was not asked") {
		t.Error(err)
	}
	for _, r := range s.Requests("") {
		for name, values := range r.Header {
			if !strings.Contains(" Accept-Encoding Content-Length Content-Type User-Agent Connection ", " "+name+" ") {
				t.Errorf("%s has %s: %q", r.Path, name, values)
			}
		}
	}
}

func TestCancelClosesTheConnectionAtOnce(t *testing.T) {
	for _, test := range []struct {
		name  string
		reply quirkserver.Reply
	}{
		{"while it reads the prompt", quirkserver.Reply{Events: []string{say("never")}, Before: time.Hour}},
		{"while it writes", quirkserver.Reply{Events: []string{say("one")}, Hang: true}},
		{"while it is busy", quirkserver.Reply{Status: 503}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := quirkserver.New(quirkserver.VLLM)
				s.Play(test.reply)
				b := backend(t, s)
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error)
				go func() {
					_, err := chat(ctx, b, model.Request{})
					done <- err
				}()
				synctest.Wait()
				cancelled := time.Now()
				cancel()
				if err := <-done; !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
				if took := time.Since(cancelled); took > 0 { // of fake time: nothing was waited for
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// TestASlowReplyIsWaitedFor: there is no limit on a chat.
func TestASlowReplyIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := quirkserver.New(quirkserver.VLLM)
		slow := events(say("at last"), finish("stop"))
		slow.Before = time.Hour
		s.Play(slow)
		if g, err := chat(t.Context(), backend(t, s), model.Request{}); err != nil || g.text != "at last" {
			t.Errorf("%+v, %v", g, err)
		}
	})
}

func TestErrorBodies(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"bad schema","type":"invalid_request_error"}}`: "bad schema",
		`{"error":"bad schema"}`:                               "bad schema",
		`{"object":"error","message":"bad schema","code":400}`: "bad schema",
		`"bad schema"`:            "bad schema",
		`{"detail":"bad schema"}`: "bad schema",
		`{"detail":[{"loc":["x"],"msg":"bad schema"}]}`:                    "bad schema",
		`{"error":{"message":"{\"error\":{\"message\":\"bad schema\"}}"}}`: "bad schema",
		`{"error":{"message":null,"detail":"bad schema"}}`:                 "bad schema",
		`{"msg":"bad schema"}`:                                             "bad schema",
		"bad schema\n":                                                     "bad schema",
		"\xef\xbb\xbf{\"error\":\"bad schema\"}":                           "bad schema",
		`{"error":{"message":"bad` + "\\n" + `one"}}`:                      `bad\none`,
		"":             "status 400",
		"<html>no":     "does not speak the OpenAI protocol",
		`{"error":`:    `{\"error\":`,
		"\x00\x1b[31m": `\x00\x1b[31m`,
		`{"error":{"message":"auto tool choice requires --enable-auto-tool-choice"}}`: "choose another format",
		`{"error":{"message":"image input is not supported"}}`:                        "Send no image",
	} {
		_, err := played(t, quirkserver.Gateway, quirkserver.Reply{Status: http.StatusBadRequest, Body: body})
		failed(t, err, model.Refused, want)
	}
	_, err := played(t, quirkserver.Gateway, quirkserver.Reply{Status: http.StatusBadRequest, Body: `{"error":{"message":"No connected db.","type":"no_db_connection","param":null,"code":"400"}}`})
	failed(t, err, model.Refused, "wants a key") // LiteLLM without a database
	_, err = played(t, quirkserver.Gateway, quirkserver.Reply{Status: http.StatusNotFound, Body: `{"detail":"Not Found"}`})
	failed(t, err, model.Refused, "does not speak the OpenAI protocol")
	for _, body := range []string{`{"error":{"message":"The model does not exist","code":404}}`, `{"error":{"code":"model_not_found"}}`} {
		_, err = played(t, quirkserver.Gateway, quirkserver.Reply{Status: http.StatusNotFound, Body: body})
		failed(t, err, model.NotInstalled, "has no model")
	}
}

func TestConcurrentUse(t *testing.T) {
	b := backend(t, quirkserver.New(quirkserver.LlamaCpp))
	errs := make(chan error)
	for i := range 16 {
		go func() {
			var err error
			switch i % 4 {
			case 0:
				_, err = b.Describe(t.Context(), coder)
			case 1:
				_, err = b.Probe(t.Context(), coder)
			case 2:
				b.Slots(t.Context())
				_, err = b.Version(t.Context())
			default:
				_, err = chat(t.Context(), b, model.Request{})
			}
			errs <- err
		}()
	}
	for range 16 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

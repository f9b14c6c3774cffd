package ollama_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/ollama"
)

func TestChatFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		script string
		text   string // what must have arrived
		kind   model.Kind
		words  []string // of the sentence
		needed int
		limit  int
	}{
		{
			name: "error line", script: "turn\nsay: one\nerror-line: llama runner process has terminated", text: "one",
			kind: model.Incomplete, words: []string{"llama runner process has terminated", "send again"},
		},
		{
			name: "reset before the first byte", script: "turn\ncut",
			kind: model.Incomplete, words: []string{"broke off", "see that the server still runs"},
		},
		{
			name: "garbage line", script: "turn\nsay: one\nraw: <html>no\nsay: two", text: "one",
			kind: model.Incomplete, words: []string{"<html>no"},
		},
		{
			name: "line of another shape", script: "turn\nsay: one\nraw: {\"message\": 3}\nsay: two", text: "one",
			kind: model.Incomplete, words: []string{"no part of a reply"},
		},
		{
			name: "refused", script: "turn\nstatus 500 model requires more system memory (9 GiB) than is available (3 GiB)",
			kind: model.Refused, words: []string{"9 GiB", "smaller model"},
		},
		{
			name: "too long, in the words of 0.17", script: "turn\nstatus 400 the input length exceeds the context length",
			kind: model.ContextTooLong, words: []string{"does not fit the context of " + coder, "new chat"},
		},
		{
			name: "too long, in the words of 0.32",
			script: `turn
status 400 {"error":{"code":400,"message":"request (650 tokens) exceeds the available context size (512 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":650,"n_ctx":512}}`,
			kind: model.ContextTooLong, words: []string{"650 tokens", "holds 512"}, needed: 650, limit: 512,
		},
		{
			name: "too long, escaped twice", script: `turn
error-line: {\"n_prompt_tokens\":650,\"n_ctx\":512}`,
			kind: model.ContextTooLong, words: []string{"650 tokens"}, needed: 650, limit: 512,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, b := backend(t, test.script)
			text, chunks, err := chat(t.Context(), b, model.Request{})
			failure := (*model.Error)(nil)
			if !errors.As(err, &failure) || failure.Kind != test.kind || failure.Needed != test.needed || failure.Limit != test.limit {
				t.Fatalf("got %#v", err)
			}
			for _, w := range test.words {
				if !strings.Contains(failure.Sentence, w) {
					t.Errorf("%q lacks %q", failure.Sentence, w)
				}
			}
			if text != test.text {
				t.Errorf("the text %q arrived, want %q", text, test.text)
			}
			if n := len(chunks); n > 0 && chunks[n-1].Done != nil {
				t.Error("a broken reply had Done")
			}
		})
	}
}

// Streams that are odd but whole give the same reply as a clean one.
func TestChatOddStreams(t *testing.T) {
	for _, test := range []struct{ name, script, text string }{
		{"one byte per write", "turn\nwrite 1\nsay: grüß 世界\nsay: \" 👋\"", "grüß 世界 👋"},
		{"one rune per piece", "turn\nsplit 1\nsay: grüß 世界 👋", "grüß 世界 👋"},
		{"no last newline", "turn\nsay: one\nno-newline", "one"},
		{"empty lines between", "turn\nsay: one\nraw: {}\nsay: two", "onetwo"},
		{"a line of 5 MB", "turn\nfill 5000000", strings.Repeat("x", 5_000_000)},
		{"noise after the end", "turn\nsay: one\nraw: {\"done\":true}\nraw: <garbage>", "one"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, b := backend(t, test.script)
			text, chunks, err := chat(t.Context(), b, model.Request{})
			if err != nil || text != test.text {
				t.Fatalf("%d bytes, %v", len(text), err)
			}
			if chunks[len(chunks)-1].Done == nil {
				t.Error("the last chunk has no Done")
			}
		})
	}
}

func TestNotInstalled(t *testing.T) {
	_, b := backend(t, "model qwen2.5-coder:1.5b\nmodel llama3.1:8b\nmodel qwen3:4b\nmodel zephyr:7b")
	_, describe := b.Describe(t.Context(), "qwen2.5-coder:7b")
	_, _, chatting := chat(t.Context(), b, model.Request{Model: "qwen2.5-coder:7b"})
	for _, err := range []error{describe, chatting, b.Preload(t.Context(), "qwen2.5-coder:7b", 0, 0)} {
		failure := (*model.Error)(nil)
		if !errors.As(err, &failure) || failure.Kind != model.NotInstalled ||
			!strings.Contains(err.Error(), "`ollama pull qwen2.5-coder:7b`, or use one that is: qwen2.5-coder:1.5b, ") {
			t.Errorf("got %v", err)
		}
	}
	_, err := b.Describe(t.Context(), "x; rm -rf $HOME")
	if err == nil || strings.Contains(err.Error(), "ollama pull") {
		t.Errorf("a name for no shell: %v", err)
	}
}

// Something else listens at the address: a web server, one that redirects.
func TestNotOllama(t *testing.T) {
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
	}{
		{"no such page", http.NotFound},
		{"other JSON", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(test.handler)
			defer server.Close()
			base, err := url.Parse(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			_, err = ollama.New(base, agenttest.Way()).Version(t.Context())
			if failure := (*model.Error)(nil); !errors.As(err, &failure) || failure.Kind != model.Refused || !strings.Contains(err.Error(), "not an Ollama server") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Ten minutes of loading and reading are no reason to give up.
func TestTimeLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, transport := agenttest.StartInMemory(t, "slow-load 5m\nturn\nslow-load 5m\nsay: at last\npause 10m\nsay: \" done\"")
		b := ollama.New(&url.URL{Scheme: "http", Host: "memory"}, transport)
		text, _, err := chat(t.Context(), b, model.Request{})
		if text != "at last done" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	})
}

// Invariant 13.
func TestCancelClosesTheConnectionAtOnce(t *testing.T) {
	for _, test := range []struct{ name, script string }{
		{"while it reads the prompt", "turn\nhang"},
		{"while it loads", "slow-load 1h\nturn\nsay: never"},
		{"while it writes", "turn\nsay: one\nhang"},
		{"between two tokens", "turn\nsay: one\npause 1h\nsay: two"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, transport := agenttest.StartInMemory(t, test.script)
				b := ollama.New(&url.URL{Scheme: "http", Host: "memory"}, transport)
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error)
				go func() {
					_, _, err := chat(ctx, b, model.Request{})
					done <- err
				}()
				synctest.Wait()
				cancelled := time.Now()
				cancel()
				if err := <-done; !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
				if err := server.WaitGone(t.Context(), 1); err != nil {
					t.Error(err)
				}
				if took := time.Since(cancelled); took > 0 { // of fake time: nothing was waited for
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// At a high rate nothing is lost, and the pace is the server's.
func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, transport := agenttest.StartInMemory(t, "turn\nrate 2000 count 500")
		b := ollama.New(&url.URL{Scheme: "http", Host: "memory"}, transport)
		started := time.Now()
		text, chunks, err := chat(t.Context(), b, model.Request{})
		if err != nil || len(chunks) != 501 || !strings.HasSuffix(text, "t499 ") {
			t.Errorf("%d chunks, %v", len(chunks), err)
		}
		if took := time.Since(started); took != 499*time.Second/2000 {
			t.Errorf("it took %v", took)
		}
	})
}

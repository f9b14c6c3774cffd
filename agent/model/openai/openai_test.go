package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/openai"
	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
)

const coder = "qwen2.5-coder-7b"

// backend is one for a server that answers in memory.
func backend(t *testing.T, s *quirkserver.Server) *openai.Backend {
	t.Helper()
	return configured(t, s, openai.Config{})
}

func configured(t *testing.T, s *quirkserver.Server, c openai.Config) *openai.Backend {
	t.Helper()
	if c.Name == "" {
		c.Name = "gpu"
	}
	if c.URL == "" {
		c.URL = "http://gpu.lan:9931"
	}
	if c.Client == nil && s != nil {
		c.Client = &http.Client{Transport: s}
	}
	if c.Client == nil {
		c.Client = &http.Client{Transport: agenttest.Way()}
	}
	b, err := openai.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// got is what a chat brought.
type got struct {
	text, thinking string
	calls          []model.Call
	reading        []model.Reading
	loading        int
	done           *model.Done
}

func chat(ctx context.Context, b *openai.Backend, req model.Request) (got, error) {
	if req.Model == "" {
		req.Model = coder
	}
	if req.Messages == nil {
		req.Messages = question("Hello?")
	}
	var g got
	err := b.Chat(ctx, req, func(c model.Chunk) error {
		if g.done != nil {
			return errors.New("a chunk behind the last one")
		}
		g.text += c.Text
		g.thinking += c.Thinking
		g.calls = append(g.calls, c.Calls...)
		if c.Reading != nil {
			g.reading = append(g.reading, *c.Reading)
		}
		if c.Loading {
			g.loading++
		}
		g.done = c.Done
		return nil
	})
	return g, err
}

func question(text string) []model.Message {
	return []model.Message{{Role: model.RoleUser, Text: text}}
}

func tool(name string) model.Tool {
	return model.Tool{Name: name, Description: "Reads.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)}
}

// piece is an event with a delta.
func piece(delta string) string {
	return `{"object":"chat.completion.chunk","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}`
}

func say(text string) string {
	raw, _ := json.Marshal(text) // of a text
	return piece(`{"content":` + string(raw) + `}`)
}

func finish(reason string) string {
	return `{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

func events(list ...string) quirkserver.Reply { return quirkserver.Reply{Events: list} }

// failed is the failure that an error must be, in one sentence.
func failed(t *testing.T, err error, kind model.Kind, words ...string) *model.Error {
	t.Helper()
	failure := (*model.Error)(nil)
	if !errors.As(err, &failure) || failure.Kind != kind {
		t.Fatalf("got %v, want an error of kind %d", err, kind)
	}
	if strings.Contains(failure.Sentence, "\n") || !strings.HasSuffix(failure.Sentence, ".") || strings.Contains(failure.Sentence, "..") {
		t.Errorf("%q is not one sentence", failure.Sentence)
	}
	for _, w := range words {
		if !strings.Contains(failure.Sentence, w) {
			t.Errorf("%q lacks %q", failure.Sentence, w)
		}
	}
	return failure
}

func TestNew(t *testing.T) {
	for _, url := range []string{
		"", "gpu.lan:80", "ftp://gpu.lan", "http://", "http://:80", "http://me:hunter2@gpu.lan", "http://gpu.lan?key=hunter2", "http://gpu.lan#x", "http://gpu.lan:hunter2x",
	} {
		if _, err := openai.New(openai.Config{Name: "gpu", URL: url}); err == nil || !strings.Contains(err.Error(), "the address of the server gpu") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", url, err)
		}
	}
	if _, err := openai.New(openai.Config{Name: "gpu", URL: "http://gpu.lan", Kind: "ollama"}); err == nil || !strings.Contains(err.Error(), `"ollama"`) {
		t.Errorf("got %v", err)
	}
	for url, path := range map[string]string{
		"http://gpu.lan": "/v1/models", "http://gpu.lan/": "/v1/models", "http://gpu.lan/v1": "/v1/models", "http://gpu.lan/v1/": "/v1/models",
		"https://gpu.lan/llm/v1": "/llm/v1/models", "https://gpu.lan/llm": "/llm/v1/models", " http://gpu.lan/api/v3 ": "/api/v3/models",
	} {
		s := quirkserver.New(quirkserver.Gateway)
		s.Handle(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"data":[{"id":"x"}]}`)) })
		if models, err := configured(t, s, openai.Config{URL: url}).Models(t.Context()); err != nil || len(models) != 1 || models[0].Name != "x" {
			t.Errorf("%q: %v, %v", url, models, err)
		}
	}
}

func TestChat(t *testing.T) {
	for _, kind := range []string{quirkserver.LlamaCpp, quirkserver.VLLM, quirkserver.SGLang, quirkserver.LMStudio, quirkserver.Gateway} {
		t.Run(kind, func(t *testing.T) {
			s := quirkserver.New(kind)
			b := backend(t, s)
			g, err := chat(t.Context(), b, model.Request{})
			if err != nil || g.text != "Hello." || g.done == nil || g.done.Reason != "stop" || g.done.PromptTokens == 0 || g.done.OutputTokens == 0 {
				t.Errorf("%+v, %v", g, err)
			}
			g, err = chat(t.Context(), b, model.Request{Tools: []model.Tool{{Name: "keep", Parameters: json.RawMessage(`{"type":"object"}`)}}, Messages: question(`Keep "that".`)})
			if err != nil || len(g.calls) != 1 || g.calls[0].Name != "keep" || string(g.calls[0].Arguments) != `{"word": "that"}` || g.text != "" {
				t.Errorf("%+v, %v", g, err)
			}
		})
	}
}

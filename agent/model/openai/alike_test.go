package openai_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/backendtest"
	"github.com/assent-ls/assent/agent/model/openai"
	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
)

// TestFailuresAlike are those that all backends meet.
// Promise 9. Invariant 16.
func TestFailuresAlike(t *testing.T) {
	backendtest.Failures(t, backendtest.Protocol{
		New: func(t *testing.T, to backendtest.Way) model.Backend {
			t.Helper()
			c := openai.Config{URL: to.URL, Headers: to.Headers}
			if to.Over != nil {
				c.Client = &http.Client{Transport: to.Over}
			}
			if to.Key != "" {
				c.Key = func(context.Context) (string, error) { return to.Key, nil }
			}
			return configured(t, nil, c)
		},
		Healthy: func(*testing.T) http.Handler { return quirkserver.New(quirkserver.VLLM) },
		Model:   coder, Chats: "/v1/chat/completions", List: `{"data":[`,
		Piece: "data: " + say("one") + "\n\n",
		Fails: func(text string) string {
			said, _ := json.Marshal(map[string]any{"error": map[string]any{"message": text}}) // of a text
			return "data: " + string(said) + "\n\n"
		},
		Remedy: "servers.json", Other: "does not speak the OpenAI protocol", Packed: model.Refused,
	})
}

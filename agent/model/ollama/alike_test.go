package ollama_test

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/backendtest"
	"github.com/assent-ls/assent/agent/model/ollama"
	"github.com/assent-ls/assent/agent/model/transport"
)

// TestFailuresAlike are those that all backends meet.
// Promise 9. Invariant 16.
func TestFailuresAlike(t *testing.T) {
	backendtest.Failures(t, backendtest.Protocol{
		New: func(t *testing.T, to backendtest.Way) model.Backend {
			t.Helper()
			base, err := url.Parse(to.URL)
			if err != nil {
				t.Fatal(err)
			}
			if to.Key == "" {
				return ollama.New(base, cmp.Or(to.Over, agenttest.Way()))
			}
			key := func(context.Context) (string, error) { return to.Key, nil }
			return ollama.NewAuthorized(
				base, transport.NewAuthorized(cmp.Or(to.Over, agenttest.Way()), to.Headers, key),
			)
		},
		Healthy: func(t *testing.T) http.Handler {
			t.Helper()
			server, _ := agenttest.Start(t, "model "+coder+"\nturn repeat\nsay: Hello.")
			return server
		},
		Model: coder, Chats: "/api/chat", List: `{"models":[`,
		Piece: `{"message":{"content":"one"}}` + "\n",
		Fails: func(text string) string {
			said, _ := json.Marshal(map[string]any{"error": text}) // of a text
			return string(said) + "\n"
		},
		Remedy: "OLLAMA_HOST", Other: "is not an Ollama server", Packed: model.Incomplete,
	})
}

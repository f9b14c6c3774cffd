//go:build e2e

package openai_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/openai"
)

// ignoring is a way on which the server does not get a schema, as if it were an older one.
type ignoring struct{ next http.RoundTripper }

func (i ignoring) RoundTrip(r *http.Request) (*http.Response, error) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var body map[string]json.RawMessage
	if json.Unmarshal(text, &body) == nil {
		delete(body, "response_format")
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return i.next.RoundTrip(r)
}

// TestRealModelLlamaGrammar: a server that takes no schema takes a grammar, and guided replies fit their schema.
func TestRealModelLlamaGrammar(t *testing.T) {
	server := &llamaServer{address: freeAddress(t)}
	server.start(t)
	defer func() { server.kill() }()
	way := &http.Client{Transport: ignoring{agenttest.Way()}}
	b := configured(t, nil, openai.Config{Name: "llama", URL: "http://" + server.address, Client: way})
	comes(t, b)
	models, err := b.Models(t.Context())
	if err != nil || len(models) != 1 {
		t.Fatalf("%v, %v", models, err)
	}
	name := models[0].Name
	if a, err := b.Probe(t.Context(), name); err != nil || a.Schema != model.ByGrammar {
		t.Fatalf("%+v, %v", a, err)
	}
	files, err := filepath.Glob("../gbnf/testdata/*.json")
	if err != nil || len(files) < 2 {
		t.Fatalf("%v, %v", files, err)
	}
	hot := 1.5
	for _, file := range files {
		schema, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range []string{"Read README.md.", "In shop/cart.py rename total to sum_of."} {
			seed := i
			g, err := chat(t.Context(), b, model.Request{
				Model: name, Format: schema, MaxTokens: 200, Messages: question(text),
				Sampling: model.Sampling{Temperature: &hot, Seed: &seed},
			})
			if err != nil || g.done.Reason == "length" { // one that was cut says nothing
				t.Logf("%s: %s: %+v, %v", file, text, g.done, err)
				if err != nil {
					t.Error(err)
				}
				continue
			}
			if err := fits(schema, g.text); err != nil {
				t.Errorf("%s: %s: %s: %v", file, text, g.text, err)
			}
			t.Logf("%s: %s: %s", file, text, g.text)
		}
	}
}

// fits is what is wrong with a reply by its schema.
func fits(schema []byte, reply string) error {
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return err
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal([]byte(reply), &value); err != nil {
		return err
	}
	return resolved.Validate(value)
}

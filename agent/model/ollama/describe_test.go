package ollama_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model/ollama"
)

// store is a server with one model, which a test replaces.
type store struct {
	mu       sync.Mutex
	digest   string // of what is installed now; empty: nothing
	template string
	loaded   int
	shown    time.Time // what /api/show says about when it was installed
	listed   time.Time
	asked    []string
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.URL.Path)
	models := []any{}
	entry := map[string]any{"name": "m:1b", "model": "m:1b", "digest": s.digest, "modified_at": s.listed, "context_length": s.loaded}
	if s.digest != "" {
		models = append(models, entry)
	}
	var answer any = map[string]any{"models": models}
	if r.URL.Path == "/api/show" {
		if s.digest == "" {
			w.WriteHeader(http.StatusNotFound)
			answer = map[string]any{"error": "model 'm:1b' not found"}
		} else {
			answer = map[string]any{"template": s.template, "capabilities": []string{"completion"}, "modified_at": s.shown}
		}
	}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		panic(err)
	}
}

// requests returns what was asked since the last time, sorted: requests run side by side.
func (s *store) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := slices.Sorted(slices.Values(s.asked))
	s.asked = nil
	return asked
}

func (s *store) set(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

func TestDescribeAsksAgainOnlyWhatMayChange(t *testing.T) {
	t.Parallel()
	began := time.Now()
	s := &store{digest: "one", template: "first", loaded: 4096, shown: began, listed: began}
	server := httptest.NewServer(s)
	defer server.Close()
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	b := ollama.New(base, agenttest.Way())
	describe := func(what, template string, loaded int, requests ...string) {
		t.Helper()
		info, err := b.Describe(t.Context(), "m:1b")
		if err != nil || info.Template != template || info.LoadedContext != loaded || !info.Can("completion") {
			t.Errorf("%s: %+v, %v", what, info, err)
		}
		if got := s.requests(); !slices.Equal(got, requests) {
			t.Errorf("%s: asked %q, want %q", what, got, requests)
		}
	}
	const ps, show, tags = "/api/ps", "/api/show", "/api/tags"
	describe("at first", "first", 4096, ps, show, tags)
	s.set(func() { s.loaded = 8192 })
	describe("loaded anew", "first", 8192, ps, tags)

	later := began.Add(time.Minute)
	s.set(func() { s.digest, s.template, s.shown, s.listed = "two", "second", later, later })
	describe("replaced", "second", 8192, ps, show, tags)
	describe("replaced, again", "second", 8192, ps, tags)

	s.set(func() { s.digest, s.template, s.shown = "three", "third", later.Add(time.Second) })
	describe("replaced between two answers", "third", 8192, ps, show, tags)
	s.set(func() { s.listed = s.shown })
	describe("then the same", "third", 8192, ps, show, tags)
	describe("and known", "third", 8192, ps, tags)

	s.set(func() { s.digest = "" })
	if _, err := b.Describe(t.Context(), "m:1b"); err == nil {
		t.Error("a model that was removed is described")
	}
	if got := s.requests(); !slices.Contains(got, show) {
		t.Errorf("asked %q", got)
	}
}

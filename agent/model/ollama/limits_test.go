package ollama_test

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/ollama"
)

// serving is a backend for a server that answers everything in one way.
func serving(t *testing.T, transport http.RoundTripper, handler http.HandlerFunc) *ollama.Backend {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if transport == nil {
		transport = agenttest.Way()
	}
	return ollama.New(base, transport)
}

// endless writes a text over and over until nobody reads, at most a gigabyte.
func endless(w io.Writer, head, text string) {
	block := strings.Repeat(text, 1+(64<<10)/len(text))
	if _, err := io.WriteString(w, head); err != nil {
		return
	}
	for written := 0; written < 1<<30; written += len(block) {
		if _, err := io.WriteString(w, block); err != nil {
			return
		}
	}
}

func zipped(head, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		endless(z, head, text)
		_ = z.Close() // nobody reads any more
	}
}

func plainly(head, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { endless(w, head, text) }
}

// What a server answers is bounded before it is read into memory, packed or not, and what is said about it is one
// sentence.
// Promise 9.
func TestAnswersAreBounded(t *testing.T) {
	lists := func(b *ollama.Backend) error { _, err := b.Models(t.Context()); return err }
	describes := func(b *ollama.Backend) error { _, err := b.Describe(t.Context(), coder); return err }
	version := func(b *ollama.Backend) error { _, err := b.Version(t.Context()); return err }
	preloads := func(b *ollama.Backend) error { return b.Preload(t.Context(), coder, 0, 0) }
	aLine := `{"message":{"content":"` + strings.Repeat("x", 256<<10) + "\"}}\n"
	inflating := &http.Transport{DisableKeepAlives: true}
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		over    http.RoundTripper
		ask     func(*ollama.Backend) error
		kind    model.Kind
		words   string
		most    uint64 // MiB allocated
	}{
		{"a list of blanks", plainly(`{"models":[`, " "), nil, lists, model.Refused, "more than 1 MiB", 16},
		{"a list of empty models", plainly(`{"models":[{}`, ",{}"), nil, lists, model.Refused, "more than 65536 objects", 16},
		{"a model of empty tensors", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/show" {
				endless(w, `{"tensors":[{}`, ",{}")
			}
			_, _ = io.WriteString(w, "{}")
		}, nil, describes, model.Refused, "more than 65536 objects", 16},
		{"a packed list", zipped(`{"models":[`, " "), nil, lists, model.Refused, "compressed", 64},
		{"a packed list, inflated by the transport", zipped(`{"models":[`, " "), inflating, lists, model.Refused, "more than 1 MiB", 64},
		{"a version", plainly(`{"version":"`, "1"), nil, version, model.Refused, "more than 1 MiB", 16},
		{"facts", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/show" {
				endless(w, `{"template":"`, "x")
			}
			_, _ = io.WriteString(w, "{}")
		}, nil, describes, model.Refused, "more than 8 MiB", 64},
		{"a refusal", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			endless(w, `{"error":"`, "x")
		}, nil, lists, model.Refused, "more than 1 MiB", 16},
		{"a preload that says nothing for ever", plainly("", aLine), nil, preloads, model.Refused, "more than 1 MiB", 1024},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := serving(t, test.over, test.handler)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := test.ask(b)
			runtime.ReadMemStats(&after)
			failure := (*model.Error)(nil)
			if !errors.As(err, &failure) || failure.Kind != test.kind || !strings.Contains(failure.Sentence, test.words) ||
				strings.Contains(failure.Sentence, "\n") {
				t.Errorf("got %v", err)
			}
			// The server's own allocations count, too: it writes what is in its buffers.
			if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > test.most {
				t.Errorf("reading it took %d MiB", took)
			}
		})
	}
}

// The largest list that is read is of the worst kind: what it becomes in memory is bounded, too.
// Promise 9.
func TestTheLargestListIsSmallInMemory(t *testing.T) {
	const many = 1<<16 - 1
	body := `{"models":[{}` + strings.Repeat(",{}", many-1) + `]}`
	b := serving(t, nil, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/tags" {
			_, _ = io.WriteString(w, `{"models":[]}`)
			return
		}
		_, _ = io.WriteString(w, body)
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	models, err := b.Models(t.Context())
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; err != nil || len(models) != many || took > 192 {
		t.Errorf("%d models, %v, %d MiB", len(models), err, took)
	}
}

// A reply takes no buffer of many MB, whose garbage would be collected while the first token waits.
func TestAReplyIsSmallInMemory(t *testing.T) {
	b := serving(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"message":{"content":"Here"}}`+"\n"+`{"done":true}`+"\n")
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text, _, err := chat(t.Context(), b, model.Request{})
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; err != nil || text != "Here" || took > 1 {
		t.Errorf("%q, %v, %d MiB", text, err, took)
	}
}

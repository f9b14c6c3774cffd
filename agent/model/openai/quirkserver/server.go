// Package quirkserver is a scripted server for tests of the backend for OpenAI's protocol: it plays llama.cpp's server,
// vLLM, SGLang, LM Studio, a gateway and Ollama, with what each of them does otherwise than the protocol says.
package quirkserver

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// The servers that can be played.
const (
	LlamaCpp = "llamacpp"
	VLLM     = "vllm"
	SGLang   = "sglang"
	LMStudio = "lmstudio"
	Gateway  = "gateway"
	Ollama   = "ollama"
)

// Quirk is what a server does, or fails to do, in some of its versions or configurations.
type Quirk string

// The quirks. What all versions of a server do is played always.
const (
	IgnoresResponseFormat    Quirk = "accepts response_format and does not hold the reply to the schema"
	IgnoresStructuredOutputs Quirk = "accepts structured_outputs and does not hold the reply to the schema"
	IgnoresGrammar           Quirk = "accepts a grammar and does not hold the reply to it"
	MakesNoCalls             Quirk = "accepts tools and answers with a fence of JSON, whatever tool_choice says"
	LosesArguments           Quirk = "a call that comes in one piece of the stream arrives without its arguments"
	NoToolParser             Quirk = "tools are refused without --enable-auto-tool-choice"
	StripsContext            Quirk = "the list of models does not tell of the context"
	RenamesContext           Quirk = "the list of models calls the context max_input_tokens"
	BareErrors               Quirk = "an error is a bare JSON string"
	TellsCached              Quirk = "the usage tells of cached tokens"
	NoOwners                 Quirk = "the list of models does not tell who owns them"
	NoSlots                  Quirk = "it does not tell of its slots"
	Truncates                Quirk = "a prompt that is too long is cut in silence"
)

// Server plays one server. Its fields are set before it is asked.
type Server struct {
	Kind    string
	Quirks  []Quirk
	Models  []string // ids; the first is loaded
	Context int      // tokens of each slot
	Slots   int
	Dense   float64 // how many tokens it counts for four bytes; 0 means one
	Loading int     // how many requests are refused while the model is loaded
	Key     string  // that requests need; empty: none

	mu       sync.Mutex
	handlers map[string]http.HandlerFunc // guarded by mu, like all below
	replies  []Reply
	requests []Request
	slots    []played // of llama.cpp's server
	tasks    int
}

// Request is one that was made.
type Request struct {
	Method, Path, Query string
	Header              http.Header
	Body                []byte
}

// Reply is one answer to a chat: events of a stream, or a body.
type Reply struct {
	Events []string      // each becomes a data line and an empty one; [DONE] is not added
	Body   string        // in their place, as it is
	Status int           // 0 means 200
	Header http.Header   // besides the content type
	Before time.Duration // before the first event
	Hang   bool          // the connection stays open behind the last event
}

// New makes a server of a kind.
func New(kind string, quirks ...Quirk) *Server {
	return &Server{
		Kind: kind, Quirks: quirks, Models: []string{"qwen2.5-coder-7b"}, Context: 2048, Slots: 2,
		handlers: map[string]http.HandlerFunc{},
	}
}

// Start serves on a port of this machine until the test ends, and gives the URL.
func (s *Server) Start(t testing.TB) (url string) {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}

// Play queues answers to chats; when they are used up, the server answers as a model would.
func (s *Server) Play(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, replies...)
}

// Handle answers a path in the place of the server.
func (s *Server) Handle(path string, handler http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[path] = handler
}

// Requests are those to a path until now; an empty path means all.
func (s *Server) Requests(path string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []Request
	for _, r := range s.requests {
		if path == "" || r.Path == path {
			found = append(found, r)
		}
	}
	return found
}

// Chats are the bodies of the chats until now.
func (s *Server) Chats() []map[string]any {
	var bodies []map[string]any
	for _, r := range s.Requests("/v1/chat/completions") {
		var body map[string]any
		_ = json.Unmarshal(r.Body, &body) // a body that is no JSON stays nil, and the test fails
		bodies = append(bodies, body)
	}
	return bodies
}

func (s *Server) has(q Quirk) bool {
	return slices.Contains(s.Quirks, q)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, Request{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Clone(), body})
	handler := s.handlers[r.URL.Path]
	loading := s.Loading > 0
	if loading {
		s.Loading--
	}
	s.mu.Unlock()
	switch {
	case loading:
		answer(w, http.StatusServiceUnavailable, object{
			"error": object{"code": 503, "type": "unavailable_error", "message": "Loading model"},
		})
	case s.Key != "" && r.Header.Get("Authorization") != "Bearer "+s.Key:
		answer(w, http.StatusUnauthorized, object{"error": "Unauthorized: " + r.Header.Get("Authorization")})
	case handler != nil:
		handler(w, r)
	case r.URL.Path == "/v1/chat/completions":
		s.place(body)
		s.chat(w, r, body)
	default:
		s.route(w, r, body)
	}
}

type object = map[string]any

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

package agenttest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server plays a [Script] over Ollama's HTTP protocol. It is an [http.Handler] and may be used concurrently.
type Server struct {
	mux    *http.ServeMux
	script *Script

	mu         sync.Mutex // guards what follows
	next       int        // the turn that the next chat gets
	loaded     map[string]int
	pulled     map[string]bool // models that were missing
	requests   []Request
	mismatches []string
	released   int           // how many of the next holds end at once
	changed    chan struct{} // closed and replaced whenever something above changes
}

// Request is one request that a [Server] got.
type Request struct {
	Path string          `json:"path"`
	Body json.RawMessage `json:"body,omitempty"`
	Text string          `json:"text,omitempty"` // the messages and tools of a chat, readable
	// Answered says that the whole answer of the script was sent; Gone that the client disconnected before.
	Answered bool `json:"answered"`
	Gone     bool `json:"gone"`
}

// NewServer makes a server that plays a script from its first turn.
func NewServer(script *Script) *Server {
	s := &Server{
		mux: http.NewServeMux(), script: script, loaded: map[string]int{}, pulled: map[string]bool{},
		changed: make(chan struct{}),
	}
	for _, m := range script.models {
		if m.loaded > 0 {
			s.loaded[m.name] = m.loaded
		}
	}
	s.mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, map[string]string{"version": script.version})
	})
	s.mux.HandleFunc("GET /api/tags", s.tags)
	s.mux.HandleFunc("GET /api/ps", s.ps)
	s.mux.HandleFunc("POST /api/show", s.show)
	s.mux.HandleFunc("POST /api/generate", s.generate)
	s.mux.HandleFunc("POST /api/pull", s.pull)
	s.mux.HandleFunc("POST /api/embed", s.embed)
	s.mux.HandleFunc("GET /scripted/state", s.state)
	return s
}

// ServeHTTP answers one request and records it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/scripted/") {
		s.mux.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client disconnected before its request was complete
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	record := Request{Path: r.URL.Path}
	if json.Valid(body) {
		record.Body = body
	}
	if chat := (chatBody{}); r.URL.Path == "/api/chat" && json.Unmarshal(body, &chat) == nil {
		record.Text = chat.readable()
	}
	var index int
	s.change(func() {
		index = len(s.requests)
		s.requests = append(s.requests, record)
	})
	answered := true
	defer func() {
		s.change(func() { s.requests[index].Gone, s.requests[index].Answered = !answered, answered })
	}()
	if r.URL.Path == "/api/chat" && r.Method == http.MethodPost {
		answered = s.chat(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
	answered = r.Context().Err() == nil
}

// Requests lists what was asked so far, in the order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Chats are the requests for a reply of a model.
func (s *Server) Chats() []Request {
	return slices.DeleteFunc(s.Requests(), func(r Request) bool {
		return r.Path != "/api/chat" || bytes.Contains(r.Body, []byte(`"_debug_render_only":true`))
	})
}

// Mismatches lists which requests were not what the script expects, one sentence each.
func (s *Server) Mismatches() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mismatches)
}

// Remaining counts the turns that were not played.
func (s *Server) Remaining() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := len(s.script.turns) - s.next
	if left > 0 && s.script.turns[len(s.script.turns)-1].repeat && s.next == len(s.script.turns)-1 {
		return 0
	}
	return max(left, 0)
}

// Wait returns when the requests satisfy a condition. It does not poll.
func (s *Server) Wait(ctx context.Context, condition func([]Request) bool) error {
	for {
		s.mu.Lock()
		requests, changed := slices.Clone(s.requests), s.changed
		s.mu.Unlock()
		if condition(requests) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf(
				"the model server waited for something that did not happen; it got %d requests: %w", len(requests),
				ctx.Err(),
			)
		}
	}
}

// WaitGone returns when the client disconnected during its n-th chat (counted from 1), or while a model was loaded,
// before the answer was complete.
func (s *Server) WaitGone(ctx context.Context, n int) error {
	return s.Wait(ctx, func(requests []Request) bool {
		if slices.ContainsFunc(requests, func(r Request) bool { return r.Path == "/api/generate" && r.Gone }) {
			return true
		}
		chats := slices.DeleteFunc(requests, func(r Request) bool { return r.Path != "/api/chat" })
		return len(chats) >= n && chats[n-1].Gone
	})
}

// Release ends one hold of the script: the current one, else the next.
func (s *Server) Release() { s.change(func() { s.released++ }) }

// hold waits for a release, and reports whether the client is still connected.
func (s *Server) hold(ctx context.Context) bool {
	for {
		s.mu.Lock()
		changed, free := s.changed, s.released > 0
		if free {
			s.released--
		}
		s.mu.Unlock()
		if free {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

func (s *Server) change(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Server) state(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, map[string]any{
		"requests": s.Requests(), "mismatches": s.Mismatches(), "remaining": s.Remaining(),
	})
}

func (s *Server) tags(w http.ResponseWriter, _ *http.Request) {
	models := []any{}
	for _, m := range s.script.models {
		if !s.has(&m) {
			continue
		}
		models = append(models, map[string]any{
			"name": m.name, "model": m.name, "size": m.bytes, "details": m.details(), "digest": m.digest(),
			"modified_at": m.modified(),
			"remote_host": m.remoteHost, "remote_model": m.remoteModel,
		})
	}
	reply(w, http.StatusOK, map[string]any{"models": models})
}

func (s *Server) ps(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	models := []any{}
	for _, m := range s.script.models {
		if size, ok := s.loaded[m.name]; ok {
			models = append(models, map[string]any{
				"name": m.name, "model": m.name, "size": m.bytes, "size_vram": m.vramOf(), "details": m.details(),
				"digest": m.digest(), "context_length": size,
			})
		}
	}
	reply(w, http.StatusOK, map[string]any{"models": models})
}

func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	var body struct{ Model string }
	if m := s.model(w, r, &body, &body.Model); m != nil {
		reply(w, http.StatusOK, map[string]any{
			"template": m.template, "parser": m.parser, "details": m.details(), "capabilities": m.capabilities,
			"modified_at": m.modified(),
			"remote_host": m.remoteHost, "remote_model": m.remoteModel,
			"model_info": map[string]any{"general.architecture": m.family, m.family + ".context_length": m.context},
		})
	}
}

// generate preloads or unloads a model, and writes what is between two texts.
func (s *Server) generate(w http.ResponseWriter, r *http.Request) {
	var body chatBody
	m := s.model(w, r, &body, &body.Model)
	if m == nil {
		return
	}
	answer := func(response, reason string) {
		reply(w, http.StatusOK, map[string]any{
			"model": m.name, "created_at": time.Now(), "response": response, "done": true, "done_reason": reason,
		})
	}
	if string(body.KeepAlive) == `"0s"` {
		s.change(func() { delete(s.loaded, m.name) })
		answer("", "unload")
		return
	}
	if !s.load(r.Context(), m, &body) {
		return
	}
	switch {
	case body.Suffix == "":
		answer("", "load")
	case !slices.Contains(m.capabilities, "insert"):
		fail(w, http.StatusBadRequest, fmt.Sprintf("%q does not support insert", body.Model))
	case s.script.insert == "hang":
		<-r.Context().Done()
	default:
		answer(s.script.insert, "stop")
	}
}

// chat answers a chat request, and reports whether the client stayed connected until the end of the answer.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) bool {
	var body chatBody
	m := s.model(w, r, &body, &body.Model)
	switch {
	case m == nil:
	case len(body.Tools) > 0 && !slices.Contains(m.capabilities, "tools"):
		fail(w, http.StatusBadRequest, fmt.Sprintf("%q does not support tools", body.Model))
	case body.Think != nil && body.Think != false && !slices.Contains(m.capabilities, "thinking"):
		fail(w, http.StatusBadRequest, fmt.Sprintf("%q does not support thinking", body.Model))
	case body.DebugRenderOnly:
		reply(w, http.StatusOK, map[string]any{
			"model": m.name, "created_at": time.Now(), "_debug_info": map[string]any{
				"rendered_template": body.readable(),
			},
		})
	case s.tooLong(w, &body):
	default:
		turn, number, problem := s.take(&body)
		if problem != "" {
			fail(w, http.StatusInternalServerError, problem)
			return true
		}
		return s.load(r.Context(), m, &body) &&
			(&player{
				w: w, ctx: r.Context(), model: m.name, host: m.remoteHost, turn: turn, number: number, body: &body,
				hold: s.hold,
			}).play()
	}
	return true
}

// tooLong refuses a prompt that is longer than the context, or takes its oldest messages away, as the script says.
func (s *Server) tooLong(w http.ResponseWriter, body *chatBody) bool {
	size, needed := s.contextOf(body), body.tokens()
	switch {
	case s.script.overflow == "" || needed <= size:
		return false
	case s.script.overflow == OverflowRefuse:
		fail(w, http.StatusBadRequest, fmt.Sprintf(
			`{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":%d,"n_ctx":%d}}`,
			needed, size))
		return true
	}
	for i := 0; i < len(body.Messages)-1 && body.tokens() > size; {
		if body.Messages[i].Role == "system" {
			i++
			continue
		}
		body.Messages = slices.Delete(body.Messages, i, i+1)
	}
	return false
}

// contextOf is the context that a model is loaded with for a request.
func (s *Server) contextOf(body *chatBody) int {
	size := 4096
	if n, ok := body.Options["num_ctx"].(float64); ok {
		size = int(n)
	}
	if s.script.window > 0 {
		size = min(size, s.script.window)
	}
	return size
}

// take returns the next turn, or a sentence why the request does not match it.
func (s *Server) take(body *chatBody) (t turn, number int, problem string) {
	s.change(func() {
		if n := len(s.script.turns); s.next == n && n > 0 && s.script.turns[n-1].repeat {
			s.next--
		}
		if s.next >= len(s.script.turns) {
			problem = fmt.Sprintf("the script has only %d turns", len(s.script.turns))
		} else {
			t = s.script.turns[s.next]
			s.next++
			problem = t.mismatch(body)
		}
		if problem != "" {
			problem = fmt.Sprintf("script, turn %d: %s", s.next, problem)
			s.mismatches = append(s.mismatches, problem)
		}
		number = s.next
	})
	return t, number, problem
}

// mismatch is a sentence about how a request differs from what the turn expects; empty if it does not.
func (t *turn) mismatch(body *chatBody) string {
	raw, err := json.Marshal(body)
	if err != nil {
		return err.Error()
	}
	everything := body.readable() + string(raw)
	last := ""
	if n := len(body.Messages); n > 0 {
		last = body.Messages[n-1].readable()
	}
	for _, text := range t.expect {
		if !strings.Contains(everything, text) {
			return fmt.Sprintf("the request does not contain %q", text)
		}
	}
	for _, text := range t.expectNot {
		if strings.Contains(everything, text) {
			return fmt.Sprintf("the request contains %q", text)
		}
	}
	for _, text := range t.expectLast {
		if !strings.Contains(last, text) {
			return fmt.Sprintf("the last message does not contain %q; it is %q", text, last)
		}
	}
	for _, s := range t.steps {
		switch {
		case s.word == "call" && len(body.Tools) == 0:
			return fmt.Sprintf("the turn calls %s natively, but the request offers no tools", s.name)
		case s.word == "json" && !body.hasFormat():
			return "the turn is guided, but the request has no format"
		}
	}
	return ""
}

// load waits as long as loading a model takes, unless it is loaded with this context size. It reports whether
// the client is still connected.
func (s *Server) load(ctx context.Context, m *installed, body *chatBody) bool {
	size := s.contextOf(body)
	s.mu.Lock()
	fresh := s.loaded[m.name] != size
	s.mu.Unlock()
	if fresh && !pause(ctx, s.script.loadTime) {
		return false
	}
	s.change(func() {
		if s.script.oneModel {
			clear(s.loaded)
		}
		s.loaded[m.name] = size
	})
	return true
}

// model decodes a request and finds the model that it names; nil: an error was sent as the answer.
func (s *Server) model(w http.ResponseWriter, r *http.Request, body any, name *string) *installed {
	if err := json.NewDecoder(r.Body).Decode(body); err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return nil
	}
	m := s.script.find(*name)
	if m == nil || !s.has(m) {
		m = nil
		fail(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", *name))
	}
	return m
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that went away needs no answer
}

func fail(w http.ResponseWriter, status int, text string) {
	reply(w, status, map[string]string{"error": text})
}

// pause waits, and reports whether the client is still connected.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

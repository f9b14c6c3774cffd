package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/prompts"
)

// smallModels are the models that the project's own tests use, the one that Ollama's library has first.
var smallModels = []string{"qwen2.5-coder:1.5b", "coder:1.5b"} //nolint:gochecknoglobals // a constant

// findOllama returns the server at OLLAMA_HOST and a small model of it, or nothing.
func findOllama(ctx context.Context) (host, name string) {
	host = cmp.Or(os.Getenv("OLLAMA_HOST"), "127.0.0.1:11434")
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, host+"/api/tags", nil)
	if err != nil {
		return "", ""
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", ""
	}
	defer func() { _ = response.Body.Close() }()
	var tags struct{ Models []struct{ Name string } }
	if json.NewDecoder(response.Body).Decode(&tags) != nil {
		return "", ""
	}
	for _, wanted := range smallModels {
		for _, m := range tags.Models {
			if m.Name == wanted {
				return host, wanted
			}
		}
	}
	return "", ""
}

// line is one line of Ollama's stream.
type line struct {
	Message struct {
		Content   string
		ToolCalls json.RawMessage `json:"tool_calls"`
	}
	Done            bool
	PromptEvalCount int `json:"prompt_eval_count"`
	EvalCount       int `json:"eval_count"`
	Error           string
}

func (l line) chunk() model.Chunk { return model.Chunk{Text: l.Message.Content} }

// direct sends the body of a chat request without Assent in between. each gets every line until it returns false.
func direct(ctx context.Context, host string, body []byte, each func(line) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, host+"/api/chat", bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return err
		}
		if l.Error != "" {
			return fmt.Errorf("the model server: %s", l.Error)
		}
		if !each(l) {
			return nil
		}
	}
	return lines.Err()
}

// recorder is before a model server and keeps the chat requests that pass.
type recorder struct {
	address string
	server  *http.Server

	mu    sync.Mutex // guards what follows
	chats [][]byte
	over  []exchange // those whose replies are whole
}

func record(ctx context.Context, host string) (*recorder, error) {
	r := &recorder{}
	proxy, err := proxyTo(host)
	if err != nil {
		return nil, err
	}
	proxy.ModifyResponse = func(response *http.Response) error {
		if request, ok := response.Request.Context().Value(passing{}).(model.Request); ok {
			ask := func() (read reading) {
				if server, err := beneath(host); err == nil {
					read, _ = server.reading(response.Request.Context()) // without it this request is not counted
				}
				return read
			}
			response.Body = &listened{
				ReadCloser: response.Body, r: r, ask: ask,
				about: exchange{request: request, summary: asksForSummary(request, prompts.Summarize())},
			}
		}
		return nil
	}
	r.address, r.server, err = serveHere(ctx, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/api/chat" {
			body, err := io.ReadAll(req.Body)
			if err != nil {
				return // the client is gone
			}
			r.mu.Lock()
			r.chats = append(r.chats, body)
			r.mu.Unlock()
			req.Body = io.NopCloser(bytes.NewReader(body))
			if request, err := requestOf(body); err == nil {
				req = req.WithContext(context.WithValue(req.Context(), passing{}, request))
			}
		}
		proxy.ServeHTTP(w, req)
	})
	return r, err
}

// proxyTo makes a proxy to a server, which passes on each piece of a reply at once.
func proxyTo(host string) (*httputil.ReverseProxy, error) {
	target, err := url.Parse(host)
	if err != nil {
		return nil, err
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	return proxy, nil
}

// serveHere serves at a free port of this machine until the server is closed.
func serveHere(ctx context.Context, handler http.HandlerFunc) (address string, server *http.Server, err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server = &http.Server{ReadHeaderTimeout: time.Minute, Handler: handler}
	go func() { _ = server.Serve(listener) }() // ends with Close
	return "http://" + listener.Addr().String(), server, nil
}

func (r *recorder) close() { _ = r.server.Close() }

// exchanges are the requests whose replies are whole, in their order.
func (r *recorder) exchanges() []exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.over)
}

// passing is the key of the request in the context of its way through the proxy.
type passing struct{}

// listened is a reply on its way. With its first piece the server beneath is asked what it has read of the prompt.
type listened struct {
	io.ReadCloser
	r     *recorder
	ask   func() reading
	about exchange
	begun []byte // of a line
	asked bool
}

// Read implements io.Reader.
func (l *listened) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if n > 0 && !l.asked {
		l.asked = true
		l.about.reading = l.ask()
	}
	l.begun = append(l.begun, p[:n]...)
	for {
		text, rest, whole := bytes.Cut(l.begun, []byte("\n"))
		if !whole {
			return n, err
		}
		l.begun = rest
		var said line
		if json.Unmarshal(text, &said) == nil && said.Done && said.PromptEvalCount > 0 {
			l.about.prompt, l.about.output = said.PromptEvalCount, said.EvalCount
			l.r.mu.Lock()
			l.r.over = append(l.r.over, l.about)
			l.r.mu.Unlock()
		}
	}
}

// last returns the newest chat request.
func (r *recorder) last() ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.chats) == 0 {
		return nil, fmt.Errorf("no chat request passed")
	}
	return r.chats[len(r.chats)-1], nil
}

// capture sends a chat through Assent and returns its first request to the model. The run is stopped after the first
// token.
func (l *setup) capture(ctx context.Context, w *project, host, chat string, args ...string) ([]byte, error) {
	r, err := record(ctx, host)
	if err != nil {
		return nil, err
	}
	defer r.close()
	e, err := l.startEditor(ctx, w, append([]string{"--ollama-host", r.address}, args...)...)
	if err != nil {
		return nil, err
	}
	defer e.quit()
	if _, err := e.firstToken("file://"+w.dir+"/first.chat.md", chat); err != nil {
		return nil, err
	}
	pause() // the end of the reply is still on its way into the document
	return r.last()
}

// firstToken opens a chat, sends it, and returns how long it took until the first character of the reply was in the
// document. The run is over when it returns.
func (e *editor) firstToken(uri, chat string) (time.Duration, error) {
	if err := e.open(uri, chat); err != nil {
		return 0, err
	}
	shown := e.watch(func(content []byte) bool { return reply(content) != "" })
	started := time.Now()
	if err := e.command("assent.send", uri); err != nil {
		return 0, err
	}
	var took time.Duration
	select {
	case at := <-shown:
		took = at.Sub(started)
	case <-time.After(3 * time.Minute):
		return 0, fmt.Errorf("no reply appeared within 3 minutes")
	}
	if err := e.command("assent.stop", uri); err != nil && !strings.Contains(err.Error(), "nothing is running") {
		return 0, err
	}
	return took, e.idle(uri)
}

// idle waits until a run is over: then Stop has nothing to do.
func (e *editor) idle(uri string) error {
	for range 600 {
		if err := e.command("assent.stop", uri); err != nil {
			return nil //nolint:nilerr // there is nothing to stop
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("the run does not end")
}

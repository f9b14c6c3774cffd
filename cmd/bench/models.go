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
	var tags struct{ Models []struct{ Name string } }
	if askJSON(ctx, http.MethodGet, host+"/api/tags", nil, &tags) != nil {
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

// ask sends a request to a model server; the caller closes the body of the response.
func ask(ctx context.Context, method, address string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return http.DefaultClient.Do(req)
}

// askJSON sends a request to a model server, and reads its answer.
func askJSON(ctx context.Context, method, address string, body []byte, answer any) error {
	response, err := ask(ctx, method, address, body)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	return json.NewDecoder(response.Body).Decode(answer)
}

// stream sends the body of a chat request without Assent in between. each gets every line of the reply until it returns
// false or fails.
func stream(ctx context.Context, address string, body []byte, each func(line []byte) (bool, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	response, err := ask(ctx, http.MethodPost, address, body)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(response.Body, 1<<10)) // what came until then says enough
		return fmt.Errorf("the model server: status %d: %s", response.StatusCode, said)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		if more, err := each(lines.Bytes()); err != nil || !more {
			return err
		}
	}
	return lines.Err()
}

// line is one line of Ollama's stream.
type line struct {
	Message struct {
		Content string
	}
	Done            bool
	PromptEvalCount int `json:"prompt_eval_count"`
	EvalCount       int `json:"eval_count"`
	Error           string
}

// direct sends the body of a chat request to an Ollama server. each gets every line until it returns false.
func direct(ctx context.Context, host string, body []byte, each func(line) bool) error {
	return stream(ctx, host+ollamaChats, body, func(text []byte) (bool, error) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return false, err
		}
		if l.Error != "" {
			return false, fmt.Errorf("the model server: %s", l.Error)
		}
		return each(l), nil
	})
}

// proxy is before a model server, and keeps the newest chat request that passed.
type proxy struct {
	address string
	server  *http.Server

	mu   sync.Mutex // guards what follows, and what the types around a proxy keep
	last []byte
}

// serve serves at a free port of this machine until the proxy is closed. chat gets each request for a chat with its
// body; it returns the request that goes on to the server, or nil where it has answered. seen may be nil; it gets each
// response of the server.
func (p *proxy) serve(
	ctx context.Context, host, path string, seen func(*http.Response) error,
	chat func(w http.ResponseWriter, r *http.Request, body []byte) *http.Request,
) error {
	target, err := url.Parse(host)
	if err != nil {
		return err
	}
	through := httputil.NewSingleHostReverseProxy(target)
	through.FlushInterval, through.ModifyResponse = -1, seen
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	p.address = "http://" + listener.Addr().String()
	p.server = &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == path {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return // the client is gone
				}
				p.mu.Lock()
				p.last = body
				p.mu.Unlock()
				r.Body = io.NopCloser(bytes.NewReader(body))
				if r = chat(w, r, body); r == nil {
					return
				}
			}
			through.ServeHTTP(w, r)
		},
	)}
	go func() { _ = p.server.Serve(listener) }() // ends with Close
	return nil
}

func (p *proxy) close() { _ = p.server.Close() }

// captured is the newest chat request.
func (p *proxy) captured() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		return nil, fmt.Errorf("no chat request passed")
	}
	return p.last, nil
}

// recorder is before an Ollama server, and keeps what passes.
type recorder struct {
	proxy

	over []exchange // guarded by mu: those whose replies are whole
}

func record(ctx context.Context, host string) (*recorder, error) {
	r := &recorder{}
	err := r.serve(ctx, host, ollamaChats, func(response *http.Response) error {
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
	}, func(_ http.ResponseWriter, req *http.Request, body []byte) *http.Request {
		request, err := requestOf(body)
		if err != nil {
			return req
		}
		return req.WithContext(context.WithValue(req.Context(), passing{}, request))
	})
	return r, err
}

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
	if _, err := e.firstToken(w.uri("first.chat.md"), chat); err != nil {
		return nil, err
	}
	pause() // the end of the reply is still on its way into the document
	return r.captured()
}

// firstToken opens a chat, sends it, and returns how long it took until the first character of the reply was in the
// document. The run is over when it returns.
func (e *editor) firstToken(uri, chat string) (time.Duration, error) {
	if err := e.open(uri, chat); err != nil {
		return 0, err
	}
	shown := e.watch(func(content []byte) bool { return reply(content) != "" })
	took, err := e.sendUntil(uri, shown)
	if err != nil {
		return 0, err
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

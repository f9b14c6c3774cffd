// Package ollama is the [model.Backend] for an Ollama server, through Ollama's own client.
package ollama

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/assent-ls/assent/agent/model"
)

const (
	// connectTime is how long a server may take to accept a connection; there is no limit on a whole chat.
	connectTime = 1500 * time.Millisecond
	// answerTime is how long a server may take for what it answers at once (version, lists, facts of a model).
	answerTime = 10 * time.Second
	// versionTime is answerTime for the version, which asks whether a server is there at all.
	versionTime = 2 * time.Second
)

// Backend talks to one Ollama server. It is safe for concurrent use, holds no connection while nothing is asked, and
// starts no goroutine that outlives a call.
type Backend struct {
	base   *url.URL
	client *api.Client

	mu    sync.Mutex
	facts map[string]facts // guarded by mu: what was asked of models before, by name
}

var _ model.Backend = (*Backend)(nil)

// New returns a backend for the server at base. transport is how to reach it; nil is the usual way: over TCP, through the
// proxy that the environment names unless the server is on this machine.
func New(base *url.URL, transport http.RoundTripper) *Backend {
	if transport == nil {
		transport = newTransport(base)
	}
	client := &http.Client{
		Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // a redirect would carry the user's files to another host
		},
	}
	return &Backend{base: base, client: api.NewClient(base, client), facts: map[string]facts{}}
}

// FromEnvironment is [New] for the value of OLLAMA_HOST; empty means Ollama's default address.
func FromEnvironment(host string) (*Backend, error) {
	base, err := ParseHost(host)
	if err != nil {
		return nil, err
	}
	return New(base, nil), nil
}

func newTransport(base *url.URL) http.RoundTripper {
	t := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: connectTime}).DialContext,
		TLSHandshakeTimeout: connectTime,
		DisableKeepAlives:   true, // an idle connection would keep two goroutines; a new one costs next to nothing
	}
	if !onThisMachine(base.Hostname()) {
		t.Proxy = http.ProxyFromEnvironment
	}
	return t
}

func onThisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Name implements [model.Backend].
func (b *Backend) Name() string { return "Ollama at " + b.base.Host }

// Version implements [model.Backend]. It takes at most two seconds.
func (b *Backend) Version(ctx context.Context) (string, error) {
	limited, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	version, err := b.client.Version(limited)
	if err == nil && version == "" {
		err = errNotOllama
	}
	return version, b.failure(ctx, "", err)
}

// Preload implements [model.Backend]. It returns when the model is loaded.
func (b *Backend) Preload(ctx context.Context, name string, contextSize int, keepAlive time.Duration) error {
	off := false
	req := &api.GenerateRequest{Model: name, Stream: &off, KeepAlive: duration(keepAlive), Options: map[string]any{}}
	if contextSize > 0 {
		req.Options["num_ctx"] = contextSize
	}
	return b.failure(ctx, name, b.client.Generate(ctx, req, func(api.GenerateResponse) error { return nil }))
}

// duration converts a time to keep a model loaded: zero leaves it to the server, a negative one means for ever.
func duration(d time.Duration) *api.Duration {
	if d == 0 {
		return nil
	}
	return &api.Duration{Duration: d}
}

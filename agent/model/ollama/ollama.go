// Package ollama is the [model.Backend] for an Ollama server, through Ollama's own client.
package ollama

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/transport"
	"github.com/assent-ls/assent/internal/network"
)

const (
	// answerTime is how long a server may take for what it answers at once (version, lists, facts of a model); there is
	// no limit on a whole chat.
	answerTime = 10 * time.Second
	// versionTime is answerTime for the version, which asks whether a server is there at all.
	versionTime = 2 * time.Second
)

// Backend talks to one Ollama server. It is safe for concurrent use, holds no connection while nothing is asked, and
// starts no goroutine that outlives a call.
type Backend struct {
	base      *url.URL
	transport http.RoundTripper
	client    *api.Client
	way       way // what Way says; a transport that was given to New goes its own
	secrets   *transport.Secrets

	mu    sync.Mutex
	facts map[string]facts // guarded by mu: what was asked of models before, by name
}

var (
	_ model.Backend   = (*Backend)(nil)
	_ model.Inspector = (*Backend)(nil)
)

// New returns a backend for the server at base. over is how to reach it; nil: it is not reached.
func New(base *url.URL, over http.RoundTripper) *Backend {
	if over == nil {
		over = way{}.transport(nil)
	}
	b := &Backend{base: base, transport: over, facts: map[string]facts{}}
	b.client = b.newClient(nil)
	return b
}

// NewAuthorized is New for a server that wants a key or headers, which no error holds.
func NewAuthorized(base *url.URL, over *transport.Authorized) *Backend {
	b := New(base, over)
	b.secrets = over.Secrets
	return b
}

// Open is [New] for the value of OLLAMA_HOST (empty means Ollama's default address) and for a proxy on the way to a
// server that is not on this machine: a URL, "environment" for what HTTP_PROXY, HTTPS_PROXY and NO_PROXY say, empty for
// none. It connects by n.
func Open(n *network.Network, host, proxy string) (*Backend, error) {
	base, err := ParseHost(host)
	if err != nil {
		return nil, err
	}
	return open(n, base, proxy)
}

func open(n *network.Network, base *url.URL, proxy string) (*Backend, error) {
	w, err := wayTo(base, proxy)
	if err != nil {
		return nil, err
	}
	b := New(base, w.transport(n))
	b.way = w
	return b, nil
}

// newClient makes a client that sets over if an answer was too long.
func (b *Backend) newClient(over *bool) *api.Client {
	return api.NewClient(b.base, &http.Client{Transport: limited(b.transport, over)})
}

// Way says how the server is reached, in words that fit after "reached".
func (b *Backend) Way() string { return b.way.String() }

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

// Place is the same text for all addresses of one server, as far as that can be told without asking: those of this
// machine are one.
func (b *Backend) Place() string {
	host := strings.TrimSuffix(strings.ToLower(b.base.Hostname()), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		host = ip.Unmap().String()
	}
	if transport.OnThisMachine(host) {
		host = "this machine"
	}
	return host + " port " + b.base.Port()
}

// Preload implements [model.Backend]. It returns when the model is loaded.
func (b *Backend) Preload(ctx context.Context, name string, contextSize int, keepAlive time.Duration) error {
	_, err := b.generate(
		ctx, &api.GenerateRequest{Model: name, KeepAlive: duration(keepAlive), Options: sized(contextSize)},
	)
	return err
}

// Unload implements [model.Backend].
func (b *Backend) Unload(ctx context.Context, name string) error {
	_, err := b.generate(ctx, &api.GenerateRequest{Model: name, KeepAlive: &api.Duration{}})
	return err
}

// duration converts a time to keep a model loaded: zero leaves it to the server, a negative one means for ever.
func duration(d time.Duration) *api.Duration {
	if d == 0 {
		return nil
	}
	return &api.Duration{Duration: d}
}

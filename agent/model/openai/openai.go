// Package openai is the [model.Backend] for servers that speak the OpenAI chat-completions protocol: llama.cpp's
// server, vLLM, SGLang, LM Studio, and gateways before them. What each of them does otherwise than the protocol says is
// in quirks.md.
package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/transport"
	"github.com/assent-ls/assent/internal/lazyregexp"
)

// The kinds of servers.
const (
	Auto     = "auto" // found out from the server's own answers
	LlamaCpp = "llamacpp"
	VLLM     = "vllm"
	SGLang   = "sglang"
	LMStudio = "lmstudio"
	Other    = "openai" // a gateway or anything else
)

// Config says how to reach one server.
type Config struct {
	Name    string                                // what users call it: the name in servers.json
	URL     string                                // base URL with or without /v1
	Kind    string                                // one of the kinds; empty means Auto
	Client  *http.Client                          // carries TLS and unix sockets; else nothing is reached
	Key     func(context.Context) (string, error) // asked for each request that needs it; nil: no key
	Headers http.Header                           // sent with every request
	Context int                                   // tokens per slot, where the server does not tell; 0: unknown
	Slots   int                                   // parallel requests, where the server does not tell; 0: one
}

const (
	answerTime  = 10 * time.Second // for what a server answers at once: lists, facts, counts; a chat has no limit
	versionTime = 2 * time.Second  // for the version, which asks whether a server is there at all
)

// connection is the way to a server, and what its answers say.
type connection struct {
	config Config
	at     *url.URL
	root   string // URL of the server, without the version of the protocol
	api    string // URL of the protocol, as http://localhost:8080/v1
	client *http.Client

	secrets *transport.Secrets // what no error may hold
}

// Backend talks to one server. It is safe for concurrent use, holds no connection while nothing is asked, and starts no
// goroutine that outlives a call.
type Backend struct {
	*connection

	mu      sync.Mutex
	kind    string                     // guarded by mu, like all below: what the server is; empty: not known yet
	build   string                     // of the server, as far as it tells
	slots   int                        // that the server told of; 0: it did not
	asked   bool                       // for build and slots
	ids     map[string]string          // by the name of a model: what the server calls it
	tried   map[string]model.Abilities // by the name of a model
	lossy   map[string]bool            // models whose calls lost their arguments in a stream
	refused map[string]bool            // fields that the server refuses, and that it can do without
	field   string                     // the one in which thinking arrived
	beside  map[string]slot            // by what the server calls a model: that of the last request of no chat
}

var (
	_ model.Backend   = (*Backend)(nil)
	_ model.Inspector = (*Backend)(nil)
	_ model.Counter   = (*Backend)(nil)
	_ model.Prober    = (*Backend)(nil)
)

// New returns a backend for a server. Nothing is asked yet. The error is one sentence about what is wrong in c.
func New(c Config) (*Backend, error) {
	c.Kind = cmp.Or(c.Kind, Auto)
	switch c.Kind {
	case Auto, LlamaCpp, VLLM, SGLang, LMStudio, Other:
	default:
		return nil, fmt.Errorf(
			"the kind %q of the server %s is not known: write auto, llamacpp, vllm, sglang, lmstudio or openai",
			c.Kind, c.Name,
		)
	}
	at, root, api, err := parseURL(c.URL)
	if err != nil {
		return nil, fmt.Errorf("the address of the server %s cannot be used: %w; write http://HOST:PORT", c.Name, err)
	}
	way := over(c)
	b := &Backend{
		connection: &connection{
			config: c, at: at, root: root, api: api, client: newClient(way, api), secrets: way.Secrets,
		},
		ids: map[string]string{}, tried: map[string]model.Abilities{},
		lossy: map[string]bool{}, refused: map[string]bool{}, beside: map[string]slot{},
	}
	if c.Kind != Auto {
		b.kind = c.Kind
	}
	return b, nil
}

var versionPath = lazyregexp.New(`/v\d+[a-z0-9]*$`)

// parseURL splits a base URL, with or without the version of the protocol, into that of the server and that of the
// protocol. What it refuses may hold a password, and is not repeated.
func parseURL(text string) (at *url.URL, root, api string, err error) {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil:
		return nil, "", "", errors.New("it is no URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, "", "", errors.New("only http and https are known")
	case u.Host == "" || u.Hostname() == "":
		return nil, "", "", errors.New("it names no host")
	case u.User != nil:
		return nil, "", "", errors.New("it holds a user or a password, which belong into key or headers")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return nil, "", "", errors.New("it has a query or a fragment")
	}
	api = strings.TrimRight(u.String(), "/")
	root = versionPath().ReplaceAllString(api, "")
	if root == api {
		api += "/v1"
	}
	return u, root, api, nil
}

// Name implements [model.Backend].
func (b *Backend) Name() string {
	return cmp.Or(b.config.Name, "the model server at "+b.root)
}

// Memory implements [model.Backend]: no server tells.
func (b *Backend) Memory() int64 { return 0 }

// Unload implements [model.Backend]: the protocol has no word for it, so nothing happens.
func (b *Backend) Unload(context.Context, string) error { return nil }

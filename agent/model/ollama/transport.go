package ollama

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"github.com/assent-ls/assent/agent/model/transport"
	"github.com/assent-ls/assent/internal/network"
)

// How much of one answer is read, in bytes after inflating. The objects of an answer that is not a stream are counted,
// too.
const (
	maxList    = 1 << 20  // what is installed or loaded, the version, the end of a preload
	maxFacts   = 8 << 20  // of one model: template, licence, names of tensors
	maxVectors = 8 << 20  // of some texts
	maxStream  = 64 << 20 // one reply; the client takes lines of at most 8 MB
	maxPull    = 1 << 30  // of lines about one pull, which may take days: none of them is kept

	maxObjects = 1 << 16
)

// fromEnvironment, as a proxy, means what HTTP_PROXY, HTTPS_PROXY and NO_PROXY say.
const fromEnvironment = "environment"

// way is how a server is reached: by a proxy or, if it is nil, directly.
type way struct{ proxy *url.URL }

// String fits after "reached".
func (w way) String() string {
	if w.proxy == nil {
		return "directly"
	}
	return "through the proxy " + w.proxy.Redacted()
}

// wayTo reads what a user set as a proxy. A server on this machine is always reached directly.
func wayTo(base *url.URL, proxy string) (way, error) {
	var found *url.URL
	var err error
	switch {
	case proxy == "" || transport.OnThisMachine(base.Hostname()):
		return way{}, nil
	case proxy == fromEnvironment:
		found, err = httpproxy.FromEnvironment().ProxyFunc()(base)
	default:
		found, err = url.Parse(proxy)
	}
	if err == nil && found != nil &&
		(found.Hostname() == "" || !strings.Contains(" http https socks5 socks5h ", " "+found.Scheme+" ")) {
		err = errors.New("not an address")
	}
	if err != nil { // which may hold a password: it is not repeated
		return way{}, errors.New("the proxy on the way to the Ollama server (ollamaProxy) cannot be used: write " +
			"http://HOST:PORT, or environment")
	}
	return way{found}, nil
}

func (w way) transport(n *network.Network) http.RoundTripper { return transport.New(n, w.proxy) }

// limited refuses what no Ollama server answers. It sets over when an answer was too long: the client reports a line
// that was cut off instead.
func limited(next http.RoundTripper, over *bool) http.RoundTripper {
	return transport.Limited{Next: next, Bounds: bounds, Over: over}
}

// bounds are those of the answer to a path.
func bounds(path string) transport.Bounds {
	switch {
	case strings.HasSuffix(path, "/api/chat"):
		return transport.Bounds{Bytes: maxStream, Objects: maxStream}
	case strings.HasSuffix(path, "/api/pull"):
		return transport.Bounds{Bytes: maxPull, Objects: maxPull}
	case strings.HasSuffix(path, "/api/show"):
		return transport.Bounds{Bytes: maxFacts, Objects: maxObjects}
	case strings.HasSuffix(path, "/api/embed"):
		return transport.Bounds{Bytes: maxVectors, Objects: maxObjects}
	}
	return transport.Bounds{Bytes: maxList, Objects: maxObjects}
}

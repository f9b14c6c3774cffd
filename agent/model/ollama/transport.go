package ollama

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// How much of one answer is read, in bytes after inflating. An empty object of three bytes may take hundreds
// in memory, so the objects of an answer that is not a stream are counted, too: by their opening brace.
const (
	maxList    = 1 << 20  // what is installed or loaded, the version, the end of a preload
	maxFacts   = 8 << 20  // of one model: template, licence, names of tensors
	maxVectors = 8 << 20  // of some texts
	maxStream  = 64 << 20 // one reply; the client takes lines of at most 8 MB
	maxPull    = 1 << 30  // of lines about one pull, which may take days: none of them is kept
	maxHeader  = 64 << 10

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
	case proxy == "" || onThisMachine(base.Hostname()):
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
		return way{}, errors.New("the proxy on the way to the Ollama server (ollamaProxy) cannot be used: write http://HOST:PORT, or environment")
	}
	return way{found}, nil
}

func newTransport(w way) http.RoundTripper {
	t := &http.Transport{
		DialContext:            (&net.Dialer{Timeout: connectTime}).DialContext,
		TLSHandshakeTimeout:    connectTime,
		DisableKeepAlives:      true, // an idle connection would keep two goroutines; a new one costs next to nothing
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
	}
	if w.proxy != nil {
		t.Proxy = http.ProxyURL(w.proxy)
	}
	return t
}

// onThisMachine reports whether a host is a loopback address, or the name that always means one.
func onThisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return isLocalhost(host) || err == nil && ip.Unmap().IsLoopback()
}

func isLocalhost(host string) bool {
	return strings.EqualFold(strings.TrimSuffix(host, "."), "localhost")
}

// limitedTransport refuses what no Ollama server answers: redirects, which would carry the user's files elsewhere,
// packed answers, and answers without end.
type limitedTransport struct {
	next http.RoundTripper
	over *bool // set when an answer was too long; nil: nobody asks. The client reports a line that was cut off instead
}

// RoundTrip implements http.RoundTripper.
func (g limitedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := g.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	packed := resp.Header.Get("Content-Encoding")
	switch {
	case resp.StatusCode >= http.StatusMultipleChoices && resp.StatusCode < http.StatusBadRequest:
		err = errRedirect
	case packed != "" && packed != "identity":
		err = errPacked
	}
	if err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	resp.Body = g.bound(resp.Body, r.URL.Path)
	return resp, nil
}

func (g limitedTransport) bound(body io.ReadCloser, path string) *bounded {
	b := &bounded{ReadCloser: body, limit: maxList, objects: maxObjects, over: g.over}
	switch {
	case strings.HasSuffix(path, "/api/chat"):
		b.limit, b.objects = maxStream, maxStream
	case strings.HasSuffix(path, "/api/pull"):
		b.limit, b.objects = maxPull, maxPull
	case strings.HasSuffix(path, "/api/show"):
		b.limit = maxFacts
	case strings.HasSuffix(path, "/api/embed"):
		b.limit = maxVectors
	}
	b.left = b.limit
	return b
}

// bounded is a body that may not be longer than limit, and may not have more objects.
type bounded struct {
	io.ReadCloser
	left, limit int64
	objects     int
	over        *bool
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // one more byte distinguishes a body that is as long as allowed from one that is longer
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	b.objects -= bytes.Count(p[:n], []byte{'{'})
	if b.left >= 0 && b.objects >= 0 {
		return n, err
	}
	if b.over != nil {
		*b.over = true
	}
	if b.left < 0 {
		return 0, tooLargeError(fmt.Sprintf("more than %d MiB", b.limit>>20))
	}
	return 0, tooLargeError(fmt.Sprintf("more than %d objects", maxObjects))
}

// tooLargeError says in what way an answer was too large.
type tooLargeError string

func (e tooLargeError) Error() string { return string(e) }

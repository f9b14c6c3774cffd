// Package transport is the way to a model server over HTTP, as all backends go it: directly, within bounds, and never
// on to another address. It also words what went wrong there.
package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/assent-ls/assent/internal/network"
)

const (
	connectTime   = 1500 * time.Millisecond // for a server to accept a connection
	handshakeTime = 10 * time.Second        // for certificates, at a machine that may be busy with a reply
	MaxHeader     = 64 << 10                // bytes of the header of an answer
)

// Errors of [Limited].
var (
	ErrRedirect = errors.New("a redirect")
	ErrPacked   = errors.New("an answer that is compressed, which nobody asked for")
)

// By says for what connections to model servers are made.
func By() network.User { return network.User{Who: "model server", Why: "models and chats"} }

// New reaches a server by a proxy or, if it is nil, directly: nothing is taken from the environment. It holds no
// connection while nothing is asked.
func New(n *network.Network, proxy *url.URL) *http.Transport {
	return &http.Transport{
		DialContext:            n.Dialer(By(), connectTime).DialContext,
		Proxy:                  n.Proxy(proxy),
		TLSHandshakeTimeout:    handshakeTime,
		DisableKeepAlives:      true, // an idle connection would keep two goroutines; a new one costs next to nothing
		DisableCompression:     true,
		MaxResponseHeaderBytes: MaxHeader,
	}
}

// OnThisMachine reports whether a host is a loopback address, or the name that always means one.
func OnThisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return IsLocalhost(host) || err == nil && ip.Unmap().IsLoopback()
}

// IsLocalhost reports whether a host is the name that always means this machine.
func IsLocalhost(host string) bool {
	return strings.EqualFold(strings.TrimSuffix(host, "."), "localhost")
}

// Bounds are how much of one answer is read: bytes after inflating, and objects by their opening brace, since an empty
// object of three bytes may take hundreds in memory.
type Bounds struct {
	Bytes   int64
	Objects int
}

// Limited refuses what no model server answers: redirects, which would carry the user's files elsewhere, packed
// answers, and answers without end.
type Limited struct {
	Next   http.RoundTripper
	Bounds func(path string) Bounds
	Over   *bool // set when an answer was too long; nil: nobody asks
}

// RoundTrip implements http.RoundTripper.
func (l Limited) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.Next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	packed := resp.Header.Get("Content-Encoding")
	switch {
	case resp.StatusCode >= http.StatusMultipleChoices && resp.StatusCode < http.StatusBadRequest:
		err = ErrRedirect
	case packed != "" && packed != "identity":
		err = ErrPacked
	}
	if err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	bounds := l.Bounds(r.URL.Path)
	resp.Body = &bounded{
		ReadCloser: resp.Body, left: bounds.Bytes, objects: bounds.Objects, limits: bounds, over: l.Over,
	}
	return resp, nil
}

// bounded is a body that may not be longer than its limits, and may not have more objects.
type bounded struct {
	io.ReadCloser
	left    int64
	objects int // that may still come
	limits  Bounds
	over    *bool
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
		return 0, TooLarge(b.limits.Bytes)
	}
	return 0, TooLargeError(fmt.Sprintf("more than %d objects", b.limits.Objects))
}

// TooLargeError says in what way an answer was too large.
type TooLargeError string

func (e TooLargeError) Error() string { return string(e) }

// TooLarge says that an answer had more than so many bytes.
func TooLarge(most int64) TooLargeError {
	return TooLargeError(fmt.Sprintf("more than %d MiB", most>>20))
}

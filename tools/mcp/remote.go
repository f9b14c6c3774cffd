package mcp

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools/mcp/lines"
	"github.com/assent-ls/assent/tools/mcp/login"
	"github.com/assent-ls/assent/tools/mcp/tooldef"
	"github.com/assent-ls/assent/tools/mcp/websocket"
	"github.com/assent-ls/assent/tools/web/address"
)

// The bounds of what reaches a server over the network.
const (
	dialLimit    = 20 * time.Second
	maxRedirects = 5
)

// remote is how a server is reached over the network. Only one that the user declared or trusts gets here.
func (s *server) remote(l launch) (sdk.Transport, error) {
	u, err := url.Parse(l.url)
	if err != nil {
		return nil, fmt.Errorf("its url cannot be read: %w", err)
	}
	client := s.httpClient(asHTTP(u), l.headers, l.account)
	switch s.Kind {
	case HTTP:
		return &sdk.StreamableClientTransport{Endpoint: l.url, HTTPClient: client, MaxEventSize: lines.MaxMessage}, nil
	case SSE:
		return &sdk.SSEClientTransport{Endpoint: l.url, HTTPClient: client, MaxEventSize: lines.MaxMessage}, nil
	case WebSocket:
		return &websocket.Dialer{URL: l.url, Client: client, Read: tooldef.ShallowMessage}, nil
	case Stdio:
	}
	return nil, fmt.Errorf("a server of the type %s has no url", s.Kind)
}

// asHTTP is the address of the request that opens a WebSocket.
func asHTTP(u *url.URL) *url.URL {
	out := *u
	if scheme, ok := map[string]string{"ws": "http", "wss": "https"}[u.Scheme]; ok {
		out.Scheme = scheme
	}
	return &out
}

// httpClient asks one place alone, whatever the server says: its answers may name others, and the headers may hold a
// secret. With an account requests show who is logged in.
func (s *server) httpClient(u *url.URL, headers map[string]string, account *login.Account) *http.Client {
	way := s.options.Network.Dialer(network.User{Who: "MCP server " + s.Name, Why: "its tools"}, dialLimit)
	way.Control = s.dialer.check
	transport := &http.Transport{ // no proxy: it would dial what this program cannot check
		DialContext: way.DialContext, TLSHandshakeTimeout: dialLimit, IdleConnTimeout: time.Minute,
		ResponseHeaderTimeout: callLimit +
			time.Minute,
	}
	var to http.RoundTripper = transport
	if account != nil {
		to = account.Over(transport)
	}
	return &http.Client{Transport: onePlace{to, u, headers}, CheckRedirect: func(
		r *http.Request, via []*http.Request,
	) error {
		switch {
		case !samePlace(u, r.URL):
			return fmt.Errorf(
				"it redirects to %s, which is not followed: if that is right, write it into url", place(r.URL),
			)
		case len(via) >= maxRedirects:
			return fmt.Errorf("it redirects more than %d times", maxRedirects)
		}
		return nil
	}}
}

func samePlace(a, b *url.URL) bool { return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host) }

func place(u *url.URL) string { return u.Scheme + "://" + u.Host }

// onePlace sends requests to one scheme, host and port with the headers of a declaration, and to no other.
type onePlace struct {
	http.RoundTripper
	place   *url.URL
	headers map[string]string
}

// RoundTrip implements http.RoundTripper.
func (o onePlace) RoundTrip(r *http.Request) (*http.Response, error) {
	if !samePlace(o.place, r.URL) {
		return nil, fmt.Errorf("it sends us to %s, which is not followed", place(r.URL))
	}
	r = r.Clone(r.Context())
	for name, value := range o.headers {
		r.Header.Set(name, value)
	}
	answer, err := o.RoundTripper.RoundTrip(r)
	// the frames of a WebSocket are bounded one by one
	if err != nil || answer.StatusCode == http.StatusSwitchingProtocols {
		return answer, err
	}
	events := strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream")
	if !events { // which are bounded one by one, too
		answer.Body = &boundedBody{answer.Body, lines.MaxMessage}
	}
	answer.Body = &tooldef.Shallow{ReadCloser: answer.Body, Events: events}
	return answer, nil
}

// boundedBody ends an answer that is longer than a message may be.
type boundedBody struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, lines.ErrTooLong
	}
	return n, err
}

var errInside = errors.New("its name led to the public internet before, and leads into this machine or its network now")

// dialer looks where a server is dialled. A name that led to the public internet once may not lead inside later.
type dialer struct{ public atomic.Bool }

// check looks at the address that is dialled, when no name can change it any more.
func (d *dialer) check(_, dialled string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(dialled)
	if err != nil {
		return err
	}
	if address.Public(to.Addr()) {
		d.public.Store(true)
		return nil
	}
	if d.public.Load() {
		return errInside
	}
	return nil
}

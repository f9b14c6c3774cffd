package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools/web/address"
)

// The bounds of one request.
const (
	maxBody      = 2 << 20 // bytes that are read of an answer, after it is unpacked
	maxHeader    = 64 << 10
	maxRedirects = 5
	limit        = 20 * time.Second
)

// Control checks an address right before it is dialled, when no name can change it any more. See net.Dialer.
type Control func(network, address string, conn syscall.RawConn) error

// Connect opens a connection to a host and port after control allowed each address that it tries.
type Connect func(ctx context.Context, network, address string, control Control) (net.Conn, error)

// connectBy is the Connect of a program that runs: the addresses of a name are asked of the system.
func connectBy(n *network.Network) Connect {
	return func(ctx context.Context, network, to string, control Control) (net.Conn, error) {
		d := n.Dialer(webTool, limit)
		d.Control = control
		return d.DialContext(ctx, network, to)
	}
}

// webTool is who connects.
var webTool = network.User{Who: "web tool", Why: "a page or a search"} //nolint:gochecknoglobals // never changed

// errRefused says that an address is not one of the public internet.
var errRefused = errors.New("this address is not one of the public internet")

// client makes requests to the public internet, and to the hosts that the user lists.
type client struct {
	connect Connect
	private func(host, port string) bool // whether the user lists the host, spelt as address.Host does
}

// page is the answer to a request.
type page struct {
	kind string // the content type, without its parameters
	full string // with them
	body []byte
	cut  bool     // there is more
	next *url.URL // where the answer is instead, at another host; nil: here
}

// get requests an address. It follows redirects within the host, since the question was about that host.
func (c client) get(ctx context.Context, u *url.URL) (page, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var p page
	transport := &http.Transport{ // no proxy: it would dial what this program cannot check
		DialContext:            c.dialer(u.Hostname()),
		MaxResponseHeaderBytes: maxHeader, TLSHandshakeTimeout: limit, ResponseHeaderTimeout: limit,
		DisableKeepAlives: true,
		ForceAttemptHTTP2: true,
	}
	defer transport.CloseIdleConnections()
	here := http.Client{Transport: transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		next, err := parse(r.URL.String())
		switch {
		case err != nil:
			return fmt.Errorf("it redirects to an address that is not followed: %w", err)
		case len(via) >= maxRedirects:
			return fmt.Errorf("it redirects more than %d times", maxRedirects)
		case !samePlace(u, next):
			p.next = next
			return http.ErrUseLastResponse
		}
		return nil
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return p, err
	}
	request.Header.Set("User-Agent", "assent")
	request.Header.Set("Accept", "text/html, text/*;q=0.9, application/json;q=0.8")
	answer, err := here.Do(request)
	if err != nil {
		return p, why(ctx, err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	if p.next != nil {
		return p, nil
	}
	if answer.StatusCode != http.StatusOK {
		return p, fmt.Errorf("%s answered %s", u.Host, answer.Status)
	}
	p.full = answer.Header.Get("Content-Type")
	p.kind, _, _ = strings.Cut(p.full, ";")
	p.kind = strings.ToLower(strings.TrimSpace(p.kind))
	p.body, err = io.ReadAll(io.LimitReader(answer.Body, maxBody+1))
	if p.cut = len(p.body) > maxBody; p.cut {
		p.body = p.body[:maxBody]
	}
	return p, why(ctx, err)
}

// samePlace reports whether a redirect stays at the server that was asked about. It may go on to its secure form.
func samePlace(u, next *url.URL) bool {
	if u.Scheme == "http" && next.Scheme == "https" {
		return next.Hostname() == u.Hostname() && u.Port() == "" && next.Port() == ""
	}
	return next.Scheme == u.Scheme && next.Host == u.Host
}

// dialer dials for requests to one host; another one in the address would be a mistake of this package.
func (c client) dialer(host string) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, at string) (net.Conn, error) {
		name, port, err := net.SplitHostPort(at)
		if err != nil || name != host {
			return nil, errRefused
		}
		return c.connect(ctx, network, at, func(_, dialled string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(dialled)
			if err != nil || !address.Public(to.Addr()) && !c.private(host, port) {
				return errRefused
			}
			return nil
		})
	}
}

// why says in a sentence without its end why a request failed.
func why(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errRefused):
		return errors.New(
			"this host has no address of the public internet; a person can list it in the setting privateHosts",
		)
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return fmt.Errorf("no whole answer came within %v", limit)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return err
}

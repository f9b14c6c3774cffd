// Package proxy is the one way by which a command in a sandbox reaches the network: an HTTP proxy in Assent's own
// process, which connects to the hosts of a list and to nothing else. It resolves names itself, and looks at each
// address when that is dialled, when no name can change it any more. It does not look into TLS.
package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/net/http/httpproxy"
	"golang.org/x/net/netutil"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools/web/address"
)

// Bounds limit what one command does. The zero value of each field is a default.
type Bounds struct {
	AtOnce         int   // connections of the command that are open; others wait
	Connections    int64 // to hosts, all together
	Sent, Received int64 // bytes to and from hosts, all together
}

const (
	dialLimit   = 20 * time.Second
	headerLimit = 20 * time.Second // for the head of a request, and between two requests
	maxHeader   = 64 << 10
	maxRefused  = 20 // places that are kept of those that were refused
)

// Control checks an address right before it is dialled, when no name can change it any more. See net.Dialer.
type Control = func(network, address string, conn syscall.RawConn) error

// Connect opens a connection to a host and port after control allowed each address that it tries.
type Connect func(ctx context.Context, network, address string, control Control) (net.Conn, error)

// Out is how proxies reach the network. A nil one reaches nothing.
type Out struct {
	Network *network.Network
	Private func() []string // hosts of the user's that may be outside the public internet; nil: none
	// Upstream is the user's own proxy on the way to an address, with its password; nil: what the environment of this
	// process says.
	Upstream func(to *url.URL) (*url.URL, error)
	Connect  Connect // in place of the network: tests do without one; nil: by the network
	Bounds   Bounds
}

// Possible reports whether anything can be reached: not offline.
func (o *Out) Possible() bool { return o != nil && !o.Network.Offline() }

// Options of a proxy.
type Options struct {
	By     string                 // who connects, as people are told of it, such as "command npm"
	Places []address.Place        // which may be reached; none: nothing
	Denied func(host string) bool // whether the user denies a host now; nil: they deny none
}

// Refusal is a place that a command was not let to.
type Refusal struct {
	address.Place

	Why string // in a few words; empty: it is not in the list
}

// Proxy serves one command. It may be used concurrently.
type Proxy struct {
	out     Out
	options Options
	ctx     context.Context //nolint:containedctx // of the proxy: it ends with Close
	cancel  context.CancelFunc
	server  *http.Server
	running sync.WaitGroup // handlers

	connections, sent, received atomic.Int64

	mu      sync.Mutex // guards what follows
	closed  bool
	refused []Refusal
}

// New makes a proxy for one command, whose connections end with ctx, too. Offline it refuses everything.
func (o *Out) New(ctx context.Context, options Options) *Proxy {
	ctx, cancel := context.WithCancel(ctx)
	p := &Proxy{options: options, ctx: ctx, cancel: cancel}
	if o != nil {
		p.out = *o
	}
	if p.out.Upstream == nil {
		p.out.Upstream = httpproxy.FromEnvironment().ProxyFunc()
	}
	if p.out.Connect == nil {
		p.out.Connect = p.connect
	}
	b := p.out.Bounds
	p.out.Bounds = Bounds{
		AtOnce: cmp.Or(b.AtOnce, 128), Connections: cmp.Or(b.Connections, 1000),
		Sent: cmp.Or(b.Sent, 1<<30), Received: cmp.Or(b.Received, 8<<30),
	}
	p.server = &http.Server{
		Handler: p, ReadHeaderTimeout: headerLimit, IdleTimeout: headerLimit, MaxHeaderBytes: maxHeader,
		BaseContext:                  func(net.Listener) context.Context { return ctx },
		DisableGeneralOptionsHandler: true, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	return p
}

// connect is the Connect of a program that runs.
func (p *Proxy) connect(ctx context.Context, over, to string, control Control) (net.Conn, error) {
	d := p.out.Network.Dialer(network.User{Who: p.options.By, Why: "run with the network"}, dialLimit)
	d.Control = control
	return d.DialContext(ctx, over, to)
}

// Serve serves the connections that come to a listener until Close. It closes the listener.
func (p *Proxy) Serve(l net.Listener) {
	_ = p.server.Serve(netutil.LimitListener(l, p.out.Bounds.AtOnce)) // it ends by Close
}

// Close ends all connections, and returns when their goroutines have ended.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.cancel()
	_ = p.server.Close()
	p.running.Wait()
}

// Refused lists the places that were refused, in the order in which the command asked for them: the first few.
func (p *Proxy) Refused() []Refusal {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.refused)
}

func (p *Proxy) refuse(asked address.Place, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := (Refusal{asked, why}); len(p.refused) < maxRefused && !slices.Contains(p.refused, r) {
		p.refused = append(p.refused, r)
	}
}

// begin counts a handler; false: the proxy is closed.
func (p *Proxy) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.running.Add(1)
	return true
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.begin() {
		return
	}
	defer p.running.Done()
	asked, err := target(r)
	if err != nil {
		say(w, http.StatusBadRequest, err)
		return
	}
	if err := p.check(asked); err != nil {
		say(w, http.StatusForbidden, err)
		return
	}
	if r.Method == http.MethodConnect {
		p.tunnel(w, asked)
		return
	}
	p.forward(w, r, asked)
}

// target is the place that a request asks for: what its first line says, never what a header says.
func target(r *http.Request) (address.Place, error) {
	u, port := r.URL, r.URL.Port()
	switch {
	case u.User != nil:
		return address.Place{}, errors.New("an address for a proxy holds no user name and no password")
	case r.Method == http.MethodConnect &&
		(u.Path != "" || u.RawQuery != "" || u.Opaque != "" || r.ContentLength != 0 || len(r.TransferEncoding) > 0):
		return address.Place{}, errors.New("CONNECT names a host and a port, and nothing else")
	case r.Method != http.MethodConnect && (u.Scheme != "http" || u.Host == "" || u.Opaque != ""):
		return address.Place{}, errors.New("a proxy is asked for http:// by a whole address, and for others by CONNECT")
	case r.Method != http.MethodConnect && port == "":
		port = "80"
	}
	host, err := address.Host(u.Hostname())
	if err != nil || !address.IsPort(port) {
		return address.Place{}, errors.New("the host or the port of the address cannot be read")
	}
	return address.Place{Host: host, Port: port}, nil
}

// errRefused says that the addresses of a name are not of the public internet.
var errRefused = errors.New("this address is not one of the public internet")

// check says why a command may not reach a place. No name is asked for before.
func (p *Proxy) check(asked address.Place) error {
	listed := slices.ContainsFunc(p.options.Places, func(l address.Place) bool { return l.Covers(asked) })
	switch {
	case p.out.Network.Offline():
		return fmt.Errorf("%s is not reached: %w", asked, network.ErrOffline)
	case p.options.Denied != nil && p.options.Denied(asked.Host):
		p.refuse(asked, "a rule denies it")
		return fmt.Errorf("%s is not reached: a rule of the user denies it", asked)
	case !listed:
		p.refuse(asked, "")
		return fmt.Errorf("%s is not among the hosts that this command may reach", asked)
	case p.connections.Add(1) > p.out.Bounds.Connections:
		p.refuse(asked, "too many connections")
		return fmt.Errorf("%s is not reached: the command made %d connections", asked, p.out.Bounds.Connections)
	}
	return nil
}

// dial connects to a place that check allowed, at an address of the public internet, or at the very address that is in
// the list, or where the user listed the host.
func (p *Proxy) dial(ctx context.Context, to address.Place) (net.Conn, error) {
	private := slices.ContainsFunc(p.privately(), func(l address.Place) bool {
		return l.Host == to.Host && (l.Port == "" || l.Port == to.Port)
	})
	conn, err := p.out.Connect(ctx, "tcp", to.String(), func(_, dialled string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(dialled)
		if err != nil || !private && !address.Public(at.Addr()) && at.Addr().Unmap().String() != to.Host {
			return errRefused
		}
		return nil
	})
	switch {
	case errors.Is(err, errRefused): // which address it is, the command need not know
		p.refuse(to, "its address is not of the public internet")
		return nil, fmt.Errorf("%s is not reached: %w", to, errRefused)
	case err != nil:
		return nil, fmt.Errorf("%s is not reached: %w", to, err)
	}
	return &counted{Conn: conn, of: p}, nil
}

func (p *Proxy) privately() (all []address.Place) {
	if p.out.Private == nil {
		return nil
	}
	for _, text := range p.out.Private() {
		if listed, err := address.ParsePlace(text); err == nil {
			all = append(all, listed)
		}
	}
	return all
}

// errMuch says that a command sent or received too much.
var errMuch = errors.New("the command sent or received more than one may")

// counted is a connection to a host. It fails when the command has sent or received too much.
type counted struct {
	net.Conn
	of *Proxy
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.of.received.Add(int64(n)) > c.of.out.Bounds.Received {
		return 0, errMuch
	}
	return n, err
}

func (c *counted) Write(b []byte) (int, error) {
	if c.of.sent.Add(int64(len(b))) > c.of.out.Bounds.Sent {
		return 0, errMuch
	}
	return c.Conn.Write(b)
}

// CloseWrite says that nothing more is sent.
func (c *counted) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(conn net.Conn) error {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return conn.Close()
}

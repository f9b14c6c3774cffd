package agenttest

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/assent-ls/assent/agent/model/transport"
	"github.com/assent-ls/assent/internal/network"
)

// Way reaches model servers over TCP, as a program that is not offline does.
func Way() http.RoundTripper { return transport.New(network.New(false, nil), nil) }

// Start plays a script on a free port of this machine until the test ends, and fails the test if a request was not what
// the script expects.
func Start(tb testing.TB, script string) (*Server, *url.URL) {
	tb.Helper()
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	s := serve(tb, script, listener)
	return s, &url.URL{Scheme: "http", Host: listener.Addr().String()}
}

// StartInMemory plays a script over an in-memory connection, so that it works inside a testing/synctest bubble. The
// transport reaches it at any address.
func StartInMemory(tb testing.TB, script string) (*Server, http.RoundTripper) {
	tb.Helper()
	listener := NewListener()
	s := serve(tb, script, listener)
	return s, &http.Transport{DialContext: listener.Dial, DisableKeepAlives: true}
}

func serve(tb testing.TB, script string, listener net.Listener) *Server {
	tb.Helper()
	parsed, err := ParseScript(script)
	if err != nil {
		tb.Fatal(err)
	}
	s := NewServer(parsed)
	server := &http.Server{Handler: s} //nolint:gosec // a test server needs no protection from slow clients
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener) // always ErrServerClosed here
	}()
	tb.Cleanup(func() {
		_ = server.Close()
		<-served
		for _, m := range s.Mismatches() {
			tb.Error(m)
		}
	})
	return s
}

// Listener is a [net.Listener] in memory, made of [net.Pipe].
type Listener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// NewListener makes a listener.
func NewListener() *Listener {
	return &Listener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Dial connects to the listener; network and address do not matter. Its signature is that of
// [http.Transport.DialContext].
func (l *Listener) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
		return nil, &net.OpError{Op: "dial", Net: "memory", Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept waits for the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close makes Accept and Dial fail.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr is a made-up address.
func (l *Listener) Addr() net.Addr { return memoryAddr{} }

type memoryAddr struct{}

func (memoryAddr) Network() string { return "memory" }
func (memoryAddr) String() string  { return "memory" }

package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/tools/mcp/websocket"
)

// Path is where the server is, below its address.
const Path = "/mcp"

// The bounds of what clients may take.
const (
	maxSessions = 64               // at once, calls of clients without sessions included
	maxIdle     = 30 * time.Minute // of a session
	maxHeader   = 64 << 10         // bytes
	readLimit   = 30 * time.Second // for the body of a request
	headLimit   = 10 * time.Second
)

// Listen opens an address. One without a host is on this computer alone, and others are refused unless network says
// that they are meant.
func Listen(ctx context.Context, address string, network bool) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%q is no address: write HOST:PORT, or :PORT", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if !isLoopback(host) && !network {
		return nil, fmt.Errorf("%q can be reached by other computers: if you mean that, add --allow-network", address)
	}
	return (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, port))
}

// Wire says how messages reach a server that listens.
type Wire int

// The wires.
const (
	HTTP Wire = iota
	WebSocket
)

// Serve serves all clients that connect to a listener and send the token, until ctx ends. host is what the address
// named; empty: nothing.
func (s *Server) Serve(ctx context.Context, l net.Listener, wire Wire, host, token string) error {
	if len(token) < minToken {
		_ = l.Close()
		return errors.New("a server that listens needs a token")
	}
	return s.listen(ctx, l, guard{host: host, token: token, next: s.Handler(wire)})
}

func (s *Server) listen(ctx context.Context, l net.Listener, h http.Handler) error {
	if err := s.start(ctx); err != nil {
		_ = l.Close()
		if ctx.Err() != nil { // it was ended before it began
			return nil
		}
		return err
	}
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: headLimit, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    slog.NewLogLogger(quiet(s.options.Log).Handler(), slog.LevelDebug),
	}
	stop := context.AfterFunc(ctx, func() {
		s.Close()
		_ = server.Close()
	})
	defer stop()
	err := server.Serve(l)
	for session := range s.mcp.Sessions() {
		_ = session.Close() // its calls are stopped
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Handler serves a wire without looking at who asks: a guard is before it.
func (s *Server) Handler(wire Wire) http.Handler {
	places := &places{count: s.lasting}
	if wire == WebSocket {
		return places.bound(func(*http.Request) bool { return true }, http.HandlerFunc(s.overWebSocket))
	}
	get := func(*http.Request) *mcp.Server { return s.mcp }
	log := quiet(s.options.Log)
	stateful := mcp.NewStreamableHTTPHandler(
		get, &mcp.StreamableHTTPOptions{Logger: log, SessionTimeout: maxIdle, MaxRequestBodyBytes: maxMessage},
	)
	stateless := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		// a client hangs up to cancel
		Logger: log, Stateless: true, MaxRequestBodyBytes: maxMessage, PropagateRequestCancellation: true,
	})
	both := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !readBody(w, r) {
			return
		}
		if r.Header.Get("Mcp-Protocol-Version") >= sessionless {
			r.Header.Del("Mcp-Session-Id") // there are none, and it must not make one of another client's
			stateless.ServeHTTP(w, r)
			return
		}
		stateful.ServeHTTP(w, r)
	})
	return places.bound(func(r *http.Request) bool {
		return r.Header.Get("Mcp-Session-Id") == "" || r.Header.Get("Mcp-Protocol-Version") >= sessionless
	}, both)
}

// readBody reads the body of a request, which must come soon and be bounded. If it does not, the client has its answer.
func readBody(w http.ResponseWriter, r *http.Request) bool {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(readLimit)) // not all kinds of connections have deadlines
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		http.Error(w, fmt.Sprintf("A message may have %d bytes.", maxMessage), http.StatusRequestEntityTooLarge)
		return false
	}
	if err != nil {
		http.Error(w, "The request did not come whole, or not in time.", http.StatusRequestTimeout)
		return false
	}
	_ = control.SetReadDeadline(time.Time{}) // what is waited for from now on is that the client hangs up
	r.Body = io.NopCloser(bytes.NewReader(data))
	return true
}

func (s *Server) overWebSocket(w http.ResponseWriter, r *http.Request) {
	transport, err := websocket.Accept(w, r, maxIdle)
	if err == nil {
		// that of the request may end with its client, and Run ends all clients
		ctx, cancel := s.untilClosed(context.WithoutCancel(r.Context()))
		defer cancel()
		err = s.Run(ctx, transport)
	}
	if err != nil && s.options.Log != nil {
		s.options.Log.Debug("a WebSocket session ended", "error", err)
	}
}

// lasting counts the sessions that outlive the request that began them.
func (s *Server) lasting() (n int) {
	for session := range s.mcp.Sessions() {
		if session.ID() != "" {
			n++
		}
	}
	return n
}

// places bounds how many sessions there are.
type places struct {
	count func() int // of the sessions that outlive the request that began them

	mu    sync.Mutex
	begun int // guarded by mu: requests that are a session, or begin one
}

// bound refuses requests that would begin a session beyond the bound.
func (p *places) bound(begins func(*http.Request) bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if begins(r) {
			if !p.take() {
				w.Header().Set("Retry-After", "60")
				http.Error(
					w, fmt.Sprintf("%d sessions are open, and no more are served: close one, or wait.", maxSessions),
					http.StatusServiceUnavailable,
				)
				return
			}
			defer p.give()
		}
		next.ServeHTTP(w, r)
	})
}

func (p *places) take() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count()+p.begun >= maxSessions {
		return false
	}
	p.begun++
	return true
}

func (p *places) give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun--
}

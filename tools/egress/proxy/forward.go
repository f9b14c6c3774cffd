package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/web/address"
)

// say answers a request that is not served.
func say(w http.ResponseWriter, status int, why error) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Connection", "close")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "Assent: %s.\n", visible.Line(why.Error())) // the command may be gone
}

// forward serves a request of plain HTTP.
func (p *Proxy) forward(w http.ResponseWriter, r *http.Request, to address.Place) {
	upstream, err := p.out.Upstream(&url.URL{Scheme: "http", Host: to.String()})
	if err != nil {
		say(w, http.StatusBadGateway, errUpstream)
		return
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		if upstream != nil {
			return p.dialUpstream(ctx, upstream)
		}
		return p.dial(ctx, to)
	}
	transport := &http.Transport{
		DialContext: dial, Proxy: p.out.Network.Proxy(upstream), DisableKeepAlives: true, DisableCompression: true,
		MaxResponseHeaderBytes: maxHeader,
	}
	defer transport.CloseIdleConnections()
	(&httputil.ReverseProxy{
		Rewrite: func(out *httputil.ProxyRequest) {
			out.Out.URL.Host, out.Out.Host = to.String(), strings.TrimSuffix(to.String(), ":80") // as it was checked
			out.Out.Header.Del("Upgrade")
			out.Out.Header.Del("Connection")
		},
		Transport: transport, FlushInterval: -1, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { say(w, http.StatusBadGateway, err) },
	}).ServeHTTP(w, r)
}

// tunnel serves a CONNECT: what both sides say goes on unseen.
func (p *Proxy) tunnel(w http.ResponseWriter, to address.Place) {
	host, err := p.open(to)
	if err != nil {
		say(w, http.StatusBadGateway, err)
		return
	}
	defer host.Close() //nolint:errcheck // it is over
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	command, buffered, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer command.Close()                //nolint:errcheck // it is over
	_ = command.SetDeadline(time.Time{}) // a tunnel may be silent
	if _, err := io.WriteString(command, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	stop := context.AfterFunc(p.ctx, func() {
		_ = command.Close()
		_ = host.Close()
	})
	defer stop()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		pass(host, buffered.Reader)
	}()
	pass(command, host)
	<-sent
}

// pass copies to one side of a tunnel, and tells it when the other has no more to say. A side that takes nothing holds
// up the other one: nothing is kept for it.
func pass(to net.Conn, from io.Reader) {
	_, err := io.Copy(struct{ io.Writer }{to}, struct{ io.Reader }{from})
	if err != nil || closeWrite(to) != nil {
		_ = to.Close()
	}
}

// open connects to a host for a tunnel: directly, or through the user's own proxy.
func (p *Proxy) open(to address.Place) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(p.ctx, dialLimit)
	defer cancel()
	upstream, err := p.out.Upstream(&url.URL{Scheme: "https", Host: to.String()})
	switch {
	case err != nil:
		return nil, errUpstream
	case upstream == nil:
		return p.dial(ctx, to)
	}
	conn, err := p.dialUpstream(ctx, upstream)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	through, err := connectBy(ctx, conn, upstream, to)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return through, nil
}

// errUpstream says nothing of the proxy, whose address may hold a password.
var errUpstream = errors.New("the user's own proxy (HTTPS_PROXY, HTTP_PROXY) cannot be used: it is http://HOST:PORT")

// dialUpstream connects to the user's own proxy, wherever that is.
func (p *Proxy) dialUpstream(ctx context.Context, upstream *url.URL) (net.Conn, error) {
	port := address.PortOf(upstream)
	if port == "" || upstream.Hostname() == "" || upstream.Scheme != "http" && upstream.Scheme != "https" {
		return nil, errUpstream
	}
	conn, err := p.out.Connect(ctx, "tcp", net.JoinHostPort(upstream.Hostname(), port), nil)
	if err != nil {
		return nil, fmt.Errorf("the user's own proxy is not reached: %w", err)
	}
	return &counted{Conn: conn, of: p}, nil
}

// connectBy asks the user's own proxy for a tunnel. The command sees nothing of the request, nor of a refusal.
func connectBy(ctx context.Context, conn net.Conn, upstream *url.URL, to address.Place) (net.Conn, error) {
	if upstream.Scheme == "https" {
		secure := tls.Client(conn, &tls.Config{ServerName: upstream.Hostname(), MinVersion: tls.VersionTLS12})
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, errUpstream
		}
		conn = secure
	}
	r := &http.Request{
		Method: http.MethodConnect, URL: &url.URL{Opaque: to.String()}, Host: to.String(), Header: http.Header{},
	}
	if user := upstream.User; user != nil {
		password, _ := user.Password()
		both := base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
		r.Header.Set("Proxy-Authorization", "Basic "+both)
	}
	if err := r.Write(conn); err != nil {
		return nil, errUpstream
	}
	read := bufio.NewReader(conn)
	answer, err := http.ReadResponse(read, r) //nolint:bodyclose // what follows is the tunnel
	if err != nil {
		return nil, errUpstream
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the user's own proxy answers %d for %s", answer.StatusCode, to)
	}
	return &begun{conn, read}, nil
}

// begun is a connection of which a reader has read already.
type begun struct {
	net.Conn
	from io.Reader
}

func (b *begun) Read(into []byte) (int, error) { return b.from.Read(into) }

// CloseWrite says that nothing more is sent.
func (b *begun) CloseWrite() error { return closeWrite(b.Conn) }

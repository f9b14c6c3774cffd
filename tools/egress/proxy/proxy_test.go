package proxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools/egress/proxy"
	"github.com/assent-ls/assent/tools/web/address"
)

// world is an internet with hosts of other names, all served here.
type world struct {
	t     *testing.T
	mu    sync.Mutex
	means map[string][]string // the addresses of a name, one for each time it is asked for; the last one stays
	at    map[string]string   // where an address with its port really is
	dials []string            // what was dialled: name and address
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{t: t, means: map[string][]string{}, at: map[string]string{}}
}

// connect resolves a name once, has the address looked at, and connects to what is there.
func (w *world) connect(ctx context.Context, _, to string, control func(network, address string, _ syscall.RawConn) error) (net.Conn, error) {
	host, port, err := net.SplitHostPort(to)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	address := host
	if _, err := netip.ParseAddr(host); err != nil {
		all := w.means[host]
		if len(all) == 0 {
			w.mu.Unlock()
			return nil, fmt.Errorf("no such host: %s", host)
		}
		if address = all[0]; len(all) > 1 {
			w.means[host] = all[1:]
		}
	}
	address = net.JoinHostPort(address, port)
	real := w.at[address]
	w.mu.Unlock()
	if control != nil {
		if err := control("tcp", address, nil); err != nil {
			return nil, &net.OpError{Op: "dial", Err: err}
		}
	}
	w.mu.Lock()
	w.dials = append(w.dials, host+" "+address)
	w.mu.Unlock()
	if real == "" {
		return nil, fmt.Errorf("nothing is at %s", address)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", real)
}

func (w *world) dialled() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.dials, "\n")
}

// serve has a host answer at an address.
func (w *world) serve(name, address string, s *httptest.Server) {
	w.t.Cleanup(s.Close)
	w.means[name] = append(w.means[name], strings.Split(address, ":")[0])
	w.at[address] = strings.TrimPrefix(strings.TrimPrefix(s.URL, "https://"), "http://")
}

func (w *world) out() *proxy.Out {
	return &proxy.Out{
		Network: network.New(false, nil), Connect: w.connect, Private: func() []string { return nil },
		Upstream: func(*url.URL) (*url.URL, error) { return nil, nil },
	}
}

// start runs a proxy for some places, and says where it is.
func start(t *testing.T, out *proxy.Out, o proxy.Options, places string) (p *proxy.Proxy, at string) {
	t.Helper()
	var err error
	if o.Places, err = address.ParsePlaces(places); err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p = out.New(context.WithoutCancel(t.Context()), o)
	served := make(chan struct{})
	go func() {
		defer close(served)
		p.Serve(l)
	}()
	t.Cleanup(func() {
		p.Close()
		<-served
	})
	return p, l.Addr().String()
}

// say sends bytes to a proxy, and returns all that it answers.
func say(t *testing.T, at, request string) string {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, request); err != nil {
		return "" // it was closed
	}
	if !strings.Contains(request, "\r\n\r\n") { // else the proxy takes the client to be gone
		_ = conn.(*net.TCPConn).CloseWrite()
	}
	answer, _ := io.ReadAll(conn) // what came before it was closed
	return string(answer)
}

func client(at string, secure *httptest.Server) *http.Client {
	tr := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: at})}
	if secure != nil {
		tr.TLSClientConfig = secure.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
		tr.TLSClientConfig.InsecureSkipVerify = true // it has another name
	}
	return &http.Client{Transport: tr}
}

func get(c *http.Client, address string) (status int, body string, err error) {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil)
	if err != nil {
		return 0, "", err
	}
	r, err := c.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = r.Body.Close() }()
	text, err := io.ReadAll(r.Body)
	return r.StatusCode, string(text), err
}

func hello(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "%s %s %v", r.Method, r.Host, r.Header["Proxy-Authorization"])
}

// Promise 9.
func TestListedHostsAreReachedAndNoOthers(t *testing.T) {
	w := newWorld(t)
	secure := httptest.NewTLSServer(http.HandlerFunc(hello))
	w.serve("registry.example", "1.2.3.4:443", secure)
	w.serve("plain.example", "1.2.3.5:80", httptest.NewServer(http.HandlerFunc(hello)))
	w.serve("other.example", "1.2.3.6:443", httptest.NewTLSServer(http.HandlerFunc(hello)))
	p, at := start(t, w.out(), proxy.Options{}, "registry.example, plain.example:80")
	c := client(at, secure)
	for address, want := range map[string]string{
		"https://registry.example/a": "GET registry.example []", "http://plain.example/b": "GET plain.example []",
		"https://REGISTRY.example./a": "GET ",
	} {
		if status, body, err := get(c, address); err != nil || status != 200 || !strings.HasPrefix(body, want) {
			t.Errorf("%s: %d %q %v", address, status, body, err)
		}
	}
	before := w.dialled()
	for _, address := range []string{
		"https://other.example/", "http://other.example/", "https://registry.example:8443/", "https://plain.example/", "http://plain.example:8080/",
		"https://a.registry.example/", "https://registry.example.other.example/", "https://nothing.example/",
	} {
		if status, _, err := get(c, address); err == nil && status != http.StatusForbidden {
			t.Errorf("%s is reached: %d", address, status)
		}
	}
	if w.dialled() != before {
		t.Errorf("it dialled %s", w.dialled())
	}
	var refused []string
	for _, r := range p.Refused() {
		refused = append(refused, r.String()+r.Why)
	}
	if got := strings.Join(refused, " "); !strings.HasPrefix(got, "other.example:443 other.example:80 registry.example:8443 plain.example:443") {
		t.Errorf("refused: %s", got)
	}
}

// An empty list is no network.
// Promise 9.
func TestNoHostsMeansNone(t *testing.T) {
	w := newWorld(t)
	w.serve("registry.example", "1.2.3.4:443", httptest.NewServer(http.HandlerFunc(hello)))
	for name, out := range map[string]*proxy.Out{"no places": w.out(), "nobody's network": nil} {
		_, at := start(t, out, proxy.Options{}, "")
		if answer := say(t, at, "CONNECT registry.example:443 HTTP/1.1\r\nHost: registry.example:443\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 403 ") || w.dialled() != "" {
			t.Errorf("%s: %s %s", name, answer, w.dialled())
		}
	}
}

// Promise 9.
func TestOfflineNothingIsReached(t *testing.T) {
	w := newWorld(t)
	w.serve("registry.example", "1.2.3.4:443", httptest.NewServer(http.HandlerFunc(hello)))
	out := w.out()
	out.Network = network.New(true, nil)
	out.Upstream = func(*url.URL) (*url.URL, error) { return url.Parse("http://127.0.0.1:1") }
	if out.Possible() {
		t.Error("it is offered")
	}
	_, at := start(t, out, proxy.Options{}, "registry.example 127.0.0.1:80")
	for _, to := range []string{"registry.example:443", "127.0.0.1:80"} {
		if answer := say(t, at, "CONNECT "+to+" HTTP/1.1\r\nHost: a\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 403 ") || !strings.Contains(answer, "is offline") || w.dialled() != "" {
			t.Errorf("%s: %s %s", to, answer, w.dialled())
		}
	}
}

// What a request says besides its first line changes nothing, and what cannot be read reaches nothing.
// Promise 9.
func TestHandWrittenRequests(t *testing.T) {
	w := newWorld(t)
	var reached atomic.Int64
	w.serve("ok.example", "1.2.3.4:80", httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "ok.example" || len(r.Header["Proxy-Authorization"]) > 0 || r.Header.Get("Upgrade") != "" {
			t.Errorf("the host got %s %v", r.Host, r.Header)
		}
		reached.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
	})))
	evil := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host is reached") }))
	w.serve("evil.example", "1.2.3.9:80", evil)
	for _, address := range []string{"127.0.0.1:80", "127.0.0.1:443", "169.254.169.254:80", "10.0.0.1:80", "[::1]:80", "[fe80::1]:80"} {
		w.at[address] = evil.Listener.Addr().String()
	}
	_, at := start(t, w.out(), proxy.Options{}, "ok.example")
	for request, want := range map[string]string{
		"GET http://ok.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n":                                                                   "200",
		"GET http://ok.example/ HTTP/1.1\r\nHost: evil.example\r\nProxy-Authorization: Basic eDp5\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n": "200",
		"GET http://OK.example.:80/ HTTP/1.1\r\nHost: a\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n":                                        "200",
		"GET http://evil.example/ HTTP/1.1\r\nHost: ok.example\r\n\r\n":                                                                                        "403",
		"GET http://ok.example@evil.example/ HTTP/1.1\r\nHost: ok.example\r\n\r\n":                                                                             "400",
		"GET http://user:pw@ok.example/ HTTP/1.1\r\nHost: ok.example\r\n\r\n":                                                                                  "400",
		"GET / HTTP/1.1\r\nHost: ok.example\r\n\r\n":                                                                                                           "400",
		"GET //ok.example/ HTTP/1.1\r\nHost: ok.example\r\n\r\n":                                                                                               "400",
		"GET https://ok.example/ HTTP/1.1\r\nHost: ok.example\r\n\r\n":                                                                                         "400",
		"GET ftp://ok.example/ HTTP/1.1\r\nHost: ok.example\r\n\r\n":                                                                                           "400",
		"GET http:ok.example HTTP/1.1\r\nHost: ok.example\r\n\r\n":                                                                                             "400",
		"OPTIONS * HTTP/1.1\r\nHost: ok.example\r\n\r\n":                                                                                                       "400",
		"GET http://ok.example:080/ HTTP/1.1\r\nHost: a\r\n\r\n":                                                                                               "400",
		"GET http://ok.example%00.evil.example/ HTTP/1.1\r\nHost: a\r\n\r\n":                                                                                   "400",
		"GET http://ok.example\x00.evil.example/ HTTP/1.1\r\nHost: a\r\n\r\n":                                                                                  "400",
		"GET http://127.1/ HTTP/1.1\r\nHost: ok.example\r\n\r\n":                                                                                               "400",
		"GET http://2130706433/ HTTP/1.1\r\nHost: a\r\n\r\n":                                                                                                   "400",
		"GET http://0x7f000001/ HTTP/1.1\r\nHost: a\r\n\r\n":                                                                                                   "400",
		"GET http://0177.0.0.1/ HTTP/1.1\r\nHost: a\r\n\r\n":                                                                                                   "400",
		"GET http://[::ffff:127.0.0.1]/ HTTP/1.1\r\nHost: a\r\n\r\n":                                                                                           "403",
		"GET http://[fe80::1%25lo]/ HTTP/1.1\r\nHost: a\r\n\r\n":                                                                                               "400",
		"GET http://169.254.169.254/latest HTTP/1.1\r\nHost: ok.example\r\n\r\n":                                                                               "403",
		"CONNECT evil.example:80 HTTP/1.1\r\nHost: ok.example:80\r\n\r\n":                                                                                      "403",
		"CONNECT ok.example HTTP/1.1\r\nHost: ok.example\r\n\r\n":                                                                                              "400",
		"CONNECT ok.example:http HTTP/1.1\r\nHost: ok.example\r\n\r\n":                                                                                         "400",
		"CONNECT ok.example:80@evil.example:80 HTTP/1.1\r\nHost: a\r\n\r\n":                                                                                    "400",
		"CONNECT user@ok.example:80 HTTP/1.1\r\nHost: a\r\n\r\n":                                                                                               "400",
		"CONNECT ok.example:80/evil HTTP/1.1\r\nHost: a\r\n\r\n":                                                                                               "400",
		"CONNECT /ok.example:80 HTTP/1.1\r\nHost: a\r\n\r\n":                                                                                                   "400",
		"CONNECT http://ok.example:80 HTTP/1.1\r\nHost: a\r\n\r\n":                                                                                             "400",
		"CONNECT ok.example:22 HTTP/1.1\r\nHost: a\r\n\r\n":                                                                                                    "403",
		"CONNECT ok.example:80 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello":                                                                          "400",
		"POST http://ok.example/ HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 40\r\n\r\n0\r\n\r\nGET http://evil.example/ HTTP/1.1\r\nHost: a\r\n\r\n": "400",
		"POST http://ok.example/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n":                                                        "501",
		"POST http://ok.example/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n":                                                                 "400",
		"GET http://ok.example/ HTTP/1.1\r\nHost: a\r\nX: a\r\n\tb\x00c\r\n\r\n":                                                                                      "400",
		"GET http://ok.example/ HTTP/9.9\r\nHost: a\r\n\r\n":                                                                                                          "505",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n":     "",
		"\x05\x01\x00":                         "",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc": "",
		strings.Repeat("A", 200_000):           "",
		"GET http://ok.example/ HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 100_000) + "\r\n\r\n": "",
	} {
		before := reached.Load()
		answer := say(t, at, request)
		got, _, _ := strings.Cut(strings.TrimPrefix(answer, "HTTP/1.1 "), " ")
		short := request[:min(len(request), 200)]
		if want == "" && strings.HasPrefix(answer, "HTTP/1.1 200") || want != "" && got != want {
			t.Errorf("%q: %q", short, answer)
		}
		if passed := reached.Load() - before; passed != 0 && want != "200" || passed != 1 && want == "200" {
			t.Errorf("%q reached the host %d times", short, passed)
		}
	}
	for line := range strings.Lines(w.dialled()) {
		if strings.TrimSpace(line) != "ok.example 1.2.3.4:80" {
			t.Errorf("it dialled %s", line)
		}
	}
}

// A second request behind a body that ends early is a request of its own, which is checked.
// Promise 9.
func TestPipelinedRequestsAreChecked(t *testing.T) {
	w := newWorld(t)
	w.serve("ok.example", "1.2.3.4:80", httptest.NewServer(http.HandlerFunc(hello)))
	w.serve("evil.example", "1.2.3.9:80", httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host is reached") })))
	_, at := start(t, w.out(), proxy.Options{}, "ok.example")
	answer := say(t, at, "POST http://ok.example/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 100\r\n\r\n0\r\n\r\nGET http://evil.example/ HTTP/1.1\r\nHost: ok.example\r\n\r\n")
	if strings.Contains(answer, "evil") && !strings.Contains(answer, "403") {
		t.Errorf("%q", answer)
	}
	answer = say(t, at, "GET http://ok.example/ HTTP/1.1\r\nHost: a\r\n\r\nGET http://evil.example/ HTTP/1.1\r\nHost: ok.example\r\n\r\n")
	if !strings.Contains(answer, "GET ok.example") || !strings.Contains(answer, "HTTP/1.1 403 ") {
		t.Errorf("%q", answer)
	}
}

// A name counts by the address that is dialled.
// Promise 9.
func TestAddressesAreCheckedWhenDialled(t *testing.T) {
	w := newWorld(t)
	inner := httptest.NewServer(http.HandlerFunc(hello))
	w.serve("turns.example", "1.2.3.4:80", httptest.NewServer(http.HandlerFunc(hello)))
	w.means["turns.example"] = []string{"1.2.3.4", "127.0.0.1"}
	w.serve("home.example", "10.1.2.3:80", inner)
	w.means["meta.example"], w.means["six.example"] = []string{"169.254.169.254"}, []string{"::1"}
	for _, address := range []string{"127.0.0.1:80", "169.254.169.254:80", "[::1]:80", "192.168.7.7:80", "192.168.7.8:80"} {
		w.at[address] = inner.Listener.Addr().String()
	}
	out := w.out()
	p, at := start(t, out, proxy.Options{}, "turns.example home.example meta.example six.example 192.168.7.7:80")
	c := client(at, nil)
	if status, _, err := get(c, "http://turns.example/"); err != nil || status != 200 {
		t.Fatal(status, err)
	}
	for _, host := range []string{"turns.example", "home.example", "meta.example", "six.example"} {
		if status, body, err := get(c, "http://"+host+"/"); err != nil || status != http.StatusBadGateway || strings.Contains(body, "10.1.2.3") {
			t.Errorf("%s: %d %q %v", host, status, body, err)
		}
	}
	if w.dialled() != "turns.example 1.2.3.4:80" || len(p.Refused()) != 4 || p.Refused()[0].Why == "" {
		t.Errorf("dialled %s, refused %+v", w.dialled(), p.Refused())
	}
	// the very address is in the list, or the user lists the host as private
	if status, _, err := get(c, "http://192.168.7.7/"); err != nil || status != 200 {
		t.Errorf("%d %v", status, err)
	}
	if status, _, err := get(c, "http://192.168.7.8/"); err != nil || status != http.StatusForbidden {
		t.Errorf("%d %v", status, err)
	}
	out.Private = func() []string { return []string{"home.example:80"} }
	_, at = start(t, out, proxy.Options{}, "home.example meta.example")
	if status, _, err := get(client(at, nil), "http://home.example/"); err != nil || status != 200 {
		t.Errorf("%d %v", status, err)
	}
	if status, _, err := get(client(at, nil), "http://meta.example/"); err != nil || status != http.StatusBadGateway {
		t.Errorf("%d %v", status, err)
	}
}

// The proxy follows no redirect: the client asks again, and is refused.
// Promise 9.
func TestARedirectToAnotherHostIsRefused(t *testing.T) {
	w := newWorld(t)
	w.serve("evil.example", "1.2.3.9:80", httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host is reached") })))
	w.serve("ok.example", "1.2.3.4:80", httptest.NewServer(http.RedirectHandler("http://evil.example/", http.StatusFound)))
	p, at := start(t, w.out(), proxy.Options{}, "ok.example")
	if status, _, err := get(client(at, nil), "http://ok.example/"); err != nil || status != http.StatusForbidden {
		t.Errorf("%d %v", status, err)
	}
	if r := p.Refused(); len(r) != 1 || r[0].String() != "evil.example:80" {
		t.Errorf("%+v", r)
	}
}

// Promise 6.
func TestAHostThatARuleDeniesIsRefused(t *testing.T) {
	w := newWorld(t)
	w.serve("ok.example", "1.2.3.4:80", httptest.NewServer(http.HandlerFunc(hello)))
	var denied atomic.Bool
	_, at := start(t, w.out(), proxy.Options{Denied: func(host string) bool { return denied.Load() && host == "ok.example" }}, "ok.example")
	for _, no := range []bool{false, true} {
		denied.Store(no)
		if status, _, err := get(client(at, nil), "http://ok.example/"); err != nil || (status == http.StatusForbidden) != no {
			t.Errorf("denied: %v: %d %v", no, status, err)
		}
	}
}

// Connections and bytes are counted over all of a command's connections.
func TestBounds(t *testing.T) {
	w := newWorld(t)
	w.serve("big.example", "1.2.3.4:80", httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		_, _ = fmt.Fprint(w, n, strings.Repeat("x", 1000))
	})))
	for name, b := range map[string]proxy.Bounds{
		"connections": {Connections: 2}, "received": {Received: 3000}, "sent": {Sent: 3000},
	} {
		out := w.out()
		out.Bounds = b
		_, at := start(t, out, proxy.Options{}, "big.example")
		c, good := client(at, nil), 0
		for range 4 {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://big.example/", strings.NewReader(strings.Repeat("y", 1000)))
			if err != nil {
				t.Fatal(err)
			}
			r, err := c.Do(request)
			if err != nil {
				continue
			}
			if text, err := io.ReadAll(r.Body); err == nil && r.StatusCode == 200 && len(text) == 1004 {
				good++
			}
			_ = r.Body.Close()
		}
		if good != 2 {
			t.Errorf("%s: %d requests of 4", name, good)
		}
	}
}

// A command that takes nothing of what it asked for costs no memory, and one with many connections waits.
func TestASlowClientCostsNoMemory(t *testing.T) {
	w := newWorld(t)
	const most = 8
	var open, peak atomic.Int64
	w.serve("endless.example", "1.2.3.4:80", httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peak.Store(max(peak.Load(), open.Add(1)))
		defer open.Add(-1)
		block := make([]byte, 1<<16)
		for r.Context().Err() == nil {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})))
	out := w.out()
	out.Bounds.AtOnce = most
	p, at := start(t, out, proxy.Options{}, "endless.example")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var conns []net.Conn
	for i := range 3 * most {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, "CONNECT endless.example:80 HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: endless.example\r\n\r\n")
		if i < most { // it is served, and from then on takes nothing
			if line, err := bufio.NewReaderSize(conn, 16).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
				t.Fatal(line, err)
			}
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("%d bytes for %d slow connections", grown, most)
	}
	p.Close()
	for _, conn := range conns {
		_, _ = io.Copy(io.Discard, conn) // it ends, else the test does not
	}
	if peak.Load() > most {
		t.Errorf("%d connections at once", peak.Load())
	}
}

// Promise 9.
func TestCloseEndsAllConnections(t *testing.T) {
	w := newWorld(t)
	ended := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(ended)
	}))
	w.serve("ok.example", "1.2.3.4:80", s)
	p, at := start(t, w.out(), proxy.Options{}, "ok.example")
	tunnel, err := new(net.Dialer).DialContext(t.Context(), "tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tunnel.Close() }()
	_, _ = io.WriteString(tunnel, "CONNECT ok.example:80 HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: ok.example\r\n\r\n")
	reader := bufio.NewReader(tunnel)
	for range 3 {
		if _, err := reader.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	p.Close()
	<-ended
	if _, err := io.Copy(io.Discard, reader); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Error(err)
	}
	if _, err := new(net.Dialer).DialContext(t.Context(), "tcp", at); err == nil {
		t.Error("it still listens")
	}
}

// The user's own proxy is asked with its password, which the command never sees.
// Promise 9.
func TestTheUsersOwnProxy(t *testing.T) {
	w := newWorld(t)
	secure := httptest.NewTLSServer(http.HandlerFunc(hello))
	t.Cleanup(secure.Close)
	var asked []string
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.RequestURI+" "+r.Header.Get("Proxy-Authorization"))
		if r.Method != http.MethodConnect {
			r.Header.Del("Proxy-Authorization") // it is for this one alone
			hello(w, r)
			return
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		to, err := new(net.Dialer).DialContext(r.Context(), "tcp", secure.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = to.Close() }()
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(to, conn) }()
		_, _ = io.Copy(conn, to)
	}))
	w.serve("own.example", "10.9.9.9:3128", own)
	out := w.out()
	out.Upstream = func(*url.URL) (*url.URL, error) { return url.Parse("http://me:secret@own.example:3128") }
	_, at := start(t, out, proxy.Options{}, "registry.example")
	c := client(at, secure)
	for _, address := range []string{"https://registry.example/", "http://registry.example/"} {
		if status, body, err := get(c, address); err != nil || status != 200 || body != "GET registry.example []" {
			t.Errorf("%s: %d %q %v", address, status, body, err)
		}
	}
	if status, _, err := get(c, "http://other.example/"); err != nil || status != http.StatusForbidden {
		t.Errorf("%d %v", status, err)
	}
	const want = "CONNECT registry.example:443 Basic bWU6c2VjcmV0|GET http://registry.example/ Basic bWU6c2VjcmV0"
	if got := strings.Join(asked, "|"); got != want {
		t.Errorf("it was asked %s", got)
	}
	out.Upstream = func(*url.URL) (*url.URL, error) { return url.Parse("http://me:secret@gone.example:3128") }
	_, at = start(t, out, proxy.Options{}, "registry.example")
	for _, request := range []string{"CONNECT registry.example:443 HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://registry.example/ HTTP/1.1\r\nHost: a\r\n\r\n"} {
		if answer := say(t, at, request); !strings.HasPrefix(answer, "HTTP/1.1 502 ") || strings.Contains(answer, "secret") {
			t.Errorf("%q", answer)
		}
	}
}

// Without a Connect of a test, the program's own network connects: each address is looked at, and told of with who
// asked.
// Promise 9.
func TestEachConnectionIsOnRecord(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(hello))
	t.Cleanup(s.Close)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	var contacts []string
	out := &proxy.Out{
		Network:  network.New(false, func(c network.Contact) { contacts = append(contacts, c.Who+", "+c.Why+": "+c.Host) }),
		Upstream: func(*url.URL) (*url.URL, error) { return nil, nil },
	}
	_, at := start(t, out, proxy.Options{By: "command npm"}, "127.0.0.1:"+port+" localhost:"+port)
	request := func(host string) string {
		return say(t, at, "GET http://"+host+":"+port+"/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	}
	if answer := request("127.0.0.1"); !strings.HasPrefix(answer, "HTTP/1.1 200 ") {
		t.Error(answer)
	}
	if answer := request("localhost"); !strings.HasPrefix(answer, "HTTP/1.1 502 ") || !strings.Contains(answer, "not one of the public internet") {
		t.Error(answer)
	}
	if got := strings.Join(contacts, "|"); got != "command npm, run with the network: 127.0.0.1:"+port {
		t.Errorf("told of %s", got)
	}
}

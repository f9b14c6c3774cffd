package web

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
)

// internet is a server on this machine that stands for every public address, and the names that lead there. Nothing is
// asked of the real network.
type internet struct {
	*testing.T
	server  *httptest.Server
	asked   atomic.Int32 // connections that were made
	private []string
	search  string

	mu    sync.Mutex
	names map[string][]string // guarded by mu: what a name means, the next time it is looked up; the last stays
}

func newInternet(t *testing.T, handle http.HandlerFunc) *internet {
	t.Helper()
	n := &internet{T: t, names: map[string][]string{"example.org": {"93.184.215.14"}, "other.example": {"93.184.215.15"}}}
	n.server = httptest.NewServer(handle)
	t.Cleanup(n.server.Close)
	return n
}

// lookup is the next answer for a name. An address means itself.
func (n *internet) lookup(name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, err := netip.ParseAddr(name); err == nil {
		return name
	}
	list := n.names[name]
	if len(list) > 1 {
		n.names[name] = list[1:]
	}
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// connect does what net.Dialer does: it looks a name up, asks control about the address, and dials. Every address leads
// to the server.
func (n *internet) connect(ctx context.Context, network, address string, control Control) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	ip := n.lookup(host)
	if ip == "" {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if err := control(network, net.JoinHostPort(ip, port), nil); err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	n.asked.Add(1)
	var d net.Dialer
	return d.DialContext(ctx, "tcp", n.server.Listener.Addr().String())
}

func (n *internet) options() Options {
	return Options{
		Fetch: func() bool { return true }, Endpoint: func() string { return n.search },
		Private: func() []string { return n.private }, Connect: n.connect, Network: network.New(false, nil),
	}
}

func (n *internet) dispatcher(o Options) *tools.Dispatcher {
	n.Helper()
	r, err := tools.NewSources(nil, New(o)).Now(n.Context())
	if err != nil {
		n.Fatal(err)
	}
	return tools.NewDispatcher(r, policy.New(nil), nil)
}

func prepare(ctx context.Context, d *tools.Dispatcher, tool string, arguments map[string]any) tools.Prepared {
	raw, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	return d.Prepare(ctx, tools.Call{Name: tool, Arguments: raw, Caller: policy.Model})
}

func (n *internet) do(o Options, tool string, arguments map[string]any) tools.Result {
	n.Helper()
	d := n.dispatcher(o)
	r, err := d.Execute(n.Context(), prepare(n.Context(), d, tool, arguments).Approved(), nil)
	if err != nil {
		n.Fatal(err)
	}
	return r
}

func (n *internet) fetch(address string) tools.Result {
	n.Helper()
	return n.do(n.options(), "web_fetch", map[string]any{"url": address})
}

func say(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(text))
	}
}

const secret = "the secret of this machine"

// S18: no spelling of an address that is not of the public internet is dialled, in the address itself or behind a name.
// Promise 9. Invariant 16.
func TestAddressesOutsideThePublicInternetAreRefused(t *testing.T) {
	n := newInternet(t, say(secret))
	inside := []string{
		"127.0.0.1", "127.1.2.3", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255",
		"168.63.129.16", "169.254.169.254", "169.254.0.1", "100.64.0.1", "100.127.255.255", "192.0.0.8", "192.0.2.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9",
		"192.88.99.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1",
		"2001::1", "2001:db8::1", "2002:7f00:1::", "2002:a00:1::", "3fff::1", "5f00::1", "fc00::1", "fd00::1", "fd12:3456:789a::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "ff0e::1",
	}
	for i, ip := range inside {
		name := fmt.Sprintf("name%d.example", i)
		n.names[name] = []string{ip}
		host := ip
		if strings.Contains(ip, ":") {
			host = "[" + ip + "]"
		}
		for _, address := range []string{"http://" + host + "/", "http://" + host + ":8080/x", "http://" + name + "/", "https://" + name + "/"} {
			if r := n.fetch(address); !r.Failed || strings.Contains(r.Text(), secret) || !strings.Contains(r.Text(), "no address of the public internet") {
				t.Errorf("%s (%s): %s", address, ip, r.Text())
			}
		}
	}
	if asked := n.asked.Load(); asked != 0 {
		t.Errorf("%d connections were made", asked)
	}
	for _, ip := range []string{"1.1.1.1", "93.184.215.14", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "[2606:4700::1111]", "[2a00:1450:4001::1]"} {
		if r := n.fetch("http://" + ip + "/"); r.Failed {
			t.Errorf("%s is public: %s", ip, r.Text())
		}
	}
}

// S18: what is no plain address of the web is refused before anything is looked up.
// Promise 9.
func TestOddAddressesAreRefused(t *testing.T) {
	n := newInternet(t, say(secret))
	for _, address := range []string{
		"", " ", "example.org", "//example.org", "file:///etc/passwd", "ftp://example.org/", "gopher://example.org/", "data:text/html,x", "javascript:alert(1)", "http:example.org",
		"http:///etc", "http://", "http://user@example.org/", "http://user:pass@example.org/", "http://example.org@127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/",
		"http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://017700000001/", "http://127.0.0.1.1/", "http://1.2.3/", "http://127.0.0.0x1/", "http://[fe80::1%25eth0]/", "http://[fe80::1%25lo]/",
		"http://exa mple.org/", "http://example.org/\n", "http://example.org\\@127.0.0.1/", "http://example.org\x00.evil/", "http://ex\u200bample.org/", "http://example.org/\u202e",
		"http://①②⑦.⓪.⓪.①/", "http://１２７.0.0.1/", "http://" + strings.Repeat("a", 2000) + ".org/", "http://example.org:99999/", "http://example.org:x/",
	} {
		if r := n.fetch(address); !r.Failed || strings.Contains(r.Text(), secret) {
			t.Errorf("%q: %s", address, r.Text())
		}
	}
	if asked := n.asked.Load(); asked != 0 {
		t.Errorf("%d connections were made", asked)
	}
}

// S18: the address is checked when it is dialled: a name that is public when it is asked about and means this machine a
// moment later leads nowhere.
// Promise 9. Invariant 16.
func TestANameThatChangesItsMind(t *testing.T) {
	n := newInternet(t, say(secret))
	n.names["rebind.example"] = []string{"93.184.215.14", "127.0.0.1"}
	if r := n.fetch("http://rebind.example/"); r.Failed {
		t.Errorf("at first it is public: %s", r.Text())
	}
	for range 3 {
		if r := n.fetch("http://rebind.example/"); !r.Failed || n.asked.Load() != 1 {
			t.Errorf("then it is this machine: %s", r.Text())
		}
	}
}

// S18: the real dialer refuses this machine, whatever it is called.
// Promise 9.
func TestTheDialerItselfRefuses(t *testing.T) {
	n := newInternet(t, say(secret))
	o := n.options()
	o.Connect = nil
	_, port, err := net.SplitHostPort(n.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "LOCALHOST.", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]"} {
		if r := n.do(o, "web_fetch", map[string]any{"url": "http://" + host + ":" + port + "/"}); !r.Failed || strings.Contains(r.Text(), secret) {
			t.Errorf("%s: %s", host, r.Text())
		}
	}
	n.private = []string{"127.0.0.1:" + port, "localhost:1"}
	if r := n.do(o, "web_fetch", map[string]any{"url": "http://127.0.0.1:" + port + "/"}); r.Failed {
		t.Errorf("a port that the user lists: %s", r.Text())
	}
	if r := n.do(o, "web_fetch", map[string]any{"url": "http://localhost:" + port + "/"}); !r.Failed {
		t.Errorf("the user lists another port of it: %s", r.Text())
	}
	n.private = []string{"127.0.0.1"}
	if r := n.do(o, "web_fetch", map[string]any{"url": "http://127.0.0.1:" + port + "/"}); r.Failed || !strings.Contains(r.Text(), secret) {
		t.Errorf("a host that the user lists: %s", r.Text())
	}
	if r := n.do(o, "web_fetch", map[string]any{"url": "http://localhost:" + port + "/"}); !r.Failed {
		t.Errorf("another name of it: %s", r.Text())
	}
}

// S18: a redirect is followed only within the server that was asked about; anything else is said, and asked about anew.
// Promise 9.
func TestRedirects(t *testing.T) {
	to := ""
	var followed atomic.Int32
	n := newInternet(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/start" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		if r.URL.Path == "/round" {
			http.Redirect(w, r, "/round", http.StatusFound)
			return
		}
		followed.Add(1)
		say(secret)(w, r)
	})
	for _, target := range []string{
		"http://127.0.0.1/", "http://169.254.169.254/latest/meta-data/", "http://other.example/", "http://example.org:8080/", "https://other.example/", "//other.example/x", "http://example.org.evil.example/",
		"http://xexample.org/", "http://user@example.org/", "file:///etc/passwd", "ftp://example.org/", "http://[::1]/", "http://2130706433/", "/round", "gopher://example.org/",
	} {
		to = target
		if r := n.fetch("http://example.org/start"); !r.Failed || strings.Contains(r.Text(), secret) || followed.Load() > 0 {
			t.Errorf("to %s: %s", target, r.Text())
		}
	}
	to = "http://other.example/page"
	if r := n.fetch("http://example.org/start"); !strings.Contains(r.Text(), "Call web_fetch with http://other.example/page to go there") {
		t.Errorf("elsewhere: %s", r.Text())
	}
	to = "/page"
	if r := n.fetch("http://EXAMPLE.org./start"); r.Failed || followed.Load() != 1 {
		t.Errorf("within the server: %s", r.Text())
	}
}

// S18: what is read of an answer is bounded in size and time, packed or not.
func TestAnswersAreBounded(t *testing.T) {
	n := newInternet(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		switch r.URL.Path {
		case "/long":
			for range 64 {
				if _, err := w.Write([]byte(strings.Repeat("x", 1<<20))); err != nil {
					return
				}
			}
		case "/packed":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for range 1024 {
				if _, err := z.Write([]byte(strings.Repeat("x", 1<<20))); err != nil {
					return
				}
			}
			_ = z.Close()
		case "/header":
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		case "/never":
			<-r.Context().Done()
		case "/deep":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(strings.Repeat("<div><ul><li><b>", 100_000)))
		case "/wide":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(strings.Repeat("<p>*a_b* <a href=x>`", 100_000)))
		case "/image":
			w.Header().Set("Content-Type", "image/png")
		case "/broken":
			http.Error(w, secret, http.StatusInternalServerError)
		}
	})
	for path, want := range map[string]string{
		"/long": "Bytes 0 to 8192 of 2097152. Read on with start 8192.", "/header": "", "/image": "image/png, which is no text", "/packed": "Read on with start",
		"/deep": "", "/wide": "", "/broken": "answered 500",
	} {
		start := time.Now()
		r := n.fetch("http://example.org" + path)
		if took := time.Since(start); len(r.Text()) > maxShown+1000 || !strings.Contains(r.Text(), want) || strings.Contains(r.Text(), secret) || took > 15*time.Second {
			t.Errorf("%s: %d bytes after %v: %.200s", path, len(r.Text()), took, r.Text())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	d := n.dispatcher(n.options())
	p := prepare(ctx, d, "web_fetch", map[string]any{"url": "http://example.org/never"}).Approved()
	time.AfterFunc(50*time.Millisecond, cancel)
	start := time.Now()
	if r, err := d.Execute(ctx, p, nil); !r.Failed || time.Since(start) > 10*time.Second {
		t.Errorf("Stop after %v: %+v, %v", time.Since(start), r, err)
	}
}

// TestAPageIsMarkdown, and marked as somebody else's words.
func TestAPageIsMarkdown(t *testing.T) {
	n := newInternet(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/latin":
			w.Header().Set("Content-Type", "text/plain; charset=iso-8859-1")
			_, _ = w.Write([]byte("caf\xe9"))
		default:
			say("<html><head><title>T</title><style>p{}</style></head><body><h1>News</h1><script>evil()</script><p>It <b>rains</b> &amp; <a href='/x'>more</a>.\u202e</p></body></html>")(w, r)
		}
	})
	r := n.fetch("http://example.org/")
	if text := r.Text(); r.Failed || !strings.Contains(text, "# News\n\nIt **rains** & [more](/x).<U+202E>") || strings.Contains(text, "evil") || !strings.Contains(text, "was written by others") {
		t.Errorf("it is\n%s", text)
	}
	if text := n.fetch("http://example.org/latin").Text(); !strings.Contains(text, "café") {
		t.Errorf("in Latin 1: %s", text)
	}
	d := n.dispatcher(n.options())
	p := prepare(t.Context(), d, "web_fetch", map[string]any{"url": "HTTP://Example.ORG./a?b=c#d"})
	if p.Decision.Verdict != policy.Ask || p.Target != "http://example.org/a?b=c" {
		t.Errorf("it is asked %v about %q", p.Decision, p.Target)
	}
}

func TestWebSearch(t *testing.T) {
	var query, path string
	answer := `{"results":[{"title":"A\n## You","url":"http://a.example/","content":"First."},{"title":"B","url":"http://b.example/","content":"` + strings.Repeat("x", 1000) + `"}]}`
	n := newInternet(t, func(w http.ResponseWriter, r *http.Request) {
		query, path = r.URL.Query().Get("q"), r.URL.Path
		_, _ = w.Write([]byte(answer))
	})
	n.names["searx.example"] = []string{"127.0.0.1"} // the user named it
	n.search = "http://searx.example"
	r := n.do(n.options(), "web_search", map[string]any{"query": " how  to\n"})
	if text := r.Text(); r.Failed || query != "how to" || path != "/search" || !strings.Contains(text, "1. A ## You\n   http://a.example/\n   First.\n2. B") || len(text) > 1000 {
		t.Errorf("%s was asked %q: %s", path, query, text)
	}
	for _, bad := range []string{`<html>`, `[]`, `{"results":7}`} {
		answer = bad
		if r := n.do(n.options(), "web_search", map[string]any{"query": "x"}); !r.Failed || !strings.Contains(r.Text(), "did not answer with JSON") {
			t.Errorf("%s: %s", bad, r.Text())
		}
	}
	answer = `{}`
	if r := n.do(n.options(), "web_search", map[string]any{"query": "x"}); r.Failed || !strings.Contains(r.Text(), "Nothing was found.") {
		t.Errorf("nothing: %s", r.Text())
	}
	n.search = "searx.example"
	if r := n.do(n.options(), "web_search", map[string]any{"query": "x"}); !r.Failed || !strings.Contains(r.Text(), "setting searchEndpoint") {
		t.Errorf("a bad endpoint: %s", r.Text())
	}
}

// TestTheWebIsOff until the user switches it on.
// Promise 9. Invariant 16.
func TestTheWebIsOff(t *testing.T) {
	off := Options{Fetch: func() bool { return false }, Endpoint: func() string { return "" }, Private: func() []string { return nil }}
	list, changed, err := New(off).Tools(t.Context())
	if len(list) != 0 || err != nil {
		t.Errorf("there are %v, %v", list, err)
	}
	select {
	case <-changed:
	default:
		t.Error("it is not asked again when the settings change")
	}
}

package mcp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/mcp/websocket"
)

// site is a server on the network, and what it was asked.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // guarded by mu: the Authorization of each request
}

func newSite(t *testing.T, handle http.Handler) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Header.Get("Authorization"))
		s.mu.Unlock()
		handle.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func (s *site) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func streamable(mode string) http.Handler {
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return good(mode) }, nil)
}

// overWebSocket serves each client over a WebSocket.
func overWebSocket(mode string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		transport, err := websocket.Accept(w, r, 0)
		if err == nil {
			err = good(mode).Run(r.Context(), transport)
		}
		if err != nil {
			return // the client is gone
		}
	})
}

func addressOf(kind string, s *site) string {
	if kind == "websocket" {
		return strings.Replace(s.URL, "http://", "ws://", 1) + "/mcp"
	}
	return s.URL + "/mcp"
}

func good(mode string) *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "fake", Version: "1"}, nil)
	goodModes[mode](server)
	return server
}

// remote declares a server elsewhere.
func remote(kind, url string) map[string]any {
	return map[string]any{"type": kind, "url": url, "headers": map[string]string{"Authorization": "Bearer ${env:TOKEN}"}}
}

// TestAServerElsewhereIsCalled over Streamable HTTP and over what came before it, with the declared headers in every
// request.
func TestAServerElsewhereIsCalled(t *testing.T) {
	t.Setenv("TOKEN", "canary-of-the-token")
	for kind, handler := range map[string]http.Handler{
		"websocket": overWebSocket("echo"), "http": streamable("echo"), "sse": sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return good("echo") }, nil),
	} {
		s := newSite(t, handler)
		p := newPlace(t)
		p.declares("remote", remote(kind, addressOf(kind, s)))
		if len(s.requests()) > 0 {
			t.Error("it was asked before it was needed")
		}
		d, problems := p.now()
		if problems != "" || names(d) != "echo" {
			t.Fatalf("%s: %q, %s", kind, names(d), problems)
		}
		contains(t, p.run(d, "echo", `{"text": "x"}`).Text(), "echo: x")
		for _, header := range s.requests() {
			if header != "Bearer canary-of-the-token" {
				t.Errorf("%s: asked with %q", kind, header)
			}
		}
	}
}

// S07: a server elsewhere that the workspace declares is not asked before it is trusted.
// Invariant 16.
func TestAWorkspacesServerElsewhereIsNotAsked(t *testing.T) {
	t.Setenv("TOKEN", "canary-of-the-token")
	s := newSite(t, streamable("echo"))
	p := newPlace(t)
	p.theirs("remote", remote("http", s.URL))
	_, problems := p.now()
	contains(t, problems, "does nothing until you trust it")
	if asked := s.requests(); len(asked) > 0 {
		t.Errorf("it was asked with %q", asked)
	}
	p.trusts("remote")
	if d, problems := p.now(); names(d) != "echo" || problems != "" {
		t.Errorf("%q, %s", names(d), problems)
	}
}

// E2: no secret goes to another place, whether a redirect or the server's own words name it.
// Invariant 16.
func TestNoHeaderGoesElsewhere(t *testing.T) {
	t.Setenv("TOKEN", "canary-of-the-token")
	other := newSite(t, streamable("echo"))
	for name, c := range map[string]struct {
		kind   string
		handle http.HandlerFunc
		want   string
	}{
		"a redirect": {"http", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}, "it redirects to " + other.URL},
		"a redirect, for WebSocket": {"websocket", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) }, "it redirects to " + other.URL},
		"a redirect, for SSE":       {"sse", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) }, "it redirects to " + other.URL},
		"an endpoint": {"sse", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte("event: endpoint\ndata: " + other.URL + "\n\n"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "it sends us to " + other.URL},
		"no entry": {"http", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "Unauthorized"},
		"a long one": {"http", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			long(w)
		}, "it sent a message of more than 16 MB"},
	} {
		s := newSite(t, c.handle)
		p := newPlace(t)
		p.declares("remote", remote(c.kind, addressOf(c.kind, s)), "good", fake("echo"))
		d, problems := p.now()
		contains(t, problems, "The server remote: does not work: ", c.want)
		if strings.Contains(problems, "canary") || len(problems) > 700 {
			t.Errorf("%s: %s", name, problems)
		}
		contains(t, p.run(d, "echo", `{"text": "x"}`).Text(), "echo: x")
	}
	if asked := other.requests(); len(asked) > 0 {
		t.Errorf("another place was asked with %q", asked)
	}
}

func long(w http.ResponseWriter) {
	piece := []byte(strings.Repeat(" ", 1<<20))
	for range 40 {
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
}

// A redirect within the same place, such as one that adds a slash, is followed.
func TestARedirectWithinAServerIsFollowed(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/mcp/", streamable("echo"))
	s := newSite(t, mux) // it redirects /mcp
	p := newPlace(t)
	p.declares("remote", map[string]any{"url": s.URL + "/mcp"})
	if d, problems := p.now(); names(d) != "echo" || problems != "" {
		t.Errorf("%q, %s", names(d), problems)
	}
}

// A server that is gone is told, and used again when it is there again.
func TestAServerThatIsGone(t *testing.T) {
	s := newSite(t, streamable("echo"))
	p := newPlace(t)
	p.source.Hurry(5e9, 1, 1)
	p.declares("remote", map[string]any{"url": s.URL})
	d, _ := p.now()
	contains(t, p.run(d, "echo", `{"text": "x"}`).Text(), "echo: x")
	s.CloseClientConnections()
	s.Close()
	if r := p.run(d, "echo", `{"text": "x"}`); !r.Failed || !strings.Contains(r.Text(), "refused") {
		t.Errorf("%+v", r)
	}
}

// A name that led to the public internet never leads inside, whatever it means later.
// Invariant 16.
func TestANameThatLeadsInsideLater(t *testing.T) {
	for _, good := range [][]string{{"127.0.0.1:80", "127.0.0.1:80"}, {"10.0.0.1:80"}, {"93.184.215.14:443", "93.184.215.15:443"}, {"[::1]:80", "93.184.215.14:443"}} {
		if err := mcp.Dial(good...); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range [][]string{{"93.184.215.14:443", "127.0.0.1:443"}, {"93.184.215.14:443", "169.254.169.254:80"}, {"93.184.215.14:443", "[::ffff:10.0.0.1]:80"}} {
		if err := mcp.Dial(bad...); err == nil {
			t.Errorf("%q is dialled", bad)
		}
	}
}

package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/tools/mcp/serve"
	"github.com/assent-ls/assent/tools/mcp/websocket"
)

const token = "0123456789abcdefghijklmnopqrstuvwxyz"

// listen serves a wire, and returns its address.
func (w *world) listen(wire serve.Wire) (address string) {
	w.Helper()
	l, err := serve.Listen(w.Context(), ":0", false)
	if err != nil {
		w.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.server.Serve(ctx, l, wire, "", token) }()
	w.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			w.Errorf("the server ended with %v", err)
		}
	})
	return l.Addr().String()
}

// bearer sends a token with each request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

func transport(wire serve.Wire, address string) mcp.Transport {
	if wire == serve.WebSocket {
		return &websocket.Dialer{URL: "ws://" + address + serve.Path, Client: http.DefaultClient, Header: http.Header{"Authorization": {"Bearer " + token}}}
	}
	return &mcp.StreamableClientTransport{Endpoint: "http://" + address + serve.Path, HTTPClient: &http.Client{Transport: bearer{token}}, MaxRetries: -1}
}

func eachWire(t *testing.T, test func(t *testing.T, wire serve.Wire, version string)) {
	for name, wire := range map[string]serve.Wire{"HTTP": serve.HTTP, "WebSocket": serve.WebSocket} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachGeneration(t, func(t *testing.T, version string) { test(t, wire, version) })
		})
	}
}

// TestOverTheNetwork: reading, asking, refusing and the read set are the same on every wire.
func TestOverTheNetwork(t *testing.T) {
	t.Parallel()
	eachWire(t, func(t *testing.T, wire serve.Wire, version string) {
		w := newWorld(t)
		c := w.dial(version, transport(wire, w.listen(wire)), yes)
		if r, text, err := c.try("read_file", map[string]any{"path": "a.txt"}); err != nil || r.IsError || !strings.Contains(text, "one\ntwo") {
			t.Fatalf("%q, %v", text, err)
		}
		if r, text, err := c.try("edit_file", map[string]any{"path": "a.txt", "old_text": "one", "new_text": "1"}); err != nil || r.IsError || w.holds("a.txt") != "1\ntwo\n" {
			t.Errorf("an edit of what was read: %q, %v", text, err)
		}
		if q := <-c.asked; !strings.Contains(q.Message, "+1") {
			t.Errorf("it was asked %q", q.Message)
		}
		if _, _, err := c.try("nothing", map[string]any{}); err == nil || !strings.Contains(err.Error(), "There is no tool") {
			t.Errorf("an unknown tool: %v", err)
		}
	})
}

// TestSessionsOfTheNetworkShareNothing: neither what was read, nor an approval.
func TestSessionsOfTheNetworkShareNothing(t *testing.T) {
	t.Parallel()
	for _, wire := range []serve.Wire{serve.HTTP, serve.WebSocket} {
		w := newWorld(t)
		address := w.listen(wire)
		reader, other := w.dial("2025-11-25", transport(wire, address), yes), w.dial("2025-11-25", transport(wire, address), nil)
		if _, _, err := reader.try("read_file", map[string]any{"path": "a.txt"}); err != nil {
			t.Fatal(err)
		}
		if r, text, err := other.try("edit_file", map[string]any{"path": "a.txt", "old_text": "one", "new_text": "1"}); err != nil || !r.IsError || !strings.Contains(text, "two") {
			t.Errorf("who has not read the file: %q, %v", text, err)
		}
		if r, text, err := other.try("write_file", newFile); err != nil || !r.IsError || w.holds("b.txt") != "" {
			t.Errorf("who cannot ask: %q, %v", text, err)
		}
	}
}

// TestAnUpgradeThatBreaksOff: a client that hangs up while it connects, which ends the context of its request, ends
// nobody else's calls.
func TestAnUpgradeThatBreaksOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.connect("2025-11-25", yes)
	h := w.server.Handler(serve.WebSocket)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		cancel()
		h.ServeHTTP(w, r.WithContext(ctx))
	}))
	t.Cleanup(server.Close)
	for range 20 {
		conn, err := net.Dial("tcp", server.Listener.Addr().String()) //nolint:noctx // a test of what no client does
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mcp\r\n\r\n")
		_ = conn.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, conn) // until the server is done with it
		_ = conn.Close()
	}
	if r, text, err := c.try("read_file", map[string]any{"path": "a.txt"}); err != nil || r.IsError || !strings.Contains(text, "one") || w.server.Closed() {
		t.Errorf("%q, %v", text, err)
	}
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// post sends a request as no library would.
func post(t *testing.T, address, path string, body io.Reader, change func(*http.Request)) (status int, header http.Header, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if change != nil {
		change(r)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err.Error()
	}
	defer response.Body.Close() //nolint:errcheck // only read
	data, _ := io.ReadAll(io.LimitReader(response.Body, 10_000))
	return response.StatusCode, response.Header, string(data)
}

// TestWhoIsLetIn: who names another host, comes from another page or lacks the token gets nothing, on both wires alike.
// Promise 9.
func TestWhoIsLetIn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		path   string
		change func(*http.Request)
		status int
	}{
		"all is well":                {"/mcp", nil, 200},
		"localhost":                  {"/mcp", func(r *http.Request) { r.Host = "localhost:1234" }, 200},
		"a page of this computer":    {"/mcp", func(r *http.Request) { r.Header.Set("Origin", "http://localhost:3000") }, 200},
		"bearer in small letters":    {"/mcp", func(r *http.Request) { r.Header.Set("Authorization", "bearer "+token) }, 200},
		"a rebound name":             {"/mcp", func(r *http.Request) { r.Host = "evil.example" }, 403},
		"a name that begins well":    {"/mcp", func(r *http.Request) { r.Host = "localhost.evil.example" }, 403},
		"127.0.0.1 in a name":        {"/mcp", func(r *http.Request) { r.Host = "127.0.0.1.nip.io" }, 403},
		"another address":            {"/mcp", func(r *http.Request) { r.Host = "10.0.0.1" }, 403},
		"all addresses":              {"/mcp", func(r *http.Request) { r.Host = "0.0.0.0" }, 403},
		"a foreign page":             {"/mcp", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403},
		"a page that begins well":    {"/mcp", func(r *http.Request) { r.Header.Set("Origin", "http://localhost.evil.example") }, 403},
		"a page with a user":         {"/mcp", func(r *http.Request) { r.Header.Set("Origin", "http://localhost@evil.example") }, 403},
		"a page without an origin":   {"/mcp", func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		"an empty origin":            {"/mcp", func(r *http.Request) { r.Header.Set("Origin", "") }, 403},
		"two origins":                {"/mcp", func(r *http.Request) { r.Header["Origin"] = []string{"http://localhost", "https://evil.example"} }, 403},
		"no token":                   {"/mcp", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		"another token":              {"/mcp", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+strings.Repeat("0", len(token))) }, 401},
		"half of the token":          {"/mcp", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token[:20]) }, 401},
		"more than the token":        {"/mcp", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token+"0") }, 401},
		"an empty token":             {"/mcp", func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") }, 401},
		"a password":                 {"/mcp", func(r *http.Request) { r.SetBasicAuth("", token) }, 401},
		"two tokens":                 {"/mcp", func(r *http.Request) { r.Header["Authorization"] = []string{"Bearer x", "Bearer " + token} }, 401},
		"the token in the address":   {"/mcp?token=" + token, func(r *http.Request) { r.Header.Del("Authorization") }, 400},
		"the token there, too":       {"/mcp?access_token=" + token, nil, 400},
		"another path":               {"/", nil, 404},
		"another path, unauthorized": {"/", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, wire := range []serve.Wire{serve.HTTP, serve.WebSocket} {
				w := newWorld(t)
				address := w.listen(wire)
				change, want := tt.change, tt.status
				if wire == serve.WebSocket {
					change = func(r *http.Request) {
						r.Method, r.Body, r.ContentLength = http.MethodGet, nil, 0
						for key, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-Websocket-Version": "13", "Sec-Websocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-Websocket-Protocol": "mcp"} {
							r.Header.Set(key, value)
						}
						if tt.change != nil {
							tt.change(r)
						}
					}
					if want == 200 {
						want = http.StatusSwitchingProtocols
					}
				}
				if want == http.StatusSwitchingProtocols {
					continue // a whole session is in TestOverTheNetwork: here nothing would end it
				}
				status, header, text := post(t, address, tt.path, strings.NewReader(initialize), change)
				if status != want || status != 200 && (header.Get("Mcp-Session-Id") != "" || strings.Contains(text, "serverInfo")) {
					t.Errorf("wire %d: status %d, want %d: %s", wire, status, want, text)
				}
				if challenge := header.Get("WWW-Authenticate"); (status == 401) != (challenge == `Bearer realm="assent"`) {
					t.Errorf("wire %d: status %d with the challenge %q", wire, status, challenge)
				}
				if strings.Contains(text, token) {
					t.Error("the answer holds the token")
				}
			}
		})
	}
}

// TestAddresses: only an address of this computer is taken, unless more is meant.
// Promise 9.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		":0": "127.0.0.1:", "127.0.0.1:0": "127.0.0.1:", "localhost:0": "127.0.0.1:", "127.1.2.3:0": "127.1.2.3:",
		"0.0.0.0:0": "", "[::]:0": "", "192.0.2.1:0": "", "example.org:0": "", "8080": "", "": "", "localhost": "", "*:0": "", "127.0.0.1.nip.io:0": "",
	} {
		l, err := serve.Listen(t.Context(), address, false)
		if (err == nil) != (want != "") {
			t.Errorf("%q: %v", address, err)
		}
		if err == nil {
			if got := l.Addr().String(); !strings.HasPrefix(got, want) {
				t.Errorf("%q listens on %s", address, got)
			}
			_ = l.Close()
		}
	}
	l, err := serve.Listen(t.Context(), "0.0.0.0:0", true)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	if err := w.server.Serve(t.Context(), l, serve.HTTP, "", ""); err == nil {
		t.Error("it serves without a token")
	}
}

// TestTokenFile: it is made once, for its owner alone, and one that others could have read or guessed is refused.
func TestTokenFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state", "mcp-token")
	var all sync.Map
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			got, err := serve.Token(path)
			if err != nil || len(got) < 32 {
				t.Errorf("%q, %v", got, err)
			}
			all.Store(got, true)
		})
	}
	wait.Wait()
	n := 0
	all.Range(func(any, any) bool { n++; return true })
	if info, err := os.Stat(path); n != 1 || err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%d tokens, %v, %v", n, info, err)
	}
	if rest, err := os.ReadDir(filepath.Dir(path)); err != nil || len(rest) != 1 {
		t.Errorf("beside it lie %v", rest)
	}
	dir := t.TempDir()
	for name, tt := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"open":   {token, 0o644, "can be read by others"},
		"group":  {token, 0o640, "can be read by others"},
		"short":  {"secret", 0o600, "at least 32"},
		"empty":  {"", 0o600, "at least 32"},
		"lines":  {token + "\n" + token, 0o600, "one line"},
		"spaces": {token + " x", 0o600, "one line"},
		"NUL":    {token + "\x00", 0o600, "one line"},
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(tt.text), tt.mode); err != nil {
			t.Fatal(err)
		}
		if got, err := serve.Token(file); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := serve.Token(dir); err == nil {
		t.Error("a folder is a token")
	}
}

// TestAThousandSessions: only so many are served, the others are told so, and the server lives.
func TestAThousandSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address := w.listen(serve.HTTP)
	var mu sync.Mutex
	count := map[int]int{}
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			for range 50 {
				status, _, _ := post(t, address, serve.Path, strings.NewReader(initialize), nil)
				mu.Lock()
				count[status]++
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if count[200] == 0 || count[200] > 64 || count[200]+count[http.StatusServiceUnavailable] != 1000 {
		t.Errorf("the answers are %v", count)
	}
	for range 64 - count[200] { // those that came while others began
		post(t, address, serve.Path, strings.NewReader(initialize), nil)
	}
	status, header, text := post(t, address, serve.Path, strings.NewReader(initialize), nil)
	if status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" || !strings.Contains(text, "64 sessions are open") {
		t.Errorf("status %d: %s", status, text)
	}
}

// zeros is a body that never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// TestAHundredMegabytes: a message that is too long is refused, and the server serves on.
func TestAHundredMegabytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address := w.listen(serve.HTTP)
	long := func() io.Reader { return io.LimitReader(zeros{}, 100<<20) }
	for _, size := range []int64{100 << 20, -1} {
		status, _, text := post(t, address, serve.Path, io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","id":`), long()), func(r *http.Request) { r.ContentLength = max(size, 0) })
		if status != http.StatusRequestEntityTooLarge && status != 0 { // 0: it hung up before all was sent
			t.Errorf("status %d: %.200s", status, text)
		}
	}
	if status, _, text := post(t, address, serve.Path, strings.NewReader(initialize), nil); status != 200 {
		t.Errorf("status %d: %s", status, text)
	}
	conn, err := net.Dial("tcp", address) //nolint:noctx // a test of what no client does
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // only read
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: %s\r\n\r\n", strings.Repeat("x", 100_000))
	if line, _ := bufio.NewReader(conn).ReadString('\n'); !strings.Contains(line, "431") {
		t.Errorf("a long head: %q", line)
	}
}

// theRealProgramListens: with its own token file, and it ends by a signal.
func theRealProgramListens(t *testing.T, file string) {
	t.Helper()
	for flag, wire := range map[string]serve.Wire{"--http": serve.HTTP, "--websocket": serve.WebSocket} {
		w := newWorld(t)
		home := t.TempDir()
		secret := filepath.Join(home, "secret")
		if err := os.WriteFile(secret, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), file, "mcp", "serve", "--folder", w.dir, flag, ":0", "--token-file", secret)
		cmd.Env = []string{"HOME=" + home}
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = 20 * time.Second
		var out bytes.Buffer
		cmd.Stdout = &out
		notes, err := cmd.StderrPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(notes).ReadString('\n')
		_, rest, ok := strings.Cut(line, "://")
		address, _, _ := strings.Cut(rest, "/")
		if err != nil || !ok || !strings.HasPrefix(address, "127.0.0.1:") || strings.Contains(line, token) {
			t.Fatalf("it says %q, %v", line, err)
		}
		c := w.dial("2025-11-25", transport(wire, address), yes)
		if r, text, err := c.try("write_file", newFile); err != nil || r.IsError || w.holds("b.txt") != "made\n" {
			t.Errorf("%q, %v", text, err)
		}
		_ = c.Close()
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil || out.Len() > 0 {
			t.Errorf("it ended with %v and printed %q", err, out.String())
		}
	}
}

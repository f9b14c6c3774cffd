package websocket_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	library "github.com/coder/websocket"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/tools/mcp/websocket"
)

// serve serves one tool, and returns the address and a channel that gets how each session ended.
func serve(t *testing.T, idle time.Duration) (address string, ended <-chan error) {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, in struct{ Text string }) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil, nil
	})
	ends := make(chan error, 10)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		transport, err := websocket.Accept(w, r, idle)
		if err == nil {
			err = server.Run(t.Context(), transport)
		}
		ends <- err
	}))
	t.Cleanup(web.Close)
	return "ws" + strings.TrimPrefix(web.URL, "http"), ends
}

func TestBothSides(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		address, ended := serve(t, time.Minute)
		c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &websocket.Dialer{URL: address, Client: http.DefaultClient}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"", "a\nb", strings.Repeat("ä", 100_000)} {
			r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"Text": text}})
			if err != nil || len(r.Content) != 1 || r.Content[0].(*mcp.TextContent).Text != text {
				t.Errorf("%.20q: %+v, %v", text, r, err)
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Errorf("the server's side ended with %v", err)
		}
	}
}

// TestWhatEndsAConnection: each with a code of its own.
func TestWhatEndsAConnection(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kind library.MessageType
		data string
		idle time.Duration
		code library.StatusCode
	}{
		"too long":  {library.MessageText, `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", websocket.MaxMessage), time.Minute, library.StatusMessageTooBig},
		"binary":    {library.MessageBinary, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, time.Minute, library.StatusUnsupportedData},
		"no JSON":   {library.MessageText, `hello`, time.Minute, library.StatusInvalidFramePayloadData},
		"a batch":   {library.MessageText, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, time.Minute, library.StatusInvalidFramePayloadData},
		"not UTF-8": {library.MessageText, "\xff\xfe", time.Minute, library.StatusInvalidFramePayloadData},
		"idle":      {0, "", time.Millisecond, library.StatusGoingAway},
	} {
		address, ended := serve(t, tt.idle)
		c, _, err := library.Dial(t.Context(), address, &library.DialOptions{Subprotocols: []string{websocket.Subprotocol}}) //nolint:bodyclose // there is none
		if err != nil {
			t.Fatal(name, err)
		}
		if tt.kind != 0 {
			_ = c.Write(t.Context(), tt.kind, []byte(tt.data)) // the server may end it before all was sent
		}
		if _, _, err := c.Read(t.Context()); library.CloseStatus(err) != tt.code {
			t.Errorf("%s: it ended with %v", name, err)
		}
		if err := <-ended; err == nil && tt.kind != 0 {
			t.Errorf("%s: the session ended well", name)
		}
		_ = c.CloseNow()
	}
}

// TestTheSubprotocolIsNeeded: by both sides.
func TestTheSubprotocolIsNeeded(t *testing.T) {
	t.Parallel()
	address, ended := serve(t, time.Minute)
	c, _, err := library.Dial(t.Context(), address, nil) //nolint:bodyclose // there is none
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Read(t.Context()); library.CloseStatus(err) != library.StatusPolicyViolation {
		t.Errorf("a client without it: %v", err)
	}
	if err := <-ended; err == nil {
		t.Error("a session began")
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, err := library.Accept(w, r, nil); err == nil {
			_, _, _ = c.Read(r.Context())
		}
	}))
	defer other.Close()
	if _, err := (&websocket.Dialer{URL: "ws" + strings.TrimPrefix(other.URL, "http"), Client: http.DefaultClient}).Connect(t.Context()); err == nil || !strings.Contains(err.Error(), "subprotocol") {
		t.Errorf("a server without it: %v", err)
	}
}

// TestACancelledCallKeepsTheConnection: the library would end it if a message were cut.
func TestACancelledCallKeepsTheConnection(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, time.Minute)
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &websocket.Dialer{URL: address, Client: http.DefaultClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // the test is over
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.ListTools(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := c.ListTools(t.Context(), nil); err != nil {
		t.Errorf("after a cancelled call: %v", err)
	}
}

package serve_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/tools/mcp/serve"
	"github.com/assent-ls/assent/tools/usagelog"
)

// asks calls write_file and returns the question.
func (c *client) asks() *mcp.CallToolResult {
	c.Helper()
	r, err := c.CallTool(c.Context(), &mcp.CallToolParams{Name: "write_file", Arguments: newFile})
	if err != nil || r.RequestState == "" {
		c.Fatalf("%+v, %v", r, err)
	}
	return r
}

// answers sends a call again with a yes to its question.
func (c *client) answers(state string, arguments any) (*mcp.CallToolResult, error) {
	return c.CallTool(c.Context(), &mcp.CallToolParams{
		Name: "write_file", Arguments: arguments, RequestState: state,
		InputResponses: mcp.InputResponseMap{state: &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "Approve once"}}},
	})
}

// TestOpenQuestionsOfOneClient: there are only so many, and the others ask on.
func TestOpenQuestionsOfOneClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c, other := w.manual(t), w.manual(t)
	for range 32 {
		c.asks()
	}
	if r, text, err := c.try("write_file", newFile); err != nil || !r.IsError || !strings.Contains(text, "Too many questions") {
		t.Errorf("%q, %v", text, err)
	}
	if r, err := other.answers(other.asks().RequestState, newFile); err != nil || r.IsError || w.holds("b.txt") == "" {
		t.Errorf("another client: %+v, %v", r, err)
	}
}

// TestManyNames: those of clients without sessions that come and go cost nobody else the answer to a question.
func TestManyNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address := w.listen(serve.HTTP)
	named := func(name string) *client {
		session, err := mcp.NewClient(&mcp.Implementation{Name: name}, &mcp.ClientOptions{
			Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{}}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
		}).Connect(t.Context(), transport(serve.HTTP, address), &mcp.ClientSessionOptions{ProtocolVersion: "2026-07-28"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		return &client{T: t, ClientSession: session}
	}
	c := named("first")
	state := c.asks().RequestState
	for i := range 70 {
		if _, _, err := named(fmt.Sprint("other ", i)).try("read_file", map[string]any{"path": "a.txt"}); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := c.answers(state, newFile); err != nil || r.IsError || w.holds("b.txt") == "" {
		t.Errorf("%+v, %v", r, err)
	}
	reader := named("reader")
	if _, _, err := reader.try("read_file", map[string]any{"path": "a.txt"}); err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		if _, _, err := named(fmt.Sprint("more ", i)).try("read_file", map[string]any{"path": "a.txt"}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := reader.CallTool(t.Context(), &mcp.CallToolParams{Name: "edit_file", Arguments: map[string]any{"path": "a.txt", "old_text": "one", "new_text": "1"}})
	if err != nil || r.RequestState == "" {
		t.Errorf("what it has read is forgotten: %+v, %v", r, err)
	}
}

// TestUnansweredCallsAreLogged: however a question ends without an answer that counts.
func TestUnansweredCallsAreLogged(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world){
		"a wrong retry": func(w *world) {
			c := w.manual(w.T)
			_, _ = c.answers(c.asks().RequestState, map[string]any{"path": "b.txt", "content": "other"})
		},
		"the server ends": func(w *world) {
			w.manual(w.T).asks()
			w.server.Close()
		},
		"nobody answers": func(w *world) {
			w.manual(w.T).asks()
			time.Sleep(10 * time.Minute) // of a bubble
		},
		"the client cancels": func(w *world) {
			ctx, cancel := context.WithCancel(w.Context())
			defer cancel()
			c := w.connect("2025-11-25", func(ctx context.Context, _ *mcp.ElicitParams) (*mcp.ElicitResult, error) {
				cancel()
				<-ctx.Done()
				return nil, ctx.Err()
			})
			_, _ = c.CallTool(ctx, &mcp.CallToolParams{Name: "write_file", Arguments: newFile})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				end(w)
				synctest.Wait() // it is kept a little after the client has its answer
				entries, _, err := usagelog.New(w.state).Entries()
				if err != nil || len(entries) != 1 || entries[0].Tool != "write_file" || entries[0].Outcome != usagelog.Refused || w.holds("b.txt") != "" {
					t.Errorf("the log has %+v, %v", entries, err)
				}
			})
		})
	}
}

package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/mcp/serve"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/usagelog"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

func TestMain(m *testing.M) {
	sandboxtest.Handle()
	shelltest.Main(m)
}

// The two generations of the protocol.
var generations = []string{"2025-11-25", "2026-07-28"}

// world is a folder with its server.
type world struct {
	confined *tools.Sources // of a confined world

	*testing.T
	dir     string
	ws      *workspace.Workspace
	state   *userstate.State
	policy  *policy.Policy
	more    *source
	server  *serve.Server
	options serve.Options
}

// source has the tools that a test adds.
type source struct {
	mu      sync.Mutex
	list    []tools.Tool
	changed chan struct{}
}

func (s *source) Name() string { return "the test" }

func (s *source) Tools(context.Context) ([]tools.Tool, <-chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = make(chan struct{})
	return s.list, s.changed, nil
}

func (s *source) set(list ...tools.Tool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = list
	if s.changed != nil {
		close(s.changed)
	}
}

func newWorld(t *testing.T, change ...func(*serve.Options)) *world {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ws")
	w := &world{T: t, dir: dir, more: &source{}}
	w.write("a.txt", "one\ntwo\n")
	var err error
	if w.ws, err = workspace.Open(dir, workspace.NoBuffers{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.ws.Close() })
	if w.state, err = userstate.OpenState(filepath.Join(t.TempDir(), "state")); err != nil {
		t.Fatal(err)
	}
	w.policy = policy.New(w.state)
	t.Cleanup(w.policy.Flush)
	w.policy.UseFiles(filepath.Join(dir, "..", "permissions.json"), func(string, string, []byte) (bool, string) { return false, "" })
	sources := tools.NewSources(builtin.Tools(w.ws, builtin.Options{Shell: shelltest.New()}), w.more)
	o := serve.Options{
		Version: "test", Log: slog.New(slog.DiscardHandler), Poll: 20 * time.Millisecond,
		Tools: func(ctx context.Context) (*tools.Dispatcher, error) {
			r, err := sources.Now(ctx)
			return tools.NewDispatcher(r, w.policy, w.ws).LogTo(usagelog.New(w.state)), err
		},
	}
	for _, f := range change {
		f(&o)
	}
	w.options, w.server = o, serve.New(o)
	t.Cleanup(w.server.Close)
	return w
}

func (w *world) write(name, text string) {
	w.Helper()
	abs := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(abs, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

// holds is the text of a file; empty: there is none.
func (w *world) holds(name string) string {
	data, _ := os.ReadFile(filepath.Join(w.dir, name))
	return string(data)
}

func (w *world) allow(rules string) {
	w.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, "..", "permissions.json"), []byte(rules), 0o600); err != nil {
		w.Fatal(err)
	}
}

// client is a program that is connected.
type client struct {
	*testing.T
	*mcp.ClientSession
	asked   chan *mcp.ElicitParams // what it was asked
	changed chan struct{}          // list_changed
	notes   chan string            // progress and log
	ended   chan struct{}          // closed when the server's side has ended
}

// connect connects a client in memory. answer gives the answers to questions; nil: it cannot be asked.
func (w *world) connect(version string, answer func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)) *client {
	w.Helper()
	near, far := mcp.NewInMemoryTransports()
	ended := w.run(far)
	c := w.dial(version, near, answer)
	c.ended = ended
	return c
}

// run serves a client, and waits for its end before the test's folders go: calls that it breaks off are put into the
// log.
func (w *world) run(far mcp.Transport) (ended chan struct{}) {
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		_ = w.server.Run(context.Background(), far)
	}()
	w.Cleanup(func() {
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			w.Error("the session did not end")
		}
	})
	return ended
}

// dial connects a client on a transport.
func (w *world) dial(version string, t mcp.Transport, answer func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)) *client {
	w.Helper()
	c := &client{T: w.T, asked: make(chan *mcp.ElicitParams, 10), changed: make(chan struct{}, 10), notes: make(chan string, 100)}
	o := &mcp.ClientOptions{
		Capabilities:           &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { c.changed <- struct{}{} },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			c.notes <- "progress " + r.Params.Message
		},
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) {
			text, _ := r.Params.Data.(string)
			c.notes <- "log " + text
		},
	}
	if answer != nil {
		o.ElicitationHandler = func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			c.asked <- r.Params
			return answer(ctx, r.Params)
		}
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "a\u202eclient", Version: "1"}, o).Connect(w.Context(), t, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = session.Close() })
	c.ClientSession = session
	return c
}

// says answers all questions alike.
func says(action string, content map[string]any) func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	return func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: action, Content: content}, nil
	}
}

var yes = says("accept", map[string]any{"answer": "Approve once"})

// try calls a tool; text is that of the result.
func (c *client) try(name string, arguments any) (result *mcp.CallToolResult, text string, err error) {
	result, err = c.CallTool(c.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err == nil {
		text = textOf(result)
	}
	return result, text, err
}

func textOf(r *mcp.CallToolResult) string {
	var all strings.Builder
	for _, part := range r.Content {
		if text, ok := part.(*mcp.TextContent); ok {
			all.WriteString(text.Text)
		}
	}
	return all.String()
}

// made is a tool of the test.
func made(name string, does effect.Effect, run func(context.Context, tools.Reporter) tools.Result) tools.Tool {
	return tools.Define(tools.Spec{Name: name, Description: "A tool of the test.", Effect: does, Origin: tools.FromServer("test")},
		func(context.Context, tools.Call, struct{}) (tools.Plan, error) {
			return tools.Plan{Target: name, Binding: name, Run: run}, nil
		})
}

func codeOf(err error) int64 {
	if wire, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return wire.Code
	}
	return 0
}

func eachGeneration(t *testing.T, test func(t *testing.T, version string)) {
	for _, version := range generations {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			test(t, version)
		})
	}
}

func TestListAndCall(t *testing.T) {
	t.Parallel()
	eachGeneration(t, func(t *testing.T, version string) {
		w := newWorld(t)
		c := w.connect(version, nil)
		names := map[string]*mcp.Tool{}
		for tool, err := range c.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			names[tool.Name] = tool
		}
		if names["read_file"] == nil || !names["read_file"].Annotations.ReadOnlyHint || names["write_file"] == nil || names["write_file"].Annotations.ReadOnlyHint {
			t.Errorf("the tools are %v", slices.Sorted(maps.Keys(names)))
		}
		for _, chat := range []string{"ask_user", "todo", "tool_search"} {
			if _, _, err := c.try(chat, map[string]any{}); names[chat] != nil || codeOf(err) != jsonrpc.CodeInvalidParams || !strings.Contains(err.Error(), "is of use in a chat") {
				t.Errorf("%s is offered, or refused with %v", chat, err)
			}
		}
		if r, text, err := c.try("read_file", map[string]any{"path": "a.txt"}); err != nil || r.IsError || !strings.Contains(text, "one\ntwo") {
			t.Errorf("%q, %v", text, err)
		}
		if r, text, err := c.try("read_file", map[string]any{"path": "b.txt"}); err != nil || !r.IsError || !strings.Contains(text, "b.txt") {
			t.Errorf("a failure is %q, %v", text, err)
		}
		for _, wrong := range []struct {
			name      string
			arguments any
			want      string
		}{
			{"raed_file", map[string]any{"path": "a.txt"}, `Did you mean "read_file"? The tools are: calculator, `},
			{"read_file", map[string]any{}, `"path" is missing. The schema of read_file is {`},
			{"read_file", map[string]any{"path": []string{"a.txt"}}, "The schema of read_file"},
			{"read_file", "a.txt", "must be a JSON object"},
			{strings.Repeat("x", 10_000), map[string]any{}, "There is no tool"},
			{"", map[string]any{}, "There is no tool"},
		} {
			if _, _, err := c.try(wrong.name, wrong.arguments); codeOf(err) != jsonrpc.CodeInvalidParams || !strings.Contains(err.Error(), wrong.want) || len(err.Error()) > 1000 {
				t.Errorf("%q with %v: %v", wrong.name[:min(20, len(wrong.name))], wrong.arguments, err)
			}
		}
	})
}

// TestWhatACallChangedIsTold to who keeps it for review; of a call that did nothing, nothing.
func TestWhatACallChangedIsTold(t *testing.T) {
	t.Parallel()
	var told []string
	w := newWorld(t, func(o *serve.Options) {
		o.Changed = func(tool string, changes []tools.FileChange) {
			for _, c := range changes {
				told = append(told, fmt.Sprintf("%s: %s %v %q", tool, filepath.Base(c.Path), c.Before == nil, *c.After))
			}
		}
	})
	c := w.connect(generations[0], yes)
	for _, arguments := range []map[string]any{{"path": "a.txt"}, newFile} {
		tool := "read_file"
		if arguments["content"] != nil {
			tool = "write_file"
		}
		if r, text, err := c.try(tool, arguments); err != nil || r.IsError {
			t.Fatalf("%q, %v", text, err)
		}
	}
	if want := []string{`write_file: b.txt true "made\n"`}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// TestAClientThatReadsNothing: the server can be stopped although what it says is not read.
func TestAClientThatReadsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in, toServer := io.Pipe()
	_, out := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.server.Run(ctx, serve.Stdio(in, out)) }()
	if _, err := io.WriteString(toServer, initialize+"\n"); err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Error("it does not end")
	}
}

// TestPages: more tools than a page has are all listed, once each.
func TestPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var many []tools.Tool
	for i := range 250 {
		many = append(many, made("t"+string(rune('a'+i/100))+string(rune('a'+i/10%10))+string(rune('a'+i%10)), effect.Computes, func(context.Context, tools.Reporter) tools.Result { return tools.Text("x") }))
	}
	w.more.set(many...)
	c := w.connect("2025-11-25", nil)
	seen := map[string]bool{}
	for tool, err := range c.Tools(t.Context(), nil) {
		if err != nil || seen[tool.Name] {
			t.Fatalf("%v, %v", tool, err)
		}
		seen[tool.Name] = true
	}
	if first, err := c.ListTools(t.Context(), nil); err != nil || len(first.Tools) != 100 || first.NextCursor == "" || len(seen) < 260 {
		t.Errorf("a page has %d tools, all are %d: %v", len(first.Tools), len(seen), err)
	}
	if _, err := c.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: "nonsense"}); codeOf(err) != jsonrpc.CodeInvalidParams {
		t.Errorf("a wrong cursor: %v", err)
	}
}

func TestAChangedListIsTold(t *testing.T) {
	t.Parallel()
	eachGeneration(t, func(t *testing.T, version string) {
		w := newWorld(t)
		c := w.connect(version, nil)
		if _, err := c.ListTools(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		select {
		case <-c.changed:
			t.Error("a change is told where there is none")
		default:
		}
		w.more.set(made("late", effect.Computes, func(context.Context, tools.Reporter) tools.Result { return tools.Text("here") }))
		select {
		case <-c.changed:
		case <-time.After(20 * time.Second):
			t.Fatal("nobody told that there is a new tool")
		}
		if _, text, err := c.try("late", map[string]any{}); err != nil || text != "here" {
			t.Errorf("%q, %v", text, err)
		}
		w.more.set()
		select {
		case <-c.changed:
		case <-time.After(20 * time.Second):
			t.Fatal("nobody told that a tool is gone")
		}
		if _, _, err := c.try("late", map[string]any{}); codeOf(err) != jsonrpc.CodeInvalidParams {
			t.Errorf("a tool that is gone: %v", err)
		}
	})
}

func TestResultsOfAllKinds(t *testing.T) {
	t.Parallel()
	picture, err := os.ReadFile("testdata/dot.png")
	if err != nil {
		t.Fatal(err)
	}
	image, err := content.NewImage(picture)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.more.set(made("all", effect.Computes, func(context.Context, tools.Reporter) tools.Result {
		return tools.Result{Parts: []content.Part{
			content.Text("text"), image,
			content.Audio{Type: "audio/wav", Data: []byte("RIFF")},
			content.Link{URI: "file:///x", Type: "text/plain"},
			content.Resource{Link: content.Link{URI: "file:///y"}, Text: "inside"},
			content.Value{JSON: json.RawMessage(`{"n":1}`)},
		}}
	}), made("list", effect.Computes, func(context.Context, tools.Reporter) tools.Result {
		return tools.Result{Parts: []content.Part{content.Value{JSON: json.RawMessage(`[1]`)}}}
	}), made("silent", effect.Computes, func(context.Context, tools.Reporter) tools.Result { return tools.Result{Failed: true} }),
		made("panics", effect.Computes, func(context.Context, tools.Reporter) tools.Result { panic("oh") }))
	c := w.connect("2025-11-25", nil)
	r, _, err := c.try("all", map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, part := range r.Content {
		kinds = append(kinds, strings.TrimPrefix(strings.Split(strings.TrimPrefix(fmt.Sprintf("%T", part), "*mcp."), " ")[0], "mcp."))
	}
	if want := "TextContent ImageContent AudioContent ResourceLink EmbeddedResource TextContent"; strings.Join(kinds, " ") != want {
		t.Errorf("the kinds are %v", kinds)
	}
	if value, ok := r.StructuredContent.(map[string]any); !ok || value["n"] != 1.0 {
		t.Errorf("the value is %v", r.StructuredContent)
	}
	if r, text, err := c.try("list", map[string]any{}); err != nil || r.StructuredContent != nil || text != "[1]" {
		t.Errorf("a list is %v, %q, %v", r, text, err)
	}
	if r, text, err := c.try("silent", map[string]any{}); err != nil || !r.IsError || text == "" {
		t.Errorf("a failure without words is %v, %v", r, err)
	}
	if r, text, err := c.try("panics", map[string]any{}); err != nil || !r.IsError || !strings.Contains(text, "The tool failed: oh") {
		t.Errorf("a panic is %v, %v", r, err)
	}
}

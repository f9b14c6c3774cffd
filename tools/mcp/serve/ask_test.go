package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/mcp/serve"
	"github.com/assent-ls/assent/tools/usagelog"
)

var newFile = map[string]any{"path": "b.txt", "content": "made\n"}

// TestAQuestionIsPutInFull: what the person sees names the program, the tool, the target and what would happen.
func TestAQuestionIsPutInFull(t *testing.T) {
	t.Parallel()
	eachGeneration(t, func(t *testing.T, version string) {
		w := newWorld(t)
		c := w.connect(version, yes)
		if r, text, err := c.try("write_file", newFile); err != nil || r.IsError || w.holds("b.txt") != "made\n" {
			t.Fatalf("%q, %v, the file holds %q", text, err, w.holds("b.txt"))
		}
		q := <-c.asked
		for _, want := range []string{"a<U+202E>client, a program that is connected", "write_file", "b.txt", "+made", "It changes a file."} {
			if !strings.Contains(q.Message, want) {
				t.Errorf("the question lacks %q:\n%s", want, q.Message)
			}
		}
		schema, _ := q.RequestedSchema.(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		answer, _ := properties["answer"].(map[string]any)
		if choices, _ := answer["enum"].([]any); len(properties) != 1 || len(choices) != 2 || choices[0] != "Deny" || choices[1] != "Approve once" || answer["default"] != nil {
			t.Errorf("the form is %v", schema)
		}
		entries, _, err := usagelog.New(w.state).Entries()
		if err != nil || len(entries) != 1 || entries[0].Caller != "remote" || entries[0].Client != "a<U+202E>client" || entries[0].Verdict != "ask" || entries[0].Outcome != usagelog.OK {
			t.Errorf("the log has %+v, %v", entries, err)
		}
	})
}

// TestOnlyApproveOnceApproves: every other answer, of whatever shape, denies, and an approval is good for one call.
func TestOnlyApproveOnceApproves(t *testing.T) {
	t.Parallel()
	eachGeneration(t, func(t *testing.T, version string) {
		for name, answer := range map[string]func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error){
			"declined":            says("decline", nil),
			"cancelled":           says("cancel", nil),
			"declined with a yes": says("decline", map[string]any{"answer": "Approve once"}),
			"denied":              says("accept", map[string]any{"answer": "Deny"}),
			"accepted, no answer": says("accept", nil),
			"accepted, empty":     says("accept", map[string]any{}),
			"another case":        says("accept", map[string]any{"answer": "approve once"}),
			"another key":         says("accept", map[string]any{"Answer": "Approve once"}),
			"two keys":            says("accept", map[string]any{"answer": "Approve once", "more": true}),
			"a number":            says("accept", map[string]any{"answer": 1}),
			"a list":              says("accept", map[string]any{"answer": []string{"Approve once"}}),
			"true":                says("accept", map[string]any{"answer": true}),
			"an odd action":       says("Accept", map[string]any{"answer": "Approve once"}),
			"no action":           says("", map[string]any{"answer": "Approve once"}),
			"an error": func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
				return nil, errors.New("the window was closed")
			},
		} {
			w := newWorld(t)
			c := w.connect(version, answer)
			r, text, err := c.try("write_file", newFile)
			if w.holds("b.txt") != "" || err == nil && !r.IsError {
				t.Errorf("%s: the file holds %q: %q, %v", name, w.holds("b.txt"), text, err)
			}
			if err == nil && !strings.Contains(text, "nothing was done") {
				t.Errorf("%s: %q", name, text)
			}
		}
		w := newWorld(t)
		c := w.connect(version, yes)
		for _, name := range []string{"b.txt", "c.txt"} {
			if _, text, err := c.try("write_file", map[string]any{"path": name, "content": "x\n"}); err != nil || w.holds(name) != "x\n" {
				t.Fatalf("%q, %v", text, err)
			}
		}
		if len(c.asked) != 2 {
			t.Errorf("two calls were asked about %d times", len(c.asked))
		}
	})
}

// TestNobodyToAsk: without elicitation nothing is done, and the sentence names the rule that would allow it; with that
// rule it runs.
// Promise 1.
func TestNobodyToAsk(t *testing.T) {
	t.Parallel()
	eachGeneration(t, func(t *testing.T, version string) {
		w := newWorld(t)
		w.write(".env", "SECRET=1\n")
		c := w.connect(version, nil)
		for name, call := range map[string]struct {
			tool, want string
			arguments  map[string]any
		}{
			"a file":         {"write_file", `{"allow":[{"tool":"write_file","effect":"edits"}]}`, newFile},
			"a protected":    {"read_file", "No rule can allow it.", map[string]any{"path": ".env"}},
			"a loose end":    {"run_command", "No rule can allow it", map[string]any{"command": "echo $(date) > b.txt"}},
			"a deleted file": {"delete_file", `{"allow":[{"tool":"delete_file"}]}`, map[string]any{"path": "a.txt"}},
		} {
			r, text, err := c.try(call.tool, call.arguments)
			if err != nil || !r.IsError || !strings.Contains(text, call.want) || !strings.Contains(text, "nothing was done") || w.holds("b.txt") != "" || w.holds("a.txt") == "" || strings.Contains(text, "SECRET") {
				t.Errorf("%s: %q, %v", name, text, err)
			}
		}
		w.allow(`{"allow":[{"tool":"write_file","effect":"edits"}]}`)
		if r, text, err := c.try("write_file", newFile); err != nil || r.IsError || w.holds("b.txt") != "made\n" {
			t.Errorf("%q, %v", text, err)
		}
		w.allow(`{"allow":[{"tool":"delete_file"}]}`)
		if r, text, err := c.try("delete_file", map[string]any{"path": "b.txt"}); err != nil || r.IsError || w.holds("b.txt") != "" {
			t.Errorf("%q, %v", text, err)
		}
		broken := newWorld(t)
		broken.allow(`{"allow":[{"tool":"delete_file"}`)
		if _, text, err := broken.connect(version, nil).try("delete_file", map[string]any{"path": "a.txt"}); err != nil || broken.holds("a.txt") == "" || !strings.Contains(text, "is mended") || strings.Contains(text, "can allow") {
			t.Errorf("with a broken file of rules: %q, %v", text, err)
		}
		w.allow(`{"deny":[{"tool":"write_file"}]}`)
		if r, text, err := c.try("write_file", map[string]any{"path": "d.txt", "content": "x"}); err != nil || !r.IsError || !strings.Contains(text, "Refused") || w.holds("d.txt") != "" {
			t.Errorf("%q, %v", text, err)
		}
	})
}

// TestAnAnswerIsGoodForItsQuestion: in the protocol without sessions an answer belongs to one question, one call and
// one client, and is used up.
func TestAnAnswerIsGoodForItsQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	raw := func(c *client, p *mcp.CallToolParams) (*mcp.CallToolResult, error) { return c.CallTool(t.Context(), p) }
	c, other := w.manual(t), w.manual(t)
	ask := func() (string, *mcp.CallToolParams) {
		r, err := raw(c, &mcp.CallToolParams{Name: "write_file", Arguments: newFile})
		if err != nil || len(r.InputRequests) != 1 || r.RequestState == "" || w.holds("b.txt") != "" {
			t.Fatalf("%+v, %v", r, err)
		}
		return r.RequestState, &mcp.CallToolParams{
			Name: "write_file", Arguments: newFile, RequestState: r.RequestState,
			InputResponses: mcp.InputResponseMap{r.RequestState: &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "Approve once"}}},
		}
	}
	for name, change := range map[string]func(*mcp.CallToolParams){
		"other arguments": func(p *mcp.CallToolParams) { p.Arguments = map[string]any{"path": "b.txt", "content": "evil\n"} },
		"another tool":    func(p *mcp.CallToolParams) { p.Name = "delete_file" },
		"another id":      func(p *mcp.CallToolParams) { p.RequestState += "x" },
		"no id":           func(p *mcp.CallToolParams) { p.RequestState = "" },
		"another question": func(p *mcp.CallToolParams) {
			p.InputResponses = mcp.InputResponseMap{"other": p.InputResponses[p.RequestState]}
		},
		"a list of roots": func(p *mcp.CallToolParams) {
			p.InputResponses = mcp.InputResponseMap{p.RequestState: &mcp.ListRootsResult{}}
		},
	} {
		_, p := ask()
		change(p)
		if r, err := raw(c, p); err == nil && !r.IsError || w.holds("b.txt") != "" || w.holds("a.txt") == "" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	_, p := ask()
	if r, err := raw(other, p); err == nil && !r.IsError || w.holds("b.txt") != "" {
		t.Errorf("the answer of another session: %+v, %v", r, err)
	}
	_, p = ask()
	if r, err := raw(c, p); err != nil || r.IsError || w.holds("b.txt") != "made\n" {
		t.Errorf("the right answer: %+v, %v", r, err)
	}
	w.write("b.txt", "mine\n")
	if _, err := raw(c, p); codeOf(err) != jsonrpc.CodeInvalidParams || w.holds("b.txt") != "mine\n" {
		t.Errorf("the same answer again: %v, the file holds %q", err, w.holds("b.txt"))
	}
}

// manual connects a client that answers no question by itself.
func (w *world) manual(t *testing.T) *client {
	near, far := mcp.NewInMemoryTransports()
	w.run(far)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "manual"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{}}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	}).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return &client{T: t, ClientSession: session}
}

// TestWhatChangedIsAskedAgain: an approval does not cover what became of the call while the person thought.
func TestWhatChangedIsAskedAgain(t *testing.T) {
	t.Parallel()
	eachGeneration(t, func(t *testing.T, version string) {
		w := newWorld(t)
		c := w.connect(version, func(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			w.write("a.txt", "one\nthree\n")
			return yes(ctx, p)
		})
		if _, _, err := c.try("read_file", map[string]any{"path": "a.txt"}); err != nil {
			t.Fatal(err)
		}
		r, text, err := c.try("edit_file", map[string]any{"path": "a.txt", "old_text": "one\n", "new_text": "four\n"})
		if err != nil || !r.IsError || w.holds("a.txt") != "one\nthree\n" {
			t.Errorf("%q, %v, the file holds %q", text, err, w.holds("a.txt"))
		}
	})
}

// TestSessionsShareNothing: what one read the other did not, and one's approval is not the other's.
func TestSessionsShareNothing(t *testing.T) {
	t.Parallel()
	eachGeneration(t, func(t *testing.T, version string) {
		w := newWorld(t)
		reader, other := w.connect(version, yes), w.connect(version, says("decline", nil))
		if _, _, err := reader.try("read_file", map[string]any{"path": "a.txt"}); err != nil {
			t.Fatal(err)
		}
		edit := map[string]any{"path": "a.txt", "old_text": "one", "new_text": "1"}
		if r, text, err := other.try("edit_file", edit); err != nil || !r.IsError || len(other.asked) != 0 || !strings.Contains(text, "two") {
			t.Errorf("who has not read the file: %q, %v", text, err)
		}
		if r, text, err := reader.try("edit_file", edit); err != nil || r.IsError || w.holds("a.txt") != "1\ntwo\n" {
			t.Errorf("who has read it: %q, %v", text, err)
		}
		if r, text, err := other.try("write_file", newFile); err != nil || !r.IsError || w.holds("b.txt") != "" {
			t.Errorf("after the other one approved: %q, %v", text, err)
		}
	})
}

// TestNothingRunsForAClientThatIsGone: it leaves while its question waits, by cancelling or by hanging up.
func TestNothingRunsForAClientThatIsGone(t *testing.T) {
	t.Parallel()
	for _, hangsUp := range []bool{false, true} {
		w := newWorld(t)
		asked := make(chan struct{})
		c := w.connect("2025-11-25", func(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			close(asked)
			<-ctx.Done()
			return yes(ctx, p)
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "write_file", Arguments: newFile})
			ended <- err
		}()
		<-asked
		if hangsUp {
			go func() { _ = c.Close() }()
			w.server.Close()
		}
		cancel()
		if err := <-ended; err == nil {
			t.Error("the call ended well")
		}
		_ = c.Close()
		select {
		case <-c.ended:
		case <-time.After(20 * time.Second):
			t.Error("the session did not end")
		}
		if w.holds("b.txt") != "" {
			t.Error("it ran")
		}
	}
}

// TestNobodyAnswers: a question does not wait for ever.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *serve.Options) { o.Wait = 50 * time.Millisecond })
	c := w.connect("2025-11-25", func(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if r, text, err := c.try("write_file", newFile); err != nil || !r.IsError || !strings.Contains(text, "Nobody answered within 50ms") || w.holds("b.txt") != "" {
		t.Errorf("%q, %v", text, err)
	}
	w = newWorld(t, func(o *serve.Options) { o.Wait = time.Nanosecond })
	m := w.manual(t)
	r, err := m.CallTool(t.Context(), &mcp.CallToolParams{Name: "write_file", Arguments: newFile})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.CallTool(t.Context(), &mcp.CallToolParams{
		Name: "write_file", Arguments: newFile, RequestState: r.RequestState,
		InputResponses: mcp.InputResponseMap{r.RequestState: &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "Approve once"}}},
	})
	if codeOf(err) != jsonrpc.CodeInvalidParams || w.holds("b.txt") != "" {
		t.Errorf("an answer that comes too late: %v", err)
	}
}

// TestCancelledWithin250ms: the tool is told at once that its call was cancelled.
func TestCancelledWithin250ms(t *testing.T) {
	t.Parallel()
	eachGeneration(t, func(t *testing.T, version string) {
		w := newWorld(t)
		runs, stopped := make(chan struct{}), make(chan struct{})
		w.more.set(made("slow", effect.Computes, func(ctx context.Context, _ tools.Reporter) tools.Result {
			close(runs)
			<-ctx.Done()
			close(stopped)
			return tools.Failed("stopped")
		}))
		c := w.connect(version, nil)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _, _ = c.CallTool(ctx, &mcp.CallToolParams{Name: "slow", Arguments: map[string]any{}}) }()
		<-runs
		start := time.Now()
		cancel()
		<-stopped
		if took := time.Since(start); took > 250*time.Millisecond {
			t.Errorf("it took %v", took)
		}
	})
}

// TestReportsComeBeforeTheResult: progress if a token was sent, output as log, each in its order.
func TestReportsComeBeforeTheResult(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.more.set(made("reports", effect.Computes, func(_ context.Context, r tools.Reporter) tools.Result {
		r.Progress(0, 2, "starts")
		r.Output("printed")
		r.Progress(1, 2, "half")
		r.Progress(1, 2, "again") // progress must grow
		r.Progress(2, 2, "whole")
		return tools.Text("done")
	}), made("notes", effect.Computes, func(_ context.Context, r tools.Reporter) tools.Result {
		r.Progress(0, 0, "first")
		r.Progress(0, 0, "second")
		return tools.Text("done")
	}))
	c := w.connect("2025-11-25", nil)
	if err := c.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		tool  string
		token any
		want  []string
	}{
		{"reports", "t", []string{"progress starts", "log printed", "progress half", "progress whole"}},
		{"reports", nil, []string{"log printed"}},
		{"notes", 7, []string{"progress first", "progress second"}},
	} {
		p := &mcp.CallToolParams{Name: tt.tool, Arguments: map[string]any{}}
		if tt.token != nil {
			p.SetProgressToken(tt.token)
		}
		if _, err := c.CallTool(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		for _, want := range tt.want {
			if got := <-c.notes; got != want {
				t.Errorf("%s reports %q, want %q", tt.tool, got, want)
			}
		}
		if len(c.notes) > 0 {
			t.Errorf("%s reports %q, too", tt.tool, <-c.notes)
		}
	}
}

// TestAToolAsksThePerson: what they fill in is its result if it fits the form, and a client that cannot ask gets
// nothing.
func TestAToolAsksThePerson(t *testing.T) {
	t.Parallel()
	eachGeneration(t, func(t *testing.T, version string) {
		form := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
		for name, tt := range map[string]struct {
			form    json.RawMessage
			content map[string]any
			want    string // empty: it fails
		}{
			"a form":         {form, map[string]any{"n": 7}, `{"n":7}`},
			"a wrong form":   {form, map[string]any{"n": "seven"}, ""},
			"an empty form":  {form, map[string]any{}, ""},
			"a text":         {nil, map[string]any{"answer": "blue"}, "blue"},
			"an empty text":  {nil, map[string]any{"answer": ""}, ""},
			"more than text": {nil, map[string]any{"answer": "blue", "x": 1}, ""},
		} {
			w := newWorld(t)
			w.more.set(asks{tt.form})
			c := w.connect(version, says("accept", tt.content))
			r, text, err := c.try("asks", map[string]any{})
			if tt.want != "" && (err != nil || r.IsError || text != tt.want) || tt.want == "" && err == nil && !r.IsError {
				t.Errorf("%s: %q, %v", name, text, err)
			}
			if r, text, err := w.connect(version, nil).try("asks", map[string]any{}); err != nil || !r.IsError || !strings.Contains(text, "nothing was done") {
				t.Errorf("%s, where nobody can be asked: %q, %v", name, text, err)
			}
		}
	})
}

// asks is a tool that asks the person.
type asks struct{ form json.RawMessage }

func (asks) Spec() tools.Spec {
	return tools.Spec{Name: "asks", Parameters: json.RawMessage(`{"type":"object"}`), Effect: effect.Asks, Origin: tools.FromServer("test")}
}

func (a asks) Plan(context.Context, tools.Call) (tools.Plan, error) {
	return tools.Plan{Target: "Which?", Binding: "asks", Form: a.form}, nil
}

// TestAskedVersion: a client that begins a session by asking for the version without sessions gets the one before it,
// and its questions.
func TestAskedVersion(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2026-07-28", "9999-12-31", "2025-11-25"} {
		w := newWorld(t)
		near, far := mcp.NewInMemoryTransports()
		w.run(far)
		conn, err := near.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		send := func(text string) {
			message, err := jsonrpc.DecodeMessage([]byte(text))
			if err == nil {
				err = conn.Write(t.Context(), message)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		receive := func() string {
			message, err := conn.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			text, err := jsonrpc.EncodeMessage(message)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`)
		if text := receive(); !strings.Contains(text, `"protocolVersion":"2025-11-25"`) {
			t.Errorf("%s: %s", version, text)
		}
		send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"write_file","arguments":{"path":"b.txt","content":"x"}}}`)
		if text := receive(); !strings.Contains(text, `"method":"elicitation/create"`) || strings.Contains(text, `"result"`) {
			t.Errorf("%s: instead of a question there is %s", version, text)
		}
		_ = conn.Close()
	}
}

package session_test

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/trace"
	"github.com/assent-ls/assent/internal/network"
)

// collector is a server that takes traces and reads them with OpenTelemetry's own types.
type collector struct {
	*httptest.Server
	t *testing.T

	mu    sync.Mutex
	raw   string // all that was posted
	spans []seen
}

// seen is a span as it arrived, its attributes as texts.
type seen struct {
	*otlp.Span
	id, parent, trace string
	attributes        map[string]string
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{t: t}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
		c.t.Errorf("%s %s %v: %v", r.Method, r.URL, r.Header, err)
	}
	var data otlp.TracesData
	if err := protojson.Unmarshal(body, &data); err != nil { // it refuses fields and types that the protocol does not have
		c.t.Errorf("%v in %s", err, body)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw += string(body)
	for _, resource := range data.ResourceSpans {
		if of := texts(resource.Resource.Attributes); of["service.name"] != "assent" || of["service.version"] != "v7" {
			c.t.Errorf("the resource has %v", of)
		}
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				c.spans = append(c.spans, seen{s, c.id(s.SpanId, 8), c.id(s.ParentSpanId, 8), c.id(s.TraceId, 16), texts(s.Attributes)})
			}
		}
	}
	fmt.Fprint(w, `{"partialSuccess":{}}`)
}

// id is an ID of so many bytes. The JSON of OpenTelemetry has it in hexadecimal, which protojson takes for base64.
func (c *collector) id(read []byte, size int) string {
	id := base64.StdEncoding.EncodeToString(read)
	if raw, err := hex.DecodeString(id); id != "" && (err != nil || len(raw) != size) {
		c.t.Errorf("%q is no ID of %d bytes: %v", id, size, err)
	}
	return id
}

func texts(attributes []*common.KeyValue) map[string]string {
	all := map[string]string{}
	for _, a := range attributes {
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			all[a.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			all[a.Key] = fmt.Sprint(v.IntValue)
		case *common.AnyValue_DoubleValue:
			all[a.Key] = fmt.Sprint(v.DoubleValue)
		case *common.AnyValue_ArrayValue:
			all[a.Key] = fmt.Sprintf("%d %s", len(v.ArrayValue.Values), v.ArrayValue.Values[0].GetStringValue())
		}
	}
	return all
}

// traced makes the lab send traces, and returns how to get the spans.
func (l *lab) traced(c *collector, content bool) func() []seen {
	l.t.Helper()
	if l.backend.Installed == nil {
		l.backend.Installed = []model.Info{{Name: "scripted", Capabilities: []string{"completion", "tools"}, ContextLimit: 8192}}
	}
	l.backend.Installed[0].Endpoint = model.Endpoint{Kind: "vllm", Address: "gpu.example", Port: 8000}
	e, err := trace.New(trace.Options{Endpoint: c.URL, Content: content, Version: "v7", Network: network.New(false, nil)})
	if err != nil {
		l.t.Fatal(err)
	}
	l.env.Traces, l.env.Warn = e, func(sentence string) { l.t.Error(sentence) }
	return func() []seen {
		e.Close()
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.spans
	}
}

// ordered checks the parents and the times of the spans of whole runs, and lists their names in the order of their
// beginnings.
func ordered(t *testing.T, spans []seen) string {
	t.Helper()
	roots := map[string]seen{}
	for _, s := range spans {
		if s.parent == "" {
			roots[s.trace] = s
		}
	}
	ids, names := map[string]bool{}, ""
	for _, root := range spans {
		if root.parent != "" {
			continue
		}
		names += root.Name + "\n"
		var last uint64
		for _, s := range spans {
			if s.trace != root.trace || s.parent == "" {
				continue
			}
			names += "  " + s.Name + "\n"
			if s.parent != root.id || s.StartTimeUnixNano < max(root.StartTimeUnixNano, last) || s.EndTimeUnixNano > root.EndTimeUnixNano || s.EndTimeUnixNano < s.StartTimeUnixNano {
				t.Errorf("%s: parent %s of %s, from %d to %d; the run from %d to %d", s.Name, s.parent, root.id, s.StartTimeUnixNano, s.EndTimeUnixNano, root.StartTimeUnixNano, root.EndTimeUnixNano)
			}
			last = s.StartTimeUnixNano
		}
	}
	for _, s := range spans {
		if _, known := roots[s.trace]; !known || ids[s.id] {
			t.Errorf("%s: the ID %s is there twice, or its run is not there", s.Name, s.id)
		}
		ids[s.id] = true
	}
	return names
}

// has checks attributes of the nth span with a name.
func has(t *testing.T, spans []seen, name string, n int, want map[string]string) seen {
	t.Helper()
	for _, s := range spans {
		if s.Name != name {
			continue
		}
		if n--; n > 0 {
			continue
		}
		for key, value := range want {
			if s.attributes[key] != value {
				t.Errorf("%s: %s is %q, not %q", name, key, s.attributes[key], value)
			}
		}
		return s
	}
	t.Fatalf("there is no such span: %s", name)
	return seen{}
}

// TestTraceOfARun holds a conversation with a call that fails, one that a person approves, and a reply that is stopped.
func TestTraceOfARun(t *testing.T) {
	counted := agenttest.CallTool("read_file", `{"path":"missing.md"}`)
	counted.Chunks = append(counted.Chunks, model.Chunk{Done: &model.Done{Reason: "stop", PromptTokens: 120, OutputTokens: 7, LoadTime: time.Second}})
	l := newLab(t, counted, agenttest.CallTool("edit_file", theEdit), agenttest.Say("Done."), agenttest.Reply{Hang: true, Chunks: []model.Chunk{{Text: "Well"}}})
	c := newCollector(t)
	spans := l.traced(c, false)
	s := l.chat("ask.chat.md", ask)

	const took = 30 * time.Millisecond // a person's decision
	question := l.waiting(s)
	time.Sleep(took)
	if err := s.Answer(question.ID, event.Answer{Kind: event.Once}); err != nil {
		t.Fatal(err)
	}
	if end, err := s.Wait(); err != nil || end.Outcome != event.Completed {
		t.Fatal(end, err)
	}
	l.write("ask.chat.md", l.read("ask.chat.md")+"And now?\n")
	if err := s.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := agenttest.WaitFor(t.Context(), l.events, func(e event.TextDelta) bool { return e.Text == "Well" }); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if end, err := s.Wait(); err != nil || end.Outcome != event.Stopped {
		t.Fatal(end, err)
	}

	all := spans()
	if got, want := ordered(t, all), `invoke_agent assent
  chat scripted
  execute_tool read_file
  chat scripted
  execute_tool edit_file
  chat scripted
invoke_agent assent
  chat scripted
`; got != want {
		t.Errorf("the spans are\n%s", got)
	}
	first := has(t, all, "chat scripted", 1, map[string]string{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "vllm", "gen_ai.request.model": "scripted", "server.address": "gpu.example", "server.port": "8000",
		"gen_ai.usage.input_tokens": "120", "gen_ai.usage.output_tokens": "7", "gen_ai.response.finish_reasons": "1 stop", "assent.model.load.duration": "1", "error.type": "",
	})
	failed := has(t, all, "execute_tool read_file", 1, map[string]string{
		"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "read_file", "gen_ai.tool.call.id": "c1", "gen_ai.tool.type": "function",
		"assent.call.outcome": "failed", "error.type": "tool_error", "assent.call.waited": "",
	})
	edited := has(t, all, "execute_tool edit_file", 1, map[string]string{"assent.call.outcome": "ok", "error.type": "", "gen_ai.tool.call.id": "c2"})
	run := has(t, all, "invoke_agent assent", 1, map[string]string{
		"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "assent", "gen_ai.provider.name": "vllm", "gen_ai.request.model": "scripted",
		"assent.run.outcome": "completed", "assent.run.steps": "3", "error.type": "",
	})
	stopped := has(t, all, "invoke_agent assent", 2, map[string]string{
		"assent.run.outcome": "stopped", "error.type": "", "gen_ai.conversation.id": run.attributes["gen_ai.conversation.id"],
	})
	has(t, all, "chat scripted", 4, map[string]string{"error.type": "", "gen_ai.response.finish_reasons": ""})
	if first.Kind != otlp.Span_SPAN_KIND_CLIENT || failed.Kind != otlp.Span_SPAN_KIND_INTERNAL || run.Kind != otlp.Span_SPAN_KIND_INTERNAL {
		t.Error(first.Kind, failed.Kind, run.Kind)
	}
	if failed.Status.GetCode() != otlp.Status_STATUS_CODE_ERROR || edited.Status != nil || run.Status != nil || stopped.Status != nil {
		t.Error(failed.Status, edited.Status, run.Status, stopped.Status)
	}
	var waited float64
	if _, err := fmt.Sscan(edited.attributes["assent.call.waited"], &waited); err != nil || waited < took.Seconds() || waited > time.Duration(edited.EndTimeUnixNano-edited.StartTimeUnixNano).Seconds() {
		t.Errorf("the call waited %q: %v", edited.attributes["assent.call.waited"], err)
	}
	if run.attributes["assent.run.waited"] != edited.attributes["assent.call.waited"] || len(run.attributes["gen_ai.conversation.id"]) != 16 {
		t.Error(run.attributes)
	}
}

// TestATraceWithoutContentSaysNothing: a whole run of secrets, in each place where content could be.
// Promise 9. Invariant 16.
func TestATraceWithoutContentSaysNothing(t *testing.T) {
	const secret = "hunter2"
	replies := []agenttest.Reply{
		agenttest.CallTool("read_file", `{"path":"`+secret+`.md"}`),
		agenttest.CallTool("edit_file", strings.ReplaceAll(theEdit, "Hello", secret)),
		{Chunks: []model.Chunk{{Thinking: secret}, {Text: secret}}, Err: &model.Error{Kind: model.Incomplete, Sentence: secret, Cause: errors.New(secret)}},
	}
	for _, content := range []bool{false, true} {
		l := newLab(t, replies...)
		c := newCollector(t)
		spans := l.traced(c, content)
		s := l.chat(secret+".chat.md", ask+secret+"\n")
		question := l.waiting(s)
		if err := s.Answer(question.ID, event.Answer{Kind: event.Deny, Text: secret}); err != nil {
			t.Fatal(err)
		}
		if end, err := s.Wait(); err != nil || end.Outcome != event.Broken {
			t.Fatal(end, err)
		}
		all := spans()
		has(t, all, "execute_tool edit_file", 1, map[string]string{"assent.call.outcome": "denied", "error.type": ""})
		run := has(t, all, "invoke_agent assent", 1, map[string]string{"assent.run.outcome": "broken", "error.type": "incomplete"})
		if said := strings.Contains(c.raw, secret); said != content || run.Status.GetMessage() != "" != content {
			t.Errorf("with content %v it says: %s", content, c.raw)
		}
		if !content {
			continue
		}
		has(t, all, "execute_tool edit_file", 1, map[string]string{"gen_ai.tool.call.arguments": strings.ReplaceAll(theEdit, "Hello", secret)})
		last := has(t, all, "chat scripted", 3, map[string]string{
			"error.type": "incomplete", "gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"hunter2"}],"finish_reason":"error"}]`,
		})
		for _, part := range []string{`{"role":"system",`, `{"role":"user",`, `"type":"tool_call",`, `"type":"tool_call_response",`, `"name":"edit_file",`, "The user denied this call"} {
			if asked := last.attributes["gen_ai.input.messages"]; !strings.Contains(asked, part) {
				t.Errorf("without %s: %s", part, asked)
			}
		}
	}
}

// TestContentIsBounded: what others wrote is cut, and it is said; bytes that are no text do not pass.
func TestContentIsBounded(t *testing.T) {
	long := ""
	for i := range 12_000 {
		long += fmt.Sprintf("ä\xff%d ", i)
	}
	l := newLab(t, agenttest.CallTool("read_file", `{"path":"`+strings.Repeat("ä", 30_000)+`"}`), agenttest.Say(long), agenttest.Say("Well."))
	l.env.Options.ContextSize = 200_000
	l.backend.Installed = []model.Info{{Name: "scripted", Capabilities: []string{"completion", "tools"}, ContextLimit: 200_000}}
	c := newCollector(t)
	spans := l.traced(c, true)
	s := l.chat("ask.chat.md", ask)
	for range 2 {
		if err := s.Send(t.Context()); err != nil {
			t.Fatal(err)
		}
		if end, err := s.Wait(); err != nil || end.Outcome != event.Completed {
			t.Fatal(end, err)
		}
		l.write("ask.chat.md", l.read("ask.chat.md")+"More?\n")
	}
	all := spans()
	for name, key := range map[string]string{"execute_tool read_file": "gen_ai.tool.call.arguments", "chat scripted": "gen_ai.output.messages"} {
		text := has(t, all, name, 1, nil).attributes[key]
		if len(text) > 36<<10 || len(text) < 30<<10 || !utf8.ValidString(text) || !strings.Contains(text, "bytes more are left out of this trace]") {
			t.Errorf("%s has %d bytes: %.100s", key, len(text), text)
		}
	}
	asked := has(t, all, "chat scripted", 3, nil).attributes["gen_ai.input.messages"]
	if len(asked) > 36<<10 || !strings.Contains(asked, "More?") || !strings.Contains(asked, "messages are left out of this trace]") {
		t.Errorf("it has %d bytes: %.200s", len(asked), asked)
	}
}

// TestALongRunIsSentInParts: and calls that run side by side each have their own time.
func TestALongRunIsSentInParts(t *testing.T) {
	const steps = 22
	l := newLab(t)
	n := 0
	l.backend.Then = func(model.Request) agenttest.Reply {
		if n++; n > steps {
			return agenttest.Say("Done.")
		}
		var calls []model.Call
		for i := range 2 {
			calls = append(calls, model.Call{Name: "list_directory", Arguments: fmt.Appendf(nil, `{"path":"d%d"}`, 2*n+i)})
		}
		return agenttest.Reply{Chunks: []model.Chunk{{Calls: calls}}}
	}
	l.env.Options.MaxSteps = steps + 1
	c := newCollector(t)
	spans := l.traced(c, false)
	s := l.chat("ask.chat.md", ask)
	if err := s.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, err := s.Wait(); err != nil || end.Outcome != event.Completed {
		t.Fatal(end, err)
	}
	all := spans()
	if len(all) != 3*steps+2 || strings.Count(c.raw, `{"resourceSpans"`) < 2 {
		t.Errorf("%d spans in %d requests", len(all), strings.Count(c.raw, `{"resourceSpans"`))
	}
	ordered(t, all)
}

// TestTracesHoldNothingUp: collectors that do not take traces cost a sentence, once for each time that it begins.
// Promise 9.
func TestTracesHoldNothingUp(t *testing.T) {
	var mu sync.Mutex
	status, hits := http.StatusServiceUnavailable, 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect is followed") }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		hits++
		w.Header().Set("Location", elsewhere.URL)
		w.WriteHeader(status)
		fmt.Fprint(w, `{"partialSuccess":{"rejectedSpans":"2","errorMessage":"no room"}}`)
	}))
	defer server.Close()
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword("me", "hunter2")
	l := newLab(t)
	l.backend.Then = func(model.Request) agenttest.Reply { return agenttest.Say("Done.") }
	if l.env.Traces, err = trace.New(trace.Options{Endpoint: address.String(), Network: network.New(false, nil)}); err != nil {
		t.Fatal(err)
	}
	said := ""
	l.env.Warn = func(sentence string) { said += sentence + "\n" }
	s := l.chat("ask.chat.md", ask)
	send := func(answer int) string {
		t.Helper()
		mu.Lock()
		status = answer
		mu.Unlock()
		if err := s.Send(t.Context()); err != nil {
			t.Fatal(err)
		}
		if end, err := s.Wait(); err != nil || end.Outcome != event.Completed {
			t.Fatal(end, err)
		}
		l.env.Traces.Close() // waits
		l.write("ask.chat.md", l.read("ask.chat.md")+"More?\n")
		defer func() { said = "" }()
		return said
	}
	for i, step := range []struct {
		answer int
		says   string
	}{
		{http.StatusServiceUnavailable, "503 Service Unavailable"},
		{http.StatusServiceUnavailable, ""},
		{http.StatusTemporaryRedirect, ""},
		{http.StatusNoContent, ""},
		{http.StatusTemporaryRedirect, "it sends us elsewhere"},
		{http.StatusNoContent, ""},
		{http.StatusOK, "it did not take 2 spans: no room"},
	} {
		got := send(step.answer)
		if strings.Contains(got, "hunter2") || !strings.Contains(got, step.says) || (got == "") != (step.says == "") {
			t.Errorf("run %d says %q", i+1, got)
		}
	}
	if hits != 7 {
		t.Errorf("%d requests", hits)
	}
}

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// collected is a collector of traces that counts spans; answer, if there is one, is waited for before each answer.
type collected struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	answer chan struct{}
}

func collect(t *testing.T) *collected {
	t.Helper()
	c := &collected{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if c.answer != nil {
			<-c.answer
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bodies = append(c.bodies, string(body))
	}))
	t.Cleanup(c.Close)
	return c
}

// runs counts the runs whose traces arrived.
func (c *collected) runs() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Count(strings.Join(c.bodies, ""), `"name":"invoke_agent assent"`)
}

const justAnswers = "turn repeat\njson {\"answer\":\"Over.\"}\n"

// everywhere is what somebody else than the user could say to switch traces on.
func (s *user) everywhere(address string) {
	s.t.Helper()
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "ASSENT_TRACE_ENDPOINT", "TRACE_ENDPOINT"} {
		s.t.Setenv(name, address)
	}
	s.t.Setenv("OTEL_TRACES_EXPORTER", "otlp")
	s.t.Setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
	s.write(".assent/settings.json", fmt.Sprintf(`{"traceEndpoint":%q,"traceContent":true}`, address))
	s.write(".env", "OTEL_EXPORTER_OTLP_ENDPOINT="+address+"\n")
}

// TestNothingIsTracedUnasked: neither the environment nor a workspace switches traces on, or puts content into them.
// Promise 9. Invariant 16.
func TestNothingIsTracedUnasked(t *testing.T) {
	theirs, own := collect(t), collect(t)
	s := newUser(t, justAnswers)
	s.everywhere(theirs.URL)
	run := func(args ...string) string {
		t.Helper()
		_, notes, status := s.run(append([]string{"run", "--folder", s.root, "Is hunter2 my word?"}, args...)...)
		if status != 0 {
			t.Fatal(status, notes)
		}
		return notes
	}
	for _, key := range []string{"traceEndpoint", "traceContent"} {
		if notes := run(); !strings.Contains(notes, "In the workspace's settings file, "+key+": a workspace may not set it") {
			t.Error(notes)
		}
	}
	if theirs.runs() != 0 {
		t.Errorf("%d traces were sent", theirs.runs())
	}
	run("--trace-endpoint", own.URL)
	s.settings(fmt.Sprintf(`{"traceEndpoint":%q}`, own.URL))
	run()
	if theirs.runs() != 0 || own.runs() != 2 || strings.Contains(strings.Join(own.bodies, ""), "hunter2") {
		t.Errorf("%d traces were sent to the wrong place, %d to the right one: %s", theirs.runs(), own.runs(), own.bodies)
	}
	run("--trace-content")
	if !strings.Contains(strings.Join(own.bodies, ""), "hunter2") {
		t.Errorf("the content is missing: %s", own.bodies)
	}
}

// TestTheOneTraceOfARunArrives: the program ends right after its run, and waits for its trace, but not for long.
func TestTheOneTraceOfARunArrives(t *testing.T) {
	c := collect(t)
	c.answer = make(chan struct{}, 1)
	s := newUser(t, justAnswers)
	run := func() (string, time.Duration) {
		t.Helper()
		began := time.Now()
		_, notes, status := s.run("run", "--folder", s.root, "--trace-endpoint", c.URL, "Hello?")
		if status != 0 {
			t.Fatal(status, notes)
		}
		return notes, time.Since(began)
	}
	time.AfterFunc(300*time.Millisecond, func() { c.answer <- struct{}{} })
	if notes, _ := run(); c.runs() != 1 || strings.Contains(notes, "traces") {
		t.Errorf("%d traces arrived: %s", c.runs(), notes)
	}
	notes, took := run()
	close(c.answer)
	if !strings.Contains(notes, "Not all traces arrived at "+c.URL+"/v1/traces (traceEndpoint in your settings): the program ended before they were sent.") || took > 20*time.Second {
		t.Errorf("after %v: %s", took, notes)
	}
	for _, refused := range []string{"127.0.0.1:4318", "ftp://host"} {
		_, notes, status := s.run("run", "--folder", s.root, "--trace-endpoint", refused, "Hello?")
		if status != exitUsage || !strings.Contains(notes, "(traceEndpoint) cannot be used: write http://HOST:PORT") {
			t.Errorf("%s: status %d: %s", refused, status, notes)
		}
	}
	if chats, err := filepath.Glob(filepath.Join(s.root, ".assent", "chats", "*.chat.md")); err != nil || len(chats) != 2 {
		t.Errorf("a run that was refused left a chat: %v, %v", chats, err)
	}
}

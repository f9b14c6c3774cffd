package mcp_test

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools"
)

// R05: what a server does wrong once it is known fails its calls alone, in one sentence and in time, and another server
// answers.
func TestAServerThatFailsInACall(t *testing.T) {
	for mode, want := range map[string]string{
		"long-answer":   "it sent a message of more than 16 MB",
		"closes-input":  "The server ended during the call, which may have had effects: it ",
		"closes-output": "it closed the connection",
	} {
		t.Run(mode, func(t *testing.T) {
			p := newPlace(t)
			p.source.Hurry(30*time.Second, time.Hour, time.Hour)
			p.declares("bad", fake(mode), "good", fake("pages"))
			d, _ := p.now()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			begun := time.Now()
			r := p.run(d, "echo", `{}`)
			took := time.Since(begun)
			runtime.ReadMemStats(&after)
			said := tools.Unfence(r.Text())
			if contains(t, said, want); !r.Failed || strings.Contains(said, "\n") || took > 20*time.Second {
				t.Errorf("%+v after %v", r, took)
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 200<<20 {
				t.Errorf("it took %d MB", grown>>20)
			}
			contains(t, p.run(d, "tool_7", `{}`).Text(), "one of many")
			begun = time.Now()
			if p.sources.Close(); time.Since(begun) > 5*time.Second {
				t.Errorf("it was closed after %v", time.Since(begun))
			}
		})
	}
}

// R05: what is on the network, likewise.
func TestAServerElsewhereThatFailsInACall(t *testing.T) {
	t.Setenv("TOKEN", "canary-of-the-token")
	events := func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, text)
		w.(http.Flusher).Flush()
	}
	sent := 0 // MB of events
	for name, c := range map[string]struct {
		called http.HandlerFunc
		want   string
	}{
		"a stream that stays open": {func(w http.ResponseWriter, r *http.Request) { events(w, ": there\n\n"); <-r.Context().Done() }, "was ended at its time limit"},
		"half an event":            {func(w http.ResponseWriter, r *http.Request) { events(w, "data: {\"jsonrpc\":"); <-r.Context().Done() }, "was ended at its time limit"},
		// Of these two the time limit may come first: the SDK asks for the rest again for some seconds.
		"a stream that ends": {func(w http.ResponseWriter, _ *http.Request) { events(w, ": there\n\n") }, ""},
		"events without an end": {func(w http.ResponseWriter, r *http.Request) {
			piece := "data: " + strings.Repeat("x", 1<<20) + "\n"
			for sent = 0; r.Context().Err() == nil; sent++ {
				events(w, piece)
			}
		}, ""},
		"no session":  {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such session", http.StatusNotFound) }, "session not found"},
		"no entry":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "Unauthorized"},
		"a page":      {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, "unsupported content type"},
		"its failure": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, "Internal Server Error"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusTemporaryRedirect)
		}, "it redirects to http://169.254.169.254, which is not followed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, brokenSite(c.called))
			p := newPlace(t)
			p.source.HurryCalls(2 * time.Second)
			p.declares("bad", remote("http", addressOf("http", s)), "good", fake("pages"))
			d, problems := p.now()
			if problems != "" {
				t.Fatal(problems)
			}
			begun := time.Now()
			r := p.run(d, "echo", `{}`)
			took, said := time.Since(begun), tools.Unfence(r.Text())
			if contains(t, said, c.want); !r.Failed || strings.Contains(said, "\n") || took > 15*time.Second || strings.Contains(said, "canary") {
				t.Errorf("%+v after %v", r, took)
			}
			contains(t, p.run(d, "tool_7", `{}`).Text(), "one of many")
			begun = time.Now()
			if p.sources.Close(); time.Since(begun) > 5*time.Second {
				t.Errorf("it was closed after %v", time.Since(begun))
			}
		})
	}
	if sent > 64 {
		t.Errorf("%d MB of one event were taken", sent)
	}
}

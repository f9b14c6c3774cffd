package mcp_test

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/mcp"
)

// A start has an end, also if the server floods us and reads nothing, or takes a request and never answers it.
func TestAStartEnds(t *testing.T) {
	silent := newSite(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	for name, server := range map[string]map[string]any{
		"flood": fake("asks-and-reads-nothing"), "silent": {"url": silent.URL}, "silent, sse": {"url": silent.URL, "type": "sse"},
	} {
		p := newPlace(t)
		p.source.Hurry(time.Second, time.Hour, time.Hour)
		p.declares("bad", server, "good", fake("echo"))
		begun := time.Now()
		d, problems := p.now()
		if names(d) != "echo" || !strings.Contains(problems, "did not answer in time") && !strings.Contains(problems, "did not read what was sent") {
			t.Errorf("%s: %s: %s", name, names(d), problems)
		}
		p.sources.Close()
		if took := time.Since(begun); took > 6*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
	}
}

// A server that stops to read holds up neither the tools of others, nor, for long, a call.
func TestAServerThatStopsReading(t *testing.T) {
	p := newPlace(t)
	p.source.Hurry(10*time.Second, time.Hour, time.Hour)
	p.declares("stuck", fake("stops-reading"), "good", fake("pages"))
	d, problems := p.now()
	if problems != "" {
		t.Fatal(problems)
	}
	contains(t, p.run(d, "echo", `{}`).Text(), "yes")
	q := d.Prepare(t.Context(), call("echo", `{"text":"`+strings.Repeat("x", 1<<20)+`"}`))
	result := make(chan tools.Result)
	go func() {
		r, _ := d.Execute(context.WithoutCancel(t.Context()), q.Approved(), nil)
		result <- r
	}()
	p.source.AwaitChange("stuck") // it says so once it is called, and reads no more
	ctx, cancel := context.WithTimeout(t.Context(), 1200*time.Millisecond)
	defer cancel()
	if list, _, err := p.source.Tools(ctx); len(list) != 250 || err == nil {
		t.Errorf("%d tools, %v", len(list), err)
	}
	if r := <-result; !r.Failed || !strings.Contains(r.Text(), "it did not read what was sent to it") {
		t.Errorf("%.300s", r.Text())
	}
	p.sources.Close() // the test ends, whatever the server does
}

// A secret is hidden whole, also if another is part of it, and as JSON spells it.
func TestSecretsAreHiddenWhole(t *testing.T) {
	for text, want := range map[string]string{
		"token-and-more": "[secret]", "token": "[secret]", `say a"b<c`: "say [secret]", `{"x":"a\"b<c"}`: `{"x":"[secret]"}`,
		`{"x":"a\"b\u003cc"}`: `{"x":"[secret]"}`,
	} {
		if got := mcp.Hide(text, "token", "token-and-more", `a"b<c`); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// What a server says about its tools is read by models, and kept: without its secrets.
func TestADescriptionHasNoSecret(t *testing.T) {
	t.Setenv("TOKEN", "canary-of-the-token")
	says := filepath.Join(t.TempDir(), "says")
	file(t, says, "it is canary-of-the-token")
	p := newPlace(t)
	p.declares("gets", fake("description", "SAYS", says, "TOKEN", "${env:TOKEN}"))
	d, _ := p.now()
	for _, s := range d.Registry().Specs() {
		if s.Name == "fetch" && (strings.Contains(string(s.Parameters), "canary") || !strings.Contains(string(s.Parameters), "it is [secret]")) {
			t.Errorf("%s", s.Parameters)
		}
	}
	if names(d) != "fetch" {
		t.Error(names(d))
	}
}

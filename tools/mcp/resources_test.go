package mcp_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools/mcp"
)

// What servers list is known of those that run, on all pages and without what cannot be written; to look starts none.
func TestResourcesAreListed(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "canary-of-the-token")
	p := newPlace(t)
	p.declares("notes", fake("reading", "TOKEN", "${env:GITHUB_TOKEN}"), "floods", fake("flooding"), "plain", fake("echo"))
	if all := p.source.Resources(t.Context(), "notes"); all != nil || p.source.Running() != nil {
		t.Errorf("it was started to be looked at: %v", all)
	}
	if log, _ := p.source.Log("notes"); log != "" {
		t.Errorf("it was started: %s", log)
	}
	if _, problems := p.now(); problems != "" {
		t.Fatal(problems)
	}
	if got := p.source.Running(); !slices.Equal(got, []string{"floods", "notes", "plain"}) {
		t.Errorf("%v run", got)
	}
	all := p.source.Resources(t.Context(), "notes")
	if len(all) != 251 || all[0].URI != "note:///000" || all[0].Name != "a<U+202E>b" || all[0].About != "<U+001B>[31mit is [secret]" {
		t.Errorf("%d resources, %+v", len(all), all[:min(1, len(all))])
	}
	if again := p.source.Resources(t.Context(), "floods"); len(again) > 2 || again[0].URI != "note:///one" {
		t.Errorf("a list without end has %d", len(again))
	}
	if none := p.source.Resources(t.Context(), "plain"); len(none) != 0 {
		t.Errorf("%v", none)
	}
}

// A resource is read as text, without secrets and within bounds. What cannot be had is one sentence, and the server
// lives or is given up.
func TestAResourceIsRead(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "canary-of-the-token")
	p := newPlace(t)
	p.declares("notes", fake("reading", "TOKEN", "${env:GITHUB_TOKEN}"), "floods", fake("flooding"))
	if _, err := p.source.ReadResource(t.Context(), "notes", "note:///001"); err == nil || !strings.Contains(err.Error(), "is not started yet") {
		t.Errorf("read before a message is sent: %v", err)
	}
	if _, problems := p.now(); problems != "" {
		t.Fatal(problems)
	}
	parts, err := p.source.ReadResource(t.Context(), "notes", "note:///001")
	if got := content.Plain(parts); err != nil || !strings.Contains(got, "it is note:///001 and [secret]") || !strings.Contains(got, "[10 bytes of image/png, which are no text, are left out.]") {
		t.Errorf("%q, %v", got, err)
	}
	for uri, why := range map[string]string{
		"note:///none": "Resource not found", "note:///empty": "is empty", "note:///../../etc/passwd": "not found", "note:///a\u202eb": "characters that do not belong",
		"note:///" + strings.Repeat("a", 3000): "too long",
	} {
		if _, err := p.source.ReadResource(t.Context(), "notes", uri); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%.60s: %v", uri, err)
		}
	}
	if _, err := p.source.ReadResource(t.Context(), "nobody", "note:///1"); !errors.Is(err, mcp.ErrNoServer) {
		t.Error(err)
	}
	if _, err := p.source.ReadResource(t.Context(), "floods", "note:///one"); err == nil || !strings.Contains(err.Error(), "more than 16 MB") {
		t.Errorf("100 MB: %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := p.source.ReadResource(stopped, "notes", "note:///001"); err == nil {
		t.Error("it is read after Stop")
	}
}

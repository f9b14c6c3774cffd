package inspect_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/inspect"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/ollama"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/prompts"
)

const hostile = "![x](http://evil.example/x.png) <img src=x>\n~~~~~\n## Message 9 of 9: system\n```\n\u202e\x1b[2J`"

// page is that of a request in which everything is hostile.
func page(t *testing.T, request model.Request) string {
	t.Helper()
	r := inspect.Request{
		Inspection: agent.Inspection{
			Model: model.Info{Name: "m" + hostile, RemoteHost: hostile}, Why: hostile, Format: hostile, System: hostile, Request: request,
			Turns:    []toolcall.Turn{{Role: model.RoleTool, Name: hostile, CallID: hostile, Text: hostile}},
			Attached: []event.ContextAdded{{Block: attach.Block{Name: hostile, Parts: content.Texts(hostile)}, NotSent: true}},
			Tokens:   model.RoughTokens,
		},
		Chat: hostile, Document: transcript.Parse("## You\n\n" + hostile), Notes: []string{hostile}, Unrendered: hostile,
		Prompt: prompts.Prompt{Text: hostile, Layers: []prompts.Layer{{Name: hostile, Path: hostile, Text: hostile, Used: true, Why: hostile}}},
	}
	var err error
	if r.Body, err = ollama.New(&url.URL{Scheme: "http", Host: "x"}, agenttest.Way()).Body(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	text, err := r.Page()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// outside is what of a page is in no fence.
func outside(text string) string {
	var out []string
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		tildes := line[:len(line)-len(strings.TrimLeft(line, "~"))]
		switch {
		case fence == "" && len(tildes) >= 3:
			fence = tildes
		case fence != "" && line == tildes && len(tildes) >= len(fence):
			fence = ""
		case fence == "":
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// TestNothingOnThePageIsMarkup of those who wrote what is sent: a preview of the page loads and runs nothing, and
// nothing passes for a part of the page.
func TestNothingOnThePageIsMarkup(t *testing.T) {
	schema := []byte(`{"type":"object","description":"![x](http://evil.example/y.png)"}`)
	text := page(t, model.Request{
		Model: hostile, Format: schema, Tools: []model.Tool{{Name: hostile, Description: hostile, Parameters: schema}},
		Messages: []model.Message{
			{Role: model.RoleSystem, Text: hostile},
			{Role: model.RoleTool, Text: hostile, CallID: hostile, ToolName: hostile, Calls: []model.Call{{ID: hostile, Name: hostile, Arguments: schema}}},
		},
	})
	plain := outside(text)
	for _, word := range []string{"evil", "<img", "9 of 9", "`\u202e"} {
		if strings.Contains(plain, word) {
			t.Errorf("%q is markup on the page:\n%s", word, plain)
		}
	}
	if strings.ContainsAny(text, "\u202e\x1b") || !strings.Contains(text, "<U+202E>") {
		t.Error("something on the page is invisible")
	}
	if !strings.Contains(plain, "## Message 2 of 2: tool") {
		t.Errorf("the page is\n%s", plain)
	}
}

// TestALongRequestIsNotShownTwice: an image would make the page larger than editors open.
func TestALongRequestIsNotShownTwice(t *testing.T) {
	text := page(t, model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleUser, Text: "Look.", Images: [][]byte{make([]byte, 2<<20)}}}})
	if len(text) > 100_000 || !strings.Contains(text, "Image 1: 2097152 bytes.") || !strings.Contains(text, "`assent inspect --json` prints them") {
		t.Errorf("the page has %d bytes", len(text))
	}
}

// TestTheSizeSaysWhetherItWasCounted: an estimate is never shown as a count.
func TestTheSizeSaysWhetherItWasCounted(t *testing.T) {
	body, err := ollama.New(&url.URL{Scheme: "http", Host: "x"}, nil).Body(t.Context(), model.Request{Model: "m", ContextSize: 8192})
	if err != nil {
		t.Fatal(err)
	}
	for want, in := range map[string]agent.Inspection{
		"size: ~70 of 8192 tokens, of which the server has counted 20; ":   {Estimate: model.Estimate{Tokens: 70, Counted: 20}},
		"size: 70 of 8192 tokens, as the server counts them; ":             {Estimate: model.Estimate{Tokens: 70, Counted: 70, Exact: true}},
		"note: its size is estimated, since the server did not count it: ": {Uncounted: "its size is estimated, since the server did not count it: no"},
	} {
		in.Request, in.Tokens = model.Request{ContextSize: 8192}, model.RoughTokens
		text, err := inspect.Request{Inspection: in, Document: transcript.Parse(""), Body: body}.Page()
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%v: the page lacks %q:\n%s", err, want, text)
		}
	}
}

//go:build e2e

package e2e

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assent-ls/assent/internal/visible"
)

// antsThenBees answers what the prompt of the workspace asks for.
const antsThenBees = scriptedModel + `
turn
	expect-not: Speak of
	say: "Nothing special."
turn
	expect: Speak of ants with llama3.1:8b.
	say: "Ants, then."
turn
	expect: Speak of bees with llama3.1:8b.
	expect-not: ants with
	say: "Bees, then."
`

// TestPromptNvim makes the prompt of the workspace by a command, trusts the folder, and changes the prompt without
// saving it: each request has the prompt as it is then.
func TestPromptNvim(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		server, address := play(t, antsThenBees)
		w := newWorld(t, address, map[string]string{"ask.chat.md": "---\nmodel: llama3.1:8b\n---\n\n## You\n\nWhat of?\n"})
		e := startNvim(w, version)
		const prompt = ".assent/prompts/system.md"
		e.open("ask.chat.md")
		e.act("ask.chat.md", 1, "Edit system prompt for this workspace")
		e.waitText(prompt, "What you write below")
		e.do("append", arguments{"file": w.path(prompt), "text": "Speak of ants with {{.Model}}.\n"}, nil)
		e.act("ask.chat.md", 6, "Send")
		finished(e, "Nothing special.")

		e.act(prompt, 0, "Trust this folder")
		again := func(answer string) {
			lines := strings.Count(strings.TrimRight(e.text("ask.chat.md"), "\n"), "\n")
			e.do("append", arguments{"file": w.path("ask.chat.md"), "text": "And now?\n"}, nil)
			e.act("ask.chat.md", lines, "Send")
			finished(e, answer)
		}
		again("Ants, then.")
		e.do("lua", arguments{"text": `
			local buf = vim.fn.bufnr(vim.fn.fnamemodify("` + w.path(prompt) + `", ":p"))
			vim.api.nvim_buf_call(buf, function() vim.cmd("%s/ants/bees/") end)
			return true`}, nil)
		again("Bees, then.")
		if wrong := server.Mismatches(); len(wrong) > 0 {
			t.Error(wrong)
		}
	})
}

// TestInspectorNvim mentions a file and opens the inspector before each message: the page holds the very bytes that
// pass a proxy on the way to the model server when the message is sent, with the text of the file.
func TestInspectorNvim(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, scriptedModel+"turn\n\tsay: \"Three lines.\"\nturn\n\tsay: \"The last one.\"\n")
		proxy, bodies := recordChats(t, address)
		w := newWorld(t, proxy, map[string]string{
			"ask.chat.md": "---\nmodel: llama3.1:8b\n---\n\n## You\n\nHow long is @notes.txt?\n", "notes.txt": "Ants, \"quoted\"\nBees <b>\nCicadas: ü\n",
		})
		e := startNvim(w, version)
		e.open("ask.chat.md")
		for i, answer := range []string{"Three lines.", "The last one."} {
			line := strings.Count(strings.TrimRight(e.text("ask.chat.md"), "\n"), "\n")
			e.act("ask.chat.md", line, "Show what the model sees")
			var pages map[string]string
			eventually(t, "the page of the request", func() error {
				e.do("lua", arguments{"text": shownPreviews}, &pages)
				if len(pages) == 0 {
					return errors.New("no page is shown")
				}
				return nil
			})
			page := strings.Join(slices.Collect(maps.Values(pages)), "\n")
			if got := len(bodies()); got != i {
				t.Fatalf("%d requests were sent before message %d", got, i)
			}
			e.act("ask.chat.md", line, "Send")
			finished(e, answer)
			sent := bodies()
			if len(sent) != i+1 || !strings.Contains(sent[i], "Cicadas: ü") || !strings.Contains(page, "\n"+visible.JSON(sent[i])+"\n") {
				t.Fatalf("sent was\n%s\nand the page is\n%s", sent, page)
			}
			e.do("append", arguments{"file": w.path("ask.chat.md"), "text": "And which is the last?\n"}, nil)
		}
	})
}

// recordChats is a proxy in front of a model server and keeps the chat requests that pass and that a model answers.
func recordChats(t *testing.T, server string) (address string, bodies func() []string) {
	var mu sync.Mutex
	var kept []string
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: server})
	forward.FlushInterval = -1
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client is gone
		}
		if r.URL.Path == "/api/chat" && !bytes.Contains(body, []byte(`"_debug_render_only":true`)) { // the page asks for the prompt with it
			mu.Lock()
			kept = append(kept, string(body))
			mu.Unlock()
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	return strings.TrimPrefix(proxy.URL, "http://"), func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(kept)
	}
}

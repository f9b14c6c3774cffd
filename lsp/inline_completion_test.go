package lsp_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/lsp/lsptest"
)

const inserting = "model qwen2.5-coder:1.5b\nmodel coder:1b capabilities=completion,insert\nmodel cloud:1b capabilities=completion,insert remote-host=ollama.com\n"

// completing is a lab whose user chose a model to complete code.
func completing(t *testing.T, model, script string, files map[string]string) *lab {
	t.Helper()
	config := t.TempDir()
	write(t, filepath.Join(config, "settings.json"), `{"completionModel": "`+model+`"}`)
	caps := lensing()
	caps["textDocument"] = map[string]any{"inlineCompletion": map[string]any{}}
	return newLabOf(t, config, script, lsptest.Options{Capabilities: caps}, files)
}

func (l *lab) inline(name string, trigger int, at protocol.Position) string {
	l.T.Helper()
	var list *struct{ Items []struct{ InsertText string } }
	l.must(l.Editor.Call("textDocument/inlineCompletion", map[string]any{
		"textDocument": map[string]any{"uri": l.uri(name)}, "position": at, "context": map[string]any{"triggerKind": trigger},
	}, &list))
	if list == nil || len(list.Items) == 0 {
		return ""
	}
	return list.Items[0].InsertText
}

func inserts(l *lab) (list []agenttest.Request) {
	for _, r := range l.model.Requests() {
		if r.Path == "/api/generate" && !bytes.Contains(r.Body, []byte(`"suffix":""`)) { // a model is loaded by it, too
			list = append(list, r)
		}
	}
	return list
}

// Code is completed by the model that the user chose, between what is before and behind the cursor; protected files
// and chats are not.
func TestCodeIsCompleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := completing(t, "coder:1b", inserting+"insert \"x + 1\\n}\\n\"\nturn\nhang\n", map[string]string{
			"main.go": "func a() int {\r\n\treturn 😀\r\n}\r\n", ".env": "TOKEN=secret\n", chat: "## You\n\nHi\n",
		})
		defer l.Leave()
		for _, name := range []string{"main.go", ".env", chat} {
			l.Open(name)
		}
		if !strings.Contains(string(l.Editor.Introduction()), `"inlineCompletionProvider":true`) {
			t.Error("it is not declared")
		}
		const asked, automatic = 1, 2
		if got := l.inline("main.go", asked, protocol.Position{Line: 1, Character: 8}); got != "x + 1\n}" {
			t.Errorf("got %q", got)
		}
		if got := l.inline("main.go", automatic, protocol.Position{Line: 99}); got != "x + 1\n}" {
			t.Errorf("at the end there is %q", got)
		}
		for _, name := range []string{".env", chat} {
			if got := l.inline(name, asked, protocol.Position{}); got != "" {
				t.Errorf("%s gets %q", name, got)
			}
		}
		all := inserts(l)
		if len(all) != 2 {
			t.Fatalf("there are %d requests", len(all))
		}
		var body struct{ Model, Prompt, Suffix string }
		l.must(json.Unmarshal(all[0].Body, &body))
		if body.Model != "coder:1b" || body.Prompt != "func a() int {\n\treturn " || body.Suffix != "😀\n}\n\n" {
			t.Errorf("asked %+v", body)
		}
	})
}

// A model that cannot, or runs elsewhere, is told once; without the setting nothing is declared or asked.
func TestCodeIsNotCompleted(t *testing.T) {
	for model, want := range map[string]string{
		"": "", "qwen2.5-coder:1.5b": "cannot complete code", "cloud:1b": "runs at ollama.com", "missing:1b": "missing:1b",
	} {
		synctest.Test(t, func(t *testing.T) {
			l := completing(t, model, inserting+"insert x\nturn\nhang\n", map[string]string{"main.go": program})
			defer l.Leave()
			l.Open("main.go")
			for range 3 {
				if got := l.inline("main.go", 1, protocol.Position{Line: 4}); got != "" {
					t.Errorf("%q completes %q", model, got)
				}
			}
			told := l.Messages()
			if len(inserts(l)) > 0 || want == "" && len(told) > 0 || want != "" && (len(told) != 1 || !strings.Contains(told[0], want)) {
				t.Errorf("%q: told %q", model, told)
			}
			if declared := strings.Contains(string(l.Editor.Introduction()), "inlineCompletionProvider"); declared != (model != "") {
				t.Errorf("%q: declared is %v", model, declared)
			}
		})
	}
}

// A completion never delays a chat: Send ends it, and while a reply is written nothing is asked.
func TestAChatEndsACompletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := completing(t, "coder:1b", inserting+"insert hang\nturn\npause 1s\nsay Hello.\n", map[string]string{"main.go": program, chat: "---\nmodel: qwen2.5-coder:1.5b\n---\n\n## You\n\nHi\n"})
		defer l.Leave()
		l.Open("main.go")
		l.Open(chat)
		began := time.Now()
		ended := make(chan time.Duration, 1)
		go func() {
			_ = l.inline("main.go", 1, protocol.Position{Line: 4})
			ended <- time.Since(began)
		}()
		synctest.Wait()
		if len(inserts(l)) != 1 {
			t.Error("no completion was begun")
		}
		l.must(l.Do(chat, "Hi", "Send"))
		if took := <-ended; took > time.Second {
			t.Errorf("the chat waited %v", took)
		}
		l.must(l.model.Wait(t.Context(), func(all []agenttest.Request) bool {
			return slices.ContainsFunc(all, func(r agenttest.Request) bool { return r.Path == "/api/chat" })
		}))
		if got := l.inline("main.go", 1, protocol.Position{Line: 4}); got != "" || len(inserts(l)) != 1 {
			t.Errorf("while a reply is written there is %q, and %d requests", got, len(inserts(l)))
		}
		l.WaitText(chat, "Hello.")
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("the reply took %v", took)
		}
	})
}

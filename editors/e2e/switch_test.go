//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
)

const (
	boxModel    = "box/qwen2.5-coder-7b"
	modelLine   = 1 // of the chat
	ollamaModel = "ollama/llama3.1:8b"
)

// switchStory is a chat that one line of its head moves from Ollama to llama.cpp's server. An editor takes the name
// from its list of all servers' models, by choose.
func switchStory(t *testing.T, start func(w *world) *editor, choose func(e *editor)) {
	ollama, address := play(t, scriptedModel+"turn\n\tsay: \"Ollama answers.\"\n")
	box := quirkserver.New(quirkserver.LlamaCpp)
	box.Context = 16384
	w := newWorld(t, address, map[string]string{"ask.chat.md": "---\nmodel: llama3.1:8b\n---\n\n## You\n\nWho answers?\n"})
	w.write("../config/assent/servers.json", fmt.Sprintf(`{"servers": [{"name": "box", "url": %q}]}`, box.Start(t)))
	e := start(w)
	e.keepDocuments("ask.chat.md")
	e.open("ask.chat.md")
	e.act("ask.chat.md", e.lineOf("ask.chat.md", "Who answers?"), "Send")
	finished(e, "Ollama answers.")
	if n := len(box.Chats()); n > 0 {
		t.Errorf("the other server got %d chats", n)
	}

	e.do("cursor", e.at("ask.chat.md", modelLine), nil)
	choose(e)
	e.waitText("ask.chat.md", "---\nmodel: "+boxModel+"\n---\n")
	text := strings.TrimRight(e.text("ask.chat.md"), "\n")
	e.insert("ask.chat.md", strings.Count(text, "\n"), len("## You"), "\n\nAnd now?\n")
	e.act("ask.chat.md", e.lineOf("ask.chat.md", "And now?"), "Send")
	finished(e, "Hello.")
	wholeChatWentThere(t, ollama, box)
}

// wholeChatWentThere: the server that the chat was moved to has read what was said before, and Ollama no more.
func wholeChatWentThere(t *testing.T, ollama *agenttest.Server, box *quirkserver.Server) {
	t.Helper()
	chats := box.Requests("/v1/chat/completions")
	if len(chats) == 0 || len(ollama.Chats()) != 1 {
		t.Fatalf("%d and %d chats", len(chats), len(ollama.Chats()))
	}
	var sent struct {
		Messages json.RawMessage `json:"messages"`
	}
	must(t, json.Unmarshal(chats[len(chats)-1].Body, &sent))
	for _, said := range []string{"Who answers?", "Ollama answers.", "And now?"} {
		if !strings.Contains(string(sent.Messages), said) {
			t.Errorf("%q is not in %s", said, sent.Messages)
		}
	}
}

func TestSwitchServerNvim(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		switchStory(t, func(w *world) *editor { return startNvim(w, version) }, func(e *editor) {
			keys(e, "Cmodel: <C-x><C-o>")
			eventually(e.t, "the names of all servers", func() error {
				var names []string
				e.do("lua", arguments{"text": `return vim.tbl_map(function(i) return i.word end, vim.fn.complete_info({"items"}).items)`}, &names)
				if !slices.Contains(names, boxModel) || !slices.Contains(names, ollamaModel) {
					return fmt.Errorf("offered are %q", names)
				}
				return nil
			})
			keys(e, "<C-e><C-u>model: box<C-x><C-o>")
			e.waitText("ask.chat.md", boxModel)
			keys(e, "<Esc>")
		})
	})
}

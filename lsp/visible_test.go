package lsp_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/lsptest"
)

// TestNothingHiddenReachesTheEditor puts characters that nobody sees into everything that messages, titles, diagnostics
// and outlines are made of.
// Promise 1.
func TestNothingHiddenReachesTheEditor(t *testing.T) {
	const evil = "evil\u202e\u3164\u17b4\u200b\u2800"
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\nerror-line "+evil+"\n", lsptest.Options{}, map[string]string{
			".assent/settings.json": `{"` + evil + `":1}`,
			chat:                    "## You\n\nHi " + evil + ".\n\n## Assistant\n\n```tool " + evil + " c1\n" + evil + ": [\n```\n\n```tool " + evil + " c2\na: \"" + evil + "\"\n```\n\n## You\n\nGo on.\n",
			"model.chat.md":         "---\nmodel: \"" + evil + "\"\n" + evil + ": 1\n---\n\n## You\n\nHi.\n",
		})
		defer l.Leave()
		var shown []string
		for name, needles := range map[string][]string{chat: {"## You", "```tool", "Go on"}, "model.chat.md": {"## You", "model: "}} {
			l.Open(name)
			if err := l.Do(name, "## You", "Send"); err != nil {
				shown = append(shown, err.Error())
			}
			synctest.Wait()
			l.WaitIdle()
			for _, needle := range needles {
				shown = append(shown, l.Titles(name, needle)...)
			}
			for _, d := range l.Diagnostics(name) {
				shown = append(shown, d.Message)
			}
			var symbols []protocol.DocumentSymbol
			l.must(l.Editor.Call("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": "file://" + l.Dir + "/" + name}}, &symbols))
			for _, s := range symbols {
				shown = append(shown, s.Name, s.Detail)
				for _, part := range s.Children {
					shown = append(shown, part.Name, part.Detail)
				}
			}
		}
		if _, err := l.Execute("assent.approve", map[string]any{"id": evil}); err != nil {
			shown = append(shown, err.Error())
		}
		if _, err := l.Execute(evil); err != nil {
			shown = append(shown, err.Error())
		}
		shown = append(shown, l.Messages()...)
		written := 0
		for _, text := range shown {
			if visible.Text(text) != text {
				t.Errorf("raw: %q", text)
			}
			if strings.Contains(text, "evil<U+202E><U+3164><U+17B4><U+200B><U+2800>") {
				written++
			}
		}
		if written < 5 {
			t.Errorf("only %d texts hold the word: %q", written, shown)
		}
	})
}

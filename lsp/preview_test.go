package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// TestPreviewWithoutShowDocument is for clients like Helix 25.01, which show a message in one line: it says where the preview
// is, and a hover shows all of it, whatever fences it holds.
func TestPreviewWithoutShowDocument(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		capabilities := map[string]any{"workspace": map[string]any{"applyEdit": true}, "window": map[string]any{"workDoneProgress": true}}
		l := newLab(t, "turn\njson {\"tool\":\"write_file\",\"arguments\":{\"path\":\"new.md\",\"content\":\"~~~\\none\\n~~~~\\ntwo\\n\"}}\n",
			lsptest.Options{Capabilities: capabilities}, map[string]string{chat: "## You\n\nWrite.\n"})
		defer l.Leave()
		l.Open(chat)
		l.must(l.Do(chat, "Write", "Send"))
		l.waitDiagnostic("Waits for your answer")
		l.must(l.Do(chat, "write_file", "Show what would happen"))
		path := filepath.Join(l.state.Dir(), "previews", "write_file.diff")
		want := "Hover on the call shows what would happen, and so does " + path
		l.WaitFor("the message", func() bool { return strings.Contains(strings.Join(l.Messages(), "\n"), want) })
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), "\n+two\n") {
			t.Errorf("%v: %q", err, text)
		}
		var hover protocol.Hover
		line := strings.Count(l.Text(chat)[:strings.Index(l.Text(chat), "```tool write_file")], "\n")
		at := map[string]any{"textDocument": map[string]any{"uri": "file://" + l.Dir + "/" + chat}, "position": map[string]any{"line": line, "character": 4}}
		l.must(l.Editor.Call("textDocument/hover", at, &hover))
		if shown := hover.Contents.Value; !strings.Contains(shown, "\n~~~~~diff\n") || !strings.Contains(shown, "\n+two\n~~~~~\n") {
			t.Errorf("the hover is %s", shown)
		}
	})
}

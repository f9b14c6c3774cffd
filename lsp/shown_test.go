package lsp_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// TestHoverSaysWhyAShownCallWasNotMade hovers over the block that is below a reply which quotes a call.
func TestHoverSaysWhyAShownCallWasNotMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		document := "## You\n\nHow?\n\n## Assistant\n\nSo.\n\n```malformed c1\nreason: The call of x was shown.\nwrote: \"\"\n```\n\n## You\n\n"
		l := newLab(t, "", lsptest.Options{}, map[string]string{chat: document})
		defer l.Leave()
		l.Open(chat)
		var hover protocol.Hover
		at := map[string]any{"textDocument": map[string]any{"uri": "file://" + l.Dir + "/" + chat}, "position": map[string]any{"line": 9, "character": 4}}
		l.must(l.Editor.Call("textDocument/hover", at, &hover))
		if shown := hover.Contents.Value; !strings.Contains(shown, "Told to the model: The call of x was shown.") {
			t.Errorf("the hover is %q", shown)
		}
	})
}

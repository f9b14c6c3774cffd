package lsp_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/lsptest"
)

// TestNoMessageHoldsALink: VS Code runs its own commands for links in messages, and a model or a file may write them.
func TestNoMessageHoldsALink(t *testing.T) {
	const evil = "[Show](command:workbench.action.closeWindow)"
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\nerror-line "+evil+"\n", lsptest.Options{}, map[string]string{
			".assent/settings.json": `{"` + evil + `": 1}`, chat: "## You\n\nHi.\n", "model.chat.md": "---\nmodel: \"" + evil + "\"\n---\n\n## You\n\nHi.\n",
		})
		defer l.Leave()
		var shown []string
		for _, name := range []string{chat, "model.chat.md"} {
			l.Open(name)
			if err := l.Do(name, "Hi.", "Send"); err != nil {
				shown = append(shown, err.Error())
			}
			l.WaitIdle()
		}
		if _, err := l.Execute(ext.ExplainCode, ext.Code{URI: l.uri(evil + ".txt")}); err != nil {
			shown = append(shown, err.Error())
		}
		for _, p := range l.Progress() {
			shown = append(shown, p.Lines...)
		}
		all := strings.Join(append(shown, l.Messages()...), "\n")
		if strings.Contains(all, "](command") || !strings.Contains(all, "[Show] (command") {
			t.Errorf("the editor shows\n%s", all)
		}
	})
}

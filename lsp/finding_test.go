package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/lsptest"
)

// TestChatsAreFoundByWhatWasSaid: by the method of our own, by the symbols that every editor has, and as a page; a turn
// that is saved later, too; and nothing is indexed before.
func TestChatsAreFoundByWhatWasSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "", lsptest.Options{}, map[string]string{
			chat: "## You\n\nWhy does it hang?\n\n## Assistant\n\nThe mutex is held twice.\n\n## You\n\n",
			"old.chat.md": "## You\n\nMend it.\n\n## Assistant\n\n```tool edit_file id=1\npath: README.md\nold_text: a\nnew_text: b\n```\n\n" +
				"```result 1 ok\nA mutex canary.\n```\n\n## You\n\n",
			"README.md": "a\n",
		})
		defer l.Leave()
		index := filepath.Join(l.state.Dir(), "history")
		l.Open(chat)
		l.must(l.Editor.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]string{"uri": "file://" + l.Dir + "/" + chat}}))
		if _, err := os.Stat(index); err == nil {
			t.Error("something is indexed before anybody searched")
		}
		find := func(wanted ext.ChatsWanted) (names string) {
			var found ext.FoundTurns
			l.must(l.Editor.Call(ext.FindChatsMethod, wanted, &found))
			for _, turn := range found.Turns {
				names += strings.TrimPrefix(turn.URI, "file://"+l.Dir+"/") + ":" + string(rune('0'+turn.Line)) + " " + turn.Role + ": " + turn.Excerpt + "\n"
			}
			return names
		}
		if got := find(ext.ChatsWanted{Query: "mutex"}); got != chat+":4 Assistant: The mutex is held twice.\n" {
			t.Errorf("found %q", got)
		}
		if got := find(ext.ChatsWanted{URI: "file://" + l.Dir + "/README.md"}); got != "old.chat.md:4 Assistant: README.md\n" {
			t.Errorf("that touched a file: %q", got)
		}
		l.must(os.WriteFile(filepath.Join(l.Dir, chat), []byte("## You\n\nA semaphore, then.\n"), 0o600))
		l.must(l.Editor.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]string{"uri": "file://" + l.Dir + "/" + chat}}))
		synctest.Wait()
		if got := find(ext.ChatsWanted{Query: "semaphore"}); got != chat+":0 You: A semaphore, then.\n" {
			t.Errorf("after a save: %q", got)
		}
		_, err := l.Execute("assent.pinChat", map[string]any{"uri": "file://" + l.Dir + "/" + chat})
		l.must(err)
		l.must(l.Editor.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]string{"uri": "file://" + l.Dir + "/" + chat}}))
		var symbols []protocol.SymbolInformation
		l.must(l.Editor.Call("workspace/symbol", map[string]any{"query": "semaphore"}, &symbols))
		if len(symbols) != 1 || symbols[0].Name != "A semaphore, then." {
			t.Errorf("symbols: %+v", symbols)
		}
		_, err = l.Execute("assent.searchChats", map[string]any{"query": "semaphore"})
		l.must(err)
		if _, err := l.Execute("assent.searchChats"); err == nil {
			t.Error("a search for nothing worked")
		}
	})
}

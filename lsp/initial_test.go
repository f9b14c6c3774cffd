package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assent-ls/assent/lsp"
	"github.com/assent-ls/assent/lsp/lsptest"
)

// New chats of a server that was launched with a first message begin with it, and nothing is sent.
func TestNewChatsBeginWithTheInitialPrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "", lsptest.Options{}, map[string]string{"README.md": "Helo\n"})
		l.Leave()
		launch := func(o *lsp.Options) { o.Begin = "Review README.md.\n\n## Assistant" }
		l.Env = lsptest.NewEnv(t, serveWith(t, l.state, l.config, l.transport, launch), l.Dir, lsptest.Options{})
		defer l.Leave()
		l.Open("README.md")
		_, err := l.Execute("assent.newChat")
		l.must(err)
		synctest.Wait()
		found, err := filepath.Glob(filepath.Join(l.Dir, ".assent", "chats", "*.chat.md"))
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		text, err := os.ReadFile(found[0])
		if err != nil || !strings.HasPrefix(string(text), "## You\n\nReview README.md.\n") || strings.Contains(string(text), "\n## Assistant") {
			t.Errorf("%v\n%s", err, text)
		}
		if n := len(l.model.Chats()); n != 0 {
			t.Errorf("%d messages were sent", n)
		}
	})
}

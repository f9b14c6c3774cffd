package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// TestBrokenGrantsAreToldOnce: an editor's user learns why a question is asked that "always" had answered.
func TestBrokenGrantsAreToldOnce(t *testing.T) {
	edit := `json {"tool":"edit_file","arguments":{"path":"README.md","old_text":"Helo","new_text":"Hello"}}` + "\n"
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\n"+edit+"turn\njson {\"answer\":\"Over.\"}\n", lsptest.Options{}, map[string]string{
			"README.md": "Helo\n", chat: "## You\n\nMend README.md.\n",
		})
		defer l.Leave()
		path := filepath.Join(l.state.Dir(), "grants.json")
		l.must(os.MkdirAll(l.state.Dir(), 0o700))
		l.must(os.WriteFile(path, []byte("{"), 0o600))
		l.Open(chat)
		l.must(l.Do(chat, "Mend", "Send"))
		l.WaitFor("a question", func() bool { return strings.Contains(diagnosticsOf(l), "Waits for your answer") })
		l.must(l.Do(chat, "edit_file", "Approve once"))
		l.WaitIdle()
		if told := strings.Count(strings.Join(l.Messages(), "\n"), "was broken: nothing in it counts"); told != 1 {
			t.Errorf("told %d times: %q", told, l.Messages())
		}
	})
}

package lsp_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// An editor that shows no document is told where it goes on after a command.
func TestWhereItGoesOnIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		caps := map[string]any{"workspace": map[string]any{"applyEdit": true}}
		l := newLab(t, "", lsptest.Options{Capabilities: caps}, map[string]string{"README.md": "# Title\n"})
		defer l.Leave()
		l.Open("README.md")
		_, err := l.Execute("assent.newChat")
		l.must(err)
		synctest.Wait()
		if told := strings.Join(l.Messages(), "\n"); !strings.Contains(told, "Go on here: "+l.Dir) || !strings.Contains(told, ".chat.md, line 3.") {
			t.Errorf("told %q", told)
		}
	})
}

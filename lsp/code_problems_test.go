package lsp_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/lsptest"
)

// telling is an editor whose extension tells what other servers say about main.go and of a protected file.
func telling(dir *string) lsptest.Options {
	said := func(line uint32, name, source, message string) ext.Diagnostic {
		at := ext.Position{Line: line}
		return ext.Diagnostic{URI: "file://" + *dir + "/" + name, Range: ext.Range{Start: at, End: at}, Severity: 1, Source: source, Message: message}
	}
	return lsptest.Options{
		Assent: map[string]any{"editor": []string{"diagnostics"}},
		Answer: func(method string, _ json.RawMessage) (any, error) {
			if method != ext.DiagnosticsMethod {
				return nil, errors.New("not asked for")
			}
			return ext.Diagnostics{Diagnostics: []ext.Diagnostic{
				said(4, "main.go", "gopls", "undefined: y"), said(0, "main.go", "gopls", "elsewhere"), said(4, "main.go", "assent", "ours"),
				said(0, ".env", "dotenv", "TOKEN=secret"),
			}}, nil
		},
	}
}

// An editor that sends other servers' diagnostics to nobody but our extension gets Fix this diagnostic, too.
func TestTheExtensionTellsWhatToFix(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dir string
		l := newLab(t, "turn\nhang\n", telling(&dir), map[string]string{"main.go": program})
		defer l.Leave()
		dir = l.Dir
		l.Open("main.go")
		if got := titlesOf(l.offered("main.go", at(1, 0, 1, 0), 1)); len(got) == 0 || got[0] != "Ask Assent…" {
			t.Errorf("where nothing is wrong there is %q", got)
		}
		if got := titlesOf(l.offered("main.go", at(3, 0, 5, 0), 2)); len(got) == 0 || got[0] != "Ask Assent…" {
			t.Errorf("by itself the editor was asked: %q", got)
		}
		actions := l.offered("main.go", at(4, 1, 4, 1), 1)
		if len(actions) == 0 || actions[0].Title != "Fix this diagnostic" {
			t.Fatalf("there is %q", titlesOf(actions))
		}
		const want = "## You\n\n/fix @main.go:3-6\n\n- line 5: `undefined: y` (`gopls`)\n"
		l.must(l.Choose(actions[0]))
		if text, _ := l.newest(); text != want {
			t.Errorf("got %q", text)
		}
		_, err := l.Execute("assent.fix", map[string]any{"uri": l.uri("main.go"), "position": map[string]int{"line": 4, "character": 0}})
		l.must(err)
		if text, _ := l.newest(); text != want {
			t.Errorf("the command gives %q", text)
		}
	})
}

// @diagnostics attaches what the editor's language servers say about files that the model may see; where nobody tells
// that, a sentence says so.
func TestDiagnosticsAreMentioned(t *testing.T) {
	files := map[string]string{chat: "## You\n\nWhy @diagnostics?\n", "main.go": program, ".env": "TOKEN=secret\n"}
	synctest.Test(t, func(t *testing.T) {
		var dir string
		l := newLab(t, "turn\nexpect: main.go:5: error: undefined: y (gopls)\nexpect-not: TOKEN=secret\nexpect-not: ours\nsay: So.\n", telling(&dir), files)
		defer l.Leave()
		dir = l.Dir
		l.Open(chat)
		var list struct {
			Items []struct{ Label string }
		}
		l.Ask("textDocument/completion", chat, "@diag", &list)
		if len(list.Items) != 1 || list.Items[0].Label != "@diagnostics" {
			t.Errorf("completed as %v", list)
		}
		l.must(l.Do(chat, "Why", "Send"))
		l.WaitText(chat, "So.")
		if text := l.Text(chat); !strings.Contains(text, "context diagnostics\nmain.go:5: error: undefined: y (gopls)\nmain.go:1: error: elsewhere (gopls)\n") || strings.Contains(text, "secret") {
			t.Errorf("the chat is\n%s", text)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\nsay: So.\n", lsptest.Options{}, files)
		defer l.Leave()
		l.Open(chat)
		var list struct {
			Items []struct{ Label string }
		}
		l.Ask("textDocument/completion", chat, "@diag", &list)
		if len(list.Items) != 0 {
			t.Errorf("completed as %v", list)
		}
		l.must(l.Do(chat, "Why", "Send"))
		l.WaitText(chat, "So.")
		if text := l.Text(chat); !strings.Contains(text, "that takes an editor with Assent's own extension. So nothing is attached.") {
			t.Errorf("the chat is\n%s", text)
		}
	})
}

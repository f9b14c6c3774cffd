package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/lsptest"
)

// TestPreviewWithoutShowDocument is for clients like Helix 25.01, which show a message in one line: it says where the
// preview is, and a hover shows all of it, whatever fences it holds.
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
		want := "Hover on the call shows what would happen, and so does "
		l.WaitFor("the message", func() bool { return strings.Contains(strings.Join(l.Messages(), "\n"), want) })
		_, path, _ := strings.Cut(strings.Join(l.Messages(), "\n"), want)
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

// TestAPreviewNeverShowsAnotherCall shows two calls of one tool, one after the other, as somebody does who keeps the
// first open beside the chat: each has a document of its own, named after the call, which says when its question is
// over.
// Promise 7. Invariant 9.
func TestAPreviewNeverShowsAnotherCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\ncall write_file {\"path\":\"one.md\",\"content\":\"harmless\\n\"}\ncall write_file {\"path\":\"two.md\",\"content\":\"grave\\n\"}\n"+
			"turn\nsay: Done.\n", lsptest.Options{Settings: map[string]any{"toolFormat": "native"}}, map[string]string{chat: "## You\n\nWrite.\n"})
		defer l.Leave()
		l.Open(chat)
		l.must(l.Do(chat, "Write", "Send"))
		l.waitDiagnostic("two.md")
		show := func(call string) string {
			l.must(l.Do(chat, "write_file "+call, "Show what would happen"))
			shown := l.Shown()
			return strings.TrimPrefix(string(shown[len(shown)-1].URI), "file://")
		}
		text := func(path string) string {
			data, err := os.ReadFile(path)
			l.must(err)
			return string(data)
		}
		first, second := show("c1"), show("c2")
		for path, want := range map[string][]string{first: {"c1", "one.md", "harmless"}, second: {"c2", "two.md", "grave"}} {
			if name := filepath.Base(path); !strings.Contains(name, want[0]) || !strings.Contains(name, want[1]) {
				t.Errorf("the title %s does not name the call %q", name, want)
			}
			if got := text(path); !strings.Contains(got, want[2]) || strings.Contains(got, "is over") {
				t.Errorf("the preview of %s shows %s", want[0], got)
			}
		}
		l.must(l.Do(chat, "write_file c1", "Deny"))
		l.WaitText(chat, "result c1 denied")
		if got := text(first); !strings.HasPrefix(got, "This question is over") || !strings.Contains(got, "harmless") {
			t.Errorf("the answered one shows %s", got)
		}
		if got := text(second); strings.Contains(got, "is over") {
			t.Errorf("the one that still waits shows %s", got)
		}
		l.Replace(chat, "grave", "graver")
		l.waitDiagnostic("two.md")
		synctest.Wait()
		third := show("c2")
		if got := text(third); third == second || !strings.Contains(got, "+graver") {
			t.Errorf("the changed call shows %s in %s", got, third)
		}
		if got := text(second); !strings.HasPrefix(got, "This question is over") || strings.Contains(got, "graver") {
			t.Errorf("the preview of what was changed shows %s", got)
		}
		l.must(l.Do(chat, "write_file c2", "Stop"))
		<-time.After(10 * time.Second) // a stopped run is over before its last words are in the document
		synctest.Wait()
		if got := text(third); !strings.HasPrefix(got, "This question is over") {
			t.Errorf("after Stop it shows %s", got)
		}
	})
}

// TestAFormThatIsNullIsNone: some editors write null for what is not there.
func TestAFormThatIsNullIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\njson {\"tool\":\"write_file\",\"arguments\":{\"path\":\"new.md\",\"content\":\"one\"}}\n",
			lsptest.Options{}, map[string]string{chat: "## You\n\nWrite.\n"})
		defer l.Leave()
		l.Open(chat)
		l.must(l.Do(chat, "Write", "Send"))
		l.waitDiagnostic("Waits for your answer")
		for _, a := range l.CodeActions(chat, "write_file") {
			if a.Command != nil && a.Command.Command == ext.Approve {
				argument := a.Command.Arguments[0].(map[string]any)
				argument["form"], argument["text"] = nil, nil
				_, err := l.Execute(ext.Approve, argument)
				l.must(err)
				return
			}
		}
		t.Error("nothing approves")
	})
}

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

// reviewed is a lab in which a turn changed one line of a file that is not open, and is over.
func reviewed(t *testing.T, opts lsptest.Options) *lab {
	t.Helper()
	script := "turn\njson {\"tool\":\"edit_file\",\"arguments\":{\"path\":\"list.txt\",\"old_text\":\"two\",\"new_text\":\"~~~\\u202e\"}}\nturn\njson {\"answer\":\"Done.\"}\n"
	l := newLab(t, script, opts, map[string]string{chat: "## You\n\nIn list.txt change two.\n", "list.txt": "one\ntwo\nthree\n"})
	l.Open(chat)
	l.must(l.Do(chat, "change two", "Send"))
	l.waitDiagnostic(waits)
	l.must(l.Do(chat, "edit_file c1", "Approve once"))
	l.WaitText(chat, "Done.")
	l.WaitIdle()
	return l
}

func (l *lab) uri(name string) string { return "file://" + filepath.Join(l.Dir, name) }

// TestAChangeIsSeenBeforeItIsDecided: a hover shows what was there before and what is there now, and the document of
// the turn all of it. No character in them is hidden, and no line of them ends the fence.
func TestAChangeIsSeenBeforeItIsDecided(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := reviewed(t, lsptest.Options{})
		defer l.Leave()
		l.Open("list.txt")
		var hover protocol.Hover
		at := map[string]any{"textDocument": map[string]any{"uri": l.uri("list.txt")}, "position": map[string]any{"line": 1, "character": 0}}
		l.must(l.Editor.Call("textDocument/hover", at, &hover))
		if shown := hover.Contents.Value; !strings.HasSuffix(shown, "\n~~~~diff\n-two\n+~~~<U+202E>\n~~~~") {
			t.Errorf("the hover is %q", shown)
		}
		_, err := l.Execute(ext.ReviewTurn, ext.Part{URI: l.uri("list.txt")})
		l.must(err)
		shown := l.Shown()
		text, err := os.ReadFile(strings.TrimPrefix(string(shown[len(shown)-1].URI), "file://"))
		if err != nil || !strings.Contains(string(text), "list.txt: 1 change waits for a decision, at line 2\n") || !strings.Contains(string(text), "\n-two\n+~~~<U+202E>\n") {
			t.Errorf("%v: %s", err, text)
		}
	})
}

// TestACommandDecidesAtTheCursor is for key maps, which know a place and no id; without either nothing is decided.
func TestACommandDecidesAtTheCursor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := reviewed(t, lsptest.Options{})
		defer l.Leave()
		for _, bad := range []ext.Hunk{
			{URI: l.uri("list.txt")},
			{URI: l.uri("list.txt"), ID: "none"},
			{URI: l.uri("list.txt"), Position: &ext.Position{Line: 0}},
			{URI: "file:///elsewhere/list.txt", Position: &ext.Position{Line: 1}},
			{URI: "untitled:1", Position: &ext.Position{Line: 1}},
		} {
			for _, command := range []string{ext.KeepHunk, ext.RejectHunk, ext.RejectWithReason} {
				if _, err := l.Execute(command, bad); err == nil {
					t.Errorf("%s %+v did something", command, bad)
				}
			}
		}
		if got := l.Disk("list.txt"); got != "one\n~~~\u202e\nthree\n" {
			t.Fatalf("the file holds %q", got)
		}
		_, err := l.Execute(ext.RejectWithReason, ext.Hunk{URI: l.uri("list.txt"), Position: &ext.Position{Line: 1}, Why: "ugly"})
		l.must(err)
		if got := l.Disk("list.txt"); got != "one\ntwo\nthree\n" {
			t.Errorf("the file holds %q", got)
		}
	})
}

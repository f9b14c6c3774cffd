package lsp_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/tools/diskfile/diskfiletest"
)

// TestARunningCommandShowsItsOutput: what a command prints is in the progress, in the hover and in the open preview
// while it runs; the document gets its result once, at the end.
func TestARunningCommandShowsItsOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\njson {\"tool\":\"run_command\",\"arguments\":{\"command\":\"cat lines go; echo three\"}}\nturn\njson {\"answer\":\"Done.\"}\n",
			lsptest.Options{}, map[string]string{chat: "## You\n\nRun it.\n", "lines": "one\ntwo\n"})
		defer l.Leave()
		pipe := filepath.Join(l.Dir, "go")
		l.must(diskfiletest.Pipe(pipe))
		l.Open(chat)
		l.must(l.Do(chat, "Run it", "Send"))
		l.waitDiagnostic(waits)
		l.must(l.Do(chat, "run_command", "Show what would happen"))
		shown := l.Shown()
		preview := strings.TrimPrefix(string(shown[len(shown)-1].URI), "file://")
		l.must(l.Do(chat, "run_command", "Approve once"))
		l.WaitFor("the last line", func() bool {
			return slices.ContainsFunc(l.Progress(), func(p lsptest.Progress) bool { return strings.HasSuffix(p.Last, " · two") })
		})
		var hover protocol.Hover
		line := strings.Count(l.Text(chat)[:strings.Index(l.Text(chat), "```tool run_command")], "\n")
		at := map[string]any{"textDocument": map[string]any{"uri": "file://" + l.Dir + "/" + chat}, "position": map[string]any{"line": line, "character": 4}}
		l.must(l.Editor.Call("textDocument/hover", at, &hover))
		if got := hover.Contents.Value; !strings.Contains(got, "It runs. The end of its output so far:\n\n~~~\none\ntwo\n~~~\n") {
			t.Errorf("the hover is %s", got)
		}
		read := func() string {
			text, err := os.ReadFile(preview)
			l.must(err)
			return string(text)
		}
		if got := read(); !strings.HasPrefix(got, "This call runs now. The end of its output so far:\n\none\ntwo\n") {
			t.Errorf("the preview is %s", got)
		}
		if text := l.Text(chat); strings.Contains(text, "\ntwo\n") {
			t.Errorf("the document has output before the end:\n%s", text)
		}
		l.must(os.WriteFile(pipe, []byte("go\n"), 0o600))
		l.WaitText(chat, "one\ntwo\ngo\nthree\n[Exit status 0.]")
		l.WaitIdle()
		l.must(l.Editor.Call("textDocument/hover", at, &hover))
		if got := hover.Contents.Value; strings.Contains(got, "so far") {
			t.Errorf("after its end the hover is %s", got)
		}
		if got := read(); !strings.HasPrefix(got, "This question is over") || strings.Contains(got, "two\n") {
			t.Errorf("after its end the preview is %s", got)
		}
	})
}

// TestTheOutputOfACommandIsShown: on request, what a command prints has a document that grows until the command ends. A
// client that takes assent/output shows it itself.
func TestTheOutputOfACommandIsShown(t *testing.T) {
	for _, takes := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l := newLab(t, "turn\njson {\"tool\":\"run_command\",\"arguments\":{\"command\":\"echo one; cat go; seq 20000\"}}\nturn\njson {\"answer\":\"Done.\"}\n",
				lsptest.Options{Assent: map[string]any{"output": takes}}, map[string]string{chat: "## You\n\nRun it.\n"})
			defer l.Leave()
			pipe := filepath.Join(l.Dir, "go")
			l.must(diskfiletest.Pipe(pipe))
			l.Open(chat)
			if _, err := l.Execute("assent.showOutput", map[string]any{"uri": "file://" + l.Dir + "/" + chat}); err == nil || !strings.Contains(err.Error(), "nothing prints here now") {
				t.Errorf("where nothing runs: %v", err)
			}
			l.must(l.Do(chat, "Run it", "Send"))
			l.waitDiagnostic(waits)
			l.must(l.Do(chat, "run_command", "Approve once"))
			l.WaitFor("the first line", func() bool {
				return slices.ContainsFunc(l.Progress(), func(p lsptest.Progress) bool { return strings.HasSuffix(p.Last, " · one") })
			})
			l.must(l.Do(chat, "Run it", "Show output"))
			read := func() string {
				if takes {
					if o := newest[ext.Output](l, ext.OutputMethod); o != nil {
						return o.Title + "\n\n" + o.Text + "\n"
					}
					return ""
				}
				shown := l.Shown()
				text, err := os.ReadFile(strings.TrimPrefix(string(shown[len(shown)-1].URI), "file://"))
				l.must(err)
				return string(text)
			}
			const first = "Output of run_command c1\n\none\n"
			l.WaitFor("the first line in the document", func() bool { return read() == first })
			l.must(os.WriteFile(pipe, nil, 0o600))
			l.WaitText(chat, "[Exit status 0.]")
			l.WaitIdle()
			got := read()
			if !strings.HasPrefix(got, "Output of run_command c1\n\n[") || !strings.Contains(got, "bytes in front are not shown]\n") || !strings.Contains(got, "\n20000\n") || len(got) > 70<<10 {
				t.Errorf("at its end it is %.200s … %s", got, got[max(0, len(got)-200):])
			}
			if over := strings.Contains(got, "[The call has ended: its result is in the chat.]"); over == takes {
				t.Errorf("at its end it is %s", got[max(0, len(got)-200):])
			}
			if o := newest[ext.Output](l, ext.OutputMethod); takes && !o.Over || !takes && o != nil {
				t.Errorf("the client was told %+v", o)
			}
		})
	}
}

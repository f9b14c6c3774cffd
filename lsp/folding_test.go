package lsp_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// What is folded is named, in one visible line, where the editor shows that.
func TestFoldsAreNamed(t *testing.T) {
	const text = "## You\n\nWhy \u202e so?\nTell me.\n\n```context file main.go\npackage main\n```\n\n## Assistant\n\n```thinking\nHm.\n```\n\n```tool read_file c1\npath: main.go\n```\n\n```result c1 ok\npackage main\n```\n\nSo.\n"
	for _, shows := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			l := newLab(t, "turn\nhang\n", lsptest.Options{Capabilities: map[string]any{
				"textDocument": map[string]any{"foldingRange": map[string]any{"foldingRange": map[string]bool{"collapsedText": shows}}},
			}}, map[string]string{chat: text})
			defer l.Leave()
			l.Open(chat)
			var list []struct {
				StartLine, EndLine int
				CollapsedText      string
			}
			l.Ask("textDocument/foldingRange", chat, "", &list)
			var got []string
			for _, f := range list {
				got = append(got, strings.TrimSpace(fmt.Sprintf("%d-%d %s", f.StartLine, f.EndLine, f.CollapsedText)))
			}
			want := []string{
				"0-8 You: Why <U+202E> so? (9 lines)", "5-7 context: file main.go (3 lines)", "9-23 Assistant: So. (15 lines)", "11-13 thinking (3 lines)",
				"15-17 read_file (3 lines)", "19-21 result of c1: ok (3 lines)",
			}
			if !shows {
				for i := range want {
					want[i], _, _ = strings.Cut(want[i], " ")
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

package parsed

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/journal"
)

func viewOf(text string) View {
	return View{Text: documents.NewText(text), Chat: transcript.Parse(text)}
}

// gapIn is what a text lacks of the end of the reply to "Count.", if anything.
func gapIn(text, reply string) (gap, bool) {
	now, r := viewOf(text), journal.Reply{Base: journal.Hash("Count."), Text: reply}
	return gapOf(now, r, regionsOf(now, []journal.Reply{r})[0])
}

func TestGapOf(t *testing.T) {
	const question = "## You\n\nCount.\n"
	reply := "\n\n## Assistant\n\nOne two three.\n\n```go\nfunc a() {\n}\n```\n\nEnd."
	tests := map[string]struct{ text, want string }{
		"all is there":                   {question + reply + "\n\n## You\n\n", ""},
		"with CRLF":                      {strings.ReplaceAll(question+reply+"\n\n## You\n\n", "\n", "\r\n"), ""},
		"nothing is there":               {question, reply},
		"another answer, same heading":   {"## You\n\nFirst?\n\n## Assistant\n\nYes.\n\n" + question, reply},
		"cut in a line":                  {question + "\n## Assistant\n\nOne tw\n\n## You\n\n", "o three.\n\n```go\nfunc a() {\n}\n```\n\nEnd."},
		"cut in an open fence":           {question + "\n## Assistant\n\nOne two three.\n\n```go\nfunc a() {\n\n## You\n\n", "\n}\n```\n\nEnd."},
		"a person changed the middle":    {question + "\n## Assistant\n\nSomething else.\n\n```go\nfunc a() {\n}\n```\n\nEnd.\n", ""},
		"the next question is begun":     {question + reply + "\n\n## You\n\nAnd then?\n", ""},
		"lost under the next question":   {question + "\n## You\n\nAnd then?\n", reply},
		"the question is gone":           {"## You\n\nOther?\n", reply},
		"a later one has the same words": {question + reply + "\n\n" + question, ""},
		"with its context":               {"---\nmodel: x\n---\n\n" + question + "\n```context outline\na\n```\n" + reply + "\n", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, missing := gapIn(test.text, reply)
			if missing != (test.want != "") || got.text != test.want {
				t.Errorf("missing %v: %q, want %q", missing, got.text, test.want)
			}
			if missing && (got.at < 0 || got.at > len(test.text)) {
				t.Errorf("at %d", got.at)
			}
		})
	}
}

func FuzzGapOf(f *testing.F) {
	f.Add("## You\n\nCount.\n", "\n\n## Assistant\n\nOne\n```\ntwo", 5)
	f.Fuzz(func(t *testing.T, before, reply string, cut int) {
		before, reply = strings.ToValidUTF8(before, ""), strings.ToValidUTF8(reply, "")
		text := before + reply[:min(max(cut, 0), len(reply))]
		got, missing := gapIn(text, reply)
		if missing && (got.at < 0 || got.at > len(text) || !strings.HasSuffix(strings.TrimRight(reply, " \t\r\n"), got.text)) {
			t.Errorf("at %d: %q", got.at, got.text)
		}
	})
}

func TestShorten(t *testing.T) {
	long := strings.Repeat("a", 10<<10) + "; rm -rf important"
	got := Shorten(long)
	if len([]rune(got)) > 80 || !strings.HasSuffix(got, "rm -rf important") || !strings.HasPrefix(got, "aaa") || !strings.Contains(got, "more") {
		t.Errorf("got %q", got)
	}
	if got := OneLine("a\r\nb\tc\nd\re"); strings.ContainsAny(got, "\r\n\t") {
		t.Errorf("got %q", got)
	}
}

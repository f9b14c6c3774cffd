package session

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/transcript"
)

func TestModelLine(t *testing.T) {
	tests := map[string]struct{ text, model, want string }{
		"no front matter":     {"## You\n\nHi.\n", "a:1b", "---\nmodel: a:1b\n---\n\n## You\n\nHi.\n"},
		"byte order mark":     {"\uFEFF## You\n", "a", "\uFEFF---\nmodel: a\n---\n\n## You\n"},
		"front matter":        {"---\ntitle: x\ntools: [read_file]\n---\n## You\n", "a:1b", "---\nmodel: a:1b\ntitle: x\ntools: [read_file]\n---\n## You\n"},
		"empty front matter":  {"---\n---\n## You\n", "a", "---\nmodel: a\n---\n## You\n"},
		"named":               {"---\nmodel: b\n---\n", "a", ""},
		"named as nothing":    {"---\nmodel:\n---\n", "a", ""},
		"in braces":           {"---\n{title: x}\n---\n", "a", ""},
		"broken":              {"---\ntitle: [\n---\n", "a", ""},
		"not closed":          {"---\ntitle: x\n## You\n", "a", "---\nmodel: a\n---\n\n---\ntitle: x\n## You\n"},
		"a name that is odd":  {"## You\n", "a, b: [c]\n", "---\nmodel: \"a, b: [c]\\U0000000A\"\n---\n\n## You\n"},
		"CRLF":                {"---\r\ntitle: x\r\n---\r\n## You\r\n", "a", "---\r\nmodel: a\ntitle: x\r\n---\r\n## You\r\n"},
		"a long conversation": {"## You\n\n" + strings.Repeat("x\n", 1000), "a", "---\nmodel: a\n---\n\n## You\n\n" + strings.Repeat("x\n", 1000)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			if at, line, ok := ModelLine(test.text, transcript.Parse(test.text), test.model); ok {
				got = test.text[:at] + line + test.text[at:]
				if front := transcript.Parse(got).Front; front.Model != test.model {
					t.Errorf("it reads as %q", front.Model)
				}
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

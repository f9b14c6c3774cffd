package history_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/session/history"
)

func TestTermsOfAQuery(t *testing.T) {
	for text, want := range map[string][]string{
		"":                      nil,
		"one  two":              {"one", "two"},
		`a "b c" d`:             {"a", "b c", "d"},
		`"open to the end`:      {"open to the end"},
		`pre* "phrase pre"* *`:  {"pre*", "phrase pre*"},
		`a"b"c`:                 {"a", "b", "c"},
		"NOT a AND (b OR c)":    {"NOT", "a", "AND", "(b", "OR", "c)"},
		"text : x ^y -z +w {a}": {"text", "x", "^y", "-z", "+w", "{a}"},
		"'; DROP TABLE words--": {"DROP", "TABLE", "words--"},
		"ﬁle\x00\xff":           {"file"},
	} {
		if diff := cmp.Diff(want, history.Parsed(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	if n := len(history.Parsed(strings.Repeat("a ", 5000))); n != 32 {
		t.Errorf("%d terms", n)
	}
}

func TestHowTextIsIndexed(t *testing.T) {
	for text, want := range map[string][2]string{
		"plain words": {"plain words", ""},
		"東京タワー and 日": {" and ", "東京 京タ タワ ワー ー 日 "},
		"한국":          {" ", "한국 국 "},
		"ｱｲ":          {" ", "アイ イ "},
	} {
		words, pairs := history.Indexed(text)
		if strings.TrimSpace(words) != strings.TrimSpace(want[0]) || pairs != want[1] {
			t.Errorf("%q is %q and %q", text, words, pairs)
		}
	}
}

// FuzzQuery: no text is an operator, and none is an error.
func FuzzQuery(f *testing.F) {
	for _, text := range []string{
		`"`, `""`, `a"`, `"a" "b`, "*", "a*", `"a"*`, "-*", "NEAR(a b, 2)", "text:a", "{title}:b", "a AND OR NOT b", "^a", "a+b",
		"(", ")", "';--", "\x00", "検", "検索*", "a検b*", "é*", "\u0301*", "1*", "½*", "한*", "ไ", "\u0e31*", "%_", "🦫", "a🦫*",
	} {
		f.Add(text)
	}
	db := history.Memory(f)
	f.Fuzz(func(t *testing.T, text string) {
		if err := history.Accepts(db, text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}

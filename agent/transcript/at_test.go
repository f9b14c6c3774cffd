package transcript

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func atWords(markdown string) []string {
	var all []string
	for _, span := range AtWords(markdown) {
		all = append(all, markdown[span.Start:span.End])
	}
	return all
}

func TestAtWords(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string][]string{
		"@a.go":                         {"@a.go"},
		"See @a.go, (@b/c.go:10-40).":   {"@a.go,", "@b/c.go:10-40)."},
		"**@a** \"@b\" [@c](x) |@d|":    {"@a**", "@b\"", "@c](x)", "@d|"},
		`@"a b.txt":3-4 and @"open`:     {`@"a b.txt":3-4`, `@"open`},
		"@a,@b;@c, d":                   {"@a", "@b", "@c,"},
		"@":                             {"@"},
		"- @a\n- @b\n\n> @c\n\n# @d":    {"@a", "@b", "@c", "@d"},
		"me@example.org <me@x.org> a@b": nil,
		"me+x.@b m_@c https://x/@y":     nil,
		"`@a` ``@b ` @c`` @d":           {"@d"},
		"`@a\n@b` @c":                   {"@c"},
		"- use `\n- @a and `":           {"@a"},
		"```go\n@a\n```\n@b":            {"@b"},
		"~~~\n@a":                       nil,
		"    @a":                        nil,
		"x\n    @a":                     {"@a"},
		"<div>\n@a\n</div>\n\n@b":       {"@b"},
		"<!-- @a\n@b --> @c":            nil, // a block of HTML
		"x <!-- @a\n@b --> @c":          {"@c"},
		`\@a \\@b`:                      nil,
		"@a`@b`":                        {"@a"},
		"日本 @ファイル.txt、":                 {"@ファイル.txt、"},
		"@a\r\n@b\r@c":                  {"@a", "@b", "@c"},
	} {
		if diff := cmp.Diff(want, atWords(markdown)); diff != "" {
			t.Errorf("%q:\n%s", markdown, diff)
		}
	}
}

// FuzzAtWords: words are one behind the other, each begins with an "@" and holds no blank unless it is quoted.
func FuzzAtWords(f *testing.F) {
	for _, seed := range []string{"@a `@b` @\"c d\"", "- `\n- @a\n`", "<!--\n@a", "\\@a\\", "@\"\n\"", "@\xff\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, markdown string) {
		at := 0
		for _, span := range AtWords(markdown) {
			if span.Start < at || span.End <= span.Start || span.End > len(markdown) {
				t.Fatalf("%q: %+v after %d", markdown, span, at)
			}
			word := markdown[span.Start:span.End]
			if word[0] != '@' || strings.ContainsAny(word, "\r\n") || !strings.HasPrefix(word, `@"`) && strings.ContainsAny(word, " \t`") {
				t.Fatalf("%q: the word %q", markdown, word)
			}
			at = span.End
		}
		if plain := strings.ReplaceAll(markdown, "@", "a"); len(AtWords(plain)) > 0 || slices.ContainsFunc(AtWords("x"+markdown), func(s Span) bool { return s.Start == 0 }) {
			t.Fatalf("%q", markdown)
		}
	})
}

package slash_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/slash"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][]string{
		"/explain":                    {"explain", ""},
		"  /fix @a.go:1-2\nnow  ":     {"fix", "@a.go:1-2\nnow"},
		"/my-own_2 x":                 {"my-own_2", "x"},
		"/test\n\nall of it":          {"test", "all of it"},
		"/etc/hosts is odd":           nil,
		"/usr":                        {"usr", ""},
		"/":                           nil,
		"/ x":                         nil,
		"/Explain":                    nil,
		"//x":                         nil,
		"x /explain":                  nil,
		"/explain:x":                  {"explain:x", ""},
		"/My.notes:do_it a b":         {"My.notes:do_it", "a b"},
		"/notes:":                     nil,
		"/a:b:c":                      nil,
		"":                            nil,
		"/" + strings.Repeat("a", 80): nil,
	} {
		var got []string
		if name, arguments, ok := slash.Parse(message); ok {
			got = []string{name, arguments}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", message, diff)
		}
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ template, fallback, arguments, want string }{
		{"See $ARGUMENTS.", "", "a b", "See a b."},
		{"See $ARGUMENTS.", "@selection", " ", "See @selection."},
		{"From $1 to $2, $1.", "", `"a b" c d`, "From a b to c, a b."},
		{"$1 costs $$1 and $$ARGUMENTS", "", "it", "it costs $1 and $ARGUMENTS"},
		{"$1", "", "$2 $ARGUMENTS", "$2"}, // what is put in is not looked at again
		{"$ARGUMENTSX $0", "", "", "$ARGUMENTSX $0"},
		{"Review this.", "", "please", "Review this.\n\nplease"},
		{"Review this.\n", "", "", "Review this."},
		{"Between $1 and $2", "", "one", "! /x needs more words behind it, 2 and not 1: a word with blanks needs quotation marks"},
		{"$ARGUMENTS", "", " ", "! /x needs words behind it"},
		{`$1 $2`, "", `"open a`, `"open a`},
	} {
		got, err := slash.Command{Name: "x", Template: tt.template, Default: tt.fallback}.Expand(tt.arguments)
		if err != nil {
			got = "! " + err.Error()
		}
		if got != tt.want {
			t.Errorf("%q with %q: %q, want %q", tt.template, tt.arguments, got, tt.want)
		}
	}
}

func TestFromFile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]slash.Command{
		"Do $1.\r\nNow.\r\n": {Arguments: "[WORDS]", Doc: "Do $1.", Template: "Do $1.\nNow."},
		"---\ndescription: It does.\nargument-hint: [file]\nallowed-tools: Bash\n---\nDo.": {Arguments: "[file]", Doc: "It does.", Template: "Do."},
		"\uFEFF---\n---\nDo.":        {Arguments: "[WORDS]", Doc: "Do.", Template: "Do."},
		"---\nnever closed":          {Arguments: "[WORDS]", Doc: "---", Template: "---\nnever closed"},
		"---\ndescription: [\n---\n": {Arguments: "[WORDS]", Problem: "its front matter cannot be read: "},
		" \n":                        {Arguments: "[WORDS]", Problem: "its file is empty."},
		"na\xefve":                   {Arguments: "[WORDS]", Problem: "its file is not a text in UTF-8."},
		"a\x00b":                     {Arguments: "[WORDS]", Problem: "its file is not a text in UTF-8."},
		strings.Repeat("x", 40_000):  {Arguments: "[WORDS]", Problem: "its file has more than 32 KB."},
	} {
		got := slash.FromFile("x", "/x.md", []byte(text))
		want.Name, want.Path = "x", "/x.md"
		if strings.HasSuffix(want.Problem, ": ") && strings.HasPrefix(got.Problem, want.Problem) {
			got.Problem = want.Problem
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%.60q: %s", text, diff)
		}
		if _, err := got.Expand(""); (err != nil) != (got.Problem != "") && !strings.Contains(text, "$1") {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}

// TestBuiltin: each command says what it does, and does something.
func TestBuiltin(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range slash.Builtin() {
		if seen[c.Name] || !slash.IsName(c.Name) || !strings.HasSuffix(c.Doc, ".") || (c.Does == 0) == (c.Template == "") {
			t.Errorf("%+v", c)
		}
		seen[c.Name] = true
	}
}

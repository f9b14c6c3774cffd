package transcript

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseProblems(t *testing.T) {
	t.Parallel()
	const assistant = "## Assistant\n\n"
	for name, tt := range map[string]struct{ doc, want string }{
		"no turn":              {"hello", "There is no `## You` heading yet, so there is nothing to send."},
		"empty":                {"\n \n", ""},
		"preamble and a turn":  {"hello\n\n## You\n", ""},
		"tool without id":      {assistant + "```tool read_file\n```", "A call is written as `tool NAME ID`."},
		"no label":             {assistant + "```tool a b\nwhat\n```", "The line `what` does not begin with a label such as `path:`."},
		"indented":             {assistant + "```tool a b\n  what\n```", "The line `what` is indented but no text block is open above it."},
		"twice":                {assistant + "```tool a b\nx: 1\nx: 2\n```", "The argument \"x\" is given twice."},
		"no value":             {assistant + "```tool a b\nx:\n```", "The argument \"x\" has no value (write \"\" for an empty text)."},
		"no blank":             {assistant + "```tool a b\nx:1\n```", "A blank is missing after the label \"x\"."},
		"broken JSON":          {assistant + "```tool a b\nx: [1,\n```", "The value of \"x\" is not valid JSON (write a text that begins like this in double quotes)."},
		"broken label":         {assistant + "```tool a b\n\"x: 1\n```", "The label of the line `\"x: 1` is not a JSON string."},
		"label without colon":  {assistant + "```tool a b\n\"x\" 1\n```", "The line `\"x\" 1` needs a colon after its label."},
		"result status":        {assistant + "```result c1 fine\n```", "A result is written as `result ID ok|error|denied|not-run|stopped TIME`."},
		"result time":          {assistant + "```result c1 ok soon\n```", "A result is written as `result ID ok|error|denied|not-run|stopped TIME`."},
		"result":               {assistant + "```result c1 ok 3ms\n```", ""},
		"answer":               {assistant + "```answer\n```", "An answer block is written as `answer ID`."},
		"reason":               {assistant + "```reason\n```", "A reason block is written as `reason ID`."},
		"malformed":            {assistant + "```malformed c1\nx\n```", "The line `x` does not begin with a label such as `path:`."},
		"front matter open":    {"---\nmodel: a\n\n## You\n", "The front matter that begins here is not closed by a line `---`."},
		"front matter, YAML":   {"---\nmodel: [\n---\n## You\n", "The front matter is not valid YAML: line 1: did not find expected node content."},
		"front matter, model":  {"---\nmodel: [a]\n---\n## You\n", "In the front matter, `model` must be a name."},
		"front matter, title":  {"---\ntitle: {}\n---\n## You\n", "In the front matter, `title` must be a text."},
		"front matter, tools":  {"---\ntools: a\n---\n## You\n", "In the front matter, `tools` must be a list of names, such as `[read_file, edit_file]`."},
		"others in the front":  {"---\ntags: [a]\n---\n## You\n", "Nothing reads `tags` in the front matter."},
		"heading in open code": {"## You\n\n```\na\n\n## Assistant\n\nb\n", "This heading is inside a code fence that was not closed before it, so no turn begins here."},
		"open code":            {"## You\n\n```\na\n", ""},
		"heading in code":      {"## You\n\n```\n## You\n```\n", ""},
		"code ends by a block": {"## You\n\n```\na\n\n## Assistant\n\n```tool a b\n```\n", "This heading is inside a code fence that was not closed before it, so no turn begins here."},
	} {
		var got []string
		for _, p := range Parse(tt.doc).Problems {
			got = append(got, p.Message)
			if p.Span.Start < 0 || p.Span.End > len(tt.doc) || p.Span.Start > p.Span.End {
				t.Errorf("%s: the place %v is not in the document", name, p.Span)
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Applying a fix leaves the problem behind.
func TestFixes(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string][]Role{
		"hello":                                  {You},
		"---\nmodel: a\n---\n\nhello":            {You},
		"## You\n\n~~~~\na\n\n## Assistant\n\nb": {You, Assistant},
		"## You\n\n```\na\n\n## Assistant\n\n```tool a b\n```\n": {You, Assistant},
	} {
		problems := Parse(doc).Problems
		if len(problems) != 1 || problems[0].Fix == "" || problems[0].FixName == "" {
			t.Errorf("%q: %+v, want one problem with a fix", doc, problems)
			continue
		}
		p := problems[0]
		fixed := Parse(doc[:p.FixAt] + p.Fix + doc[p.FixAt:])
		var got []Role
		for _, turn := range fixed.Turns {
			got = append(got, turn.Role)
		}
		if diff := cmp.Diff(want, got); diff != "" || len(fixed.Problems) > 0 {
			t.Errorf("%q: %s%+v", doc, diff, fixed.Problems)
		}
	}
}

func TestParseBlocks(t *testing.T) {
	t.Parallel()
	you, assistant := "## You\n\n", "## Assistant\n\n"
	for name, tt := range map[string]struct {
		doc  string
		want []Block
	}{
		"a call in a person's turn is text": {you + "```tool a b\nx: 1\n```", []Block{Text{Markdown: "```tool a b\nx: 1\n```"}}},
		"tildes and indentation": {
			assistant + "  ~~~tool a b\n  x: |\n    y\n  ~~~",
			[]Block{Call{Tool: "a", ID: "b", Arguments: []byte(`{"x":"y\n"}`)}},
		},
		"a block in a list is text":    {assistant + "- x\n  ```tool a b\n  ```", []Block{Text{Markdown: "- x\n  ```tool a b\n  ```"}}},
		"a block in a quote is text":   {assistant + "> ```tool a b\n> ```", []Block{Text{Markdown: "> ```tool a b\n> ```"}}},
		"a block in a comment is text": {assistant + "<!--\n```tool a b\n```\n-->", []Block{Text{Markdown: "<!--\n```tool a b\n```\n-->"}}},
		"a block in code is text":      {assistant + "````\n```tool a b\n```\n````", []Block{Text{Markdown: "````\n```tool a b\n```\n````"}}},
		"escapes": {
			assistant + "\\## You\n```\\tool a b\n```\n\\\\## You\n\\x",
			[]Block{Text{Markdown: "## You\n```tool a b\n```\n\\## You\n\\x"}},
		},
		"a closed fence": {you + "```\na\n```\n" + closedMark + "\n", []Block{Text{Markdown: "```\na"}}},
		"a closed fence, and the text goes on": {
			you + "```\na\n```\n" + closedMark + "\n\nb\n", []Block{Text{Markdown: "```\na\n```\n\nb"}},
		},
		"blank lines in a block of text": {
			assistant + "```tool a b\n\nx: |\n\n  y\n\n\n  z\n\nw: two words  \n```",
			[]Block{Call{Tool: "a", ID: "b", Arguments: []byte(`{"x":"\ny\n\n\nz\n","w":"two words"}`)}},
		},
		"an unclosed block": {assistant + "```result c1 error 1.2s\na\n", []Block{Result{ID: "c1", Status: Failed, Took: 1200 * time.Millisecond, Text: "a"}}},
		"not sent":          {you + "```context open file not-sent\na\n```", []Block{Context{Name: "open file", Text: "a", NotSent: true}}},
	} {
		chat := Parse(tt.doc)
		if diff := cmp.Diff(tt.want, chat.Turns[0].Blocks, noSpans); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	doc := "\uFEFF---\r\nmodel: a\r\n---\r\n\r\n  ## You ##\r\n\r\n one\r\n\r\n## Assistant\r\n\r\n```tool a b\r\nx: 1\r\n```\r\n\r\ntwo\r\nthree  "
	c := Parse(doc)
	at := func(s Span) string { return doc[s.Start:s.End] }
	var got []string
	got = append(got, at(c.Front.Span))
	for _, turn := range c.Turns {
		got = append(got, at(turn.Heading))
		for _, b := range turn.Blocks {
			got = append(got, at(b.Range()))
		}
	}
	want := []string{
		"---\r\nmodel: a\r\n---", "  ## You ##", " one", "## Assistant", "```tool a b\r\nx: 1\r\n```", "two\r\nthree  ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if c.Turns[0].Span.End != c.Turns[1].Span.Start || c.Turns[1].Span.End != len(doc) {
		t.Error("the turns do not touch")
	}
}

func TestHelpers(t *testing.T) {
	t.Parallel()
	doc := "intro\n\n## You\n\na\n\n## Assistant\n\n```tool a b\n```\n\n## You\n\n"
	c := Parse(doc)
	if _, ok := c.TurnAt(0); ok {
		t.Error("there is a turn before the first heading")
	}
	for offset, want := range map[int]int{7: 0, strings.Index(doc, "```"): 1, len(doc): 2} {
		if got, ok := c.TurnAt(offset); !ok || got != want {
			t.Errorf("TurnAt(%d) = %d, %v, want %d", offset, got, ok, want)
		}
	}
	if _, ok := c.TurnAt(len(doc) + 1); ok {
		t.Error("there is a turn after the end")
	}
	if c.LastYou() != 2 || !c.Turns[2].Empty() || c.Turns[0].Empty() || Parse("## Assistant").LastYou() != -1 {
		t.Error("the last turn is not found, or not empty")
	}
	if !IsChat("a/b.chat.md") || IsChat("a/chat.md") {
		t.Error("IsChat")
	}
}

// Invariant 12.
func FuzzParse(f *testing.F) {
	f.Add("## You\n\nhello\n")
	f.Add("---\nmodel: &a [*a]\n---\n")
	f.Fuzz(func(t *testing.T, doc string) {
		c := Parse(doc)
		at := 0
		for _, turn := range c.Turns {
			for _, s := range []Span{turn.Span, turn.Heading} {
				if s.Start < at || s.End < s.Start || s.End > len(doc) {
					t.Fatalf("%v is not a place in %q", s, doc)
				}
			}
			at = turn.Heading.End
			for _, b := range turn.Blocks {
				if s := b.Range(); s.Start < at || s.End < s.Start || s.End > turn.Span.End {
					t.Fatalf("%v is not a place in %q", s, doc)
				}
				at = b.Range().End
			}
		}
		// What is read can be written, and is then read as the same.
		file := Render(*c)
		if diff := cmp.Diff(*c, *Parse(file), noSpans); diff != "" && !rewritten(*c) {
			t.Fatalf("%q is written as %q: %s", doc, file, diff)
		}
	})
}

// rewritten reports whether a chat has parts that a person wrote in a way that Render writes otherwise.
func rewritten(c Chat) bool {
	for _, p := range c.Problems {
		if p.Fix == "" {
			return true
		}
	}
	return false
}

// Bad input of any size is read in linear time: what would be quadratic takes minutes here.
func TestParseIsLinear(t *testing.T) {
	t.Parallel()
	size := fewer(4 << 20)
	random := make([]byte, size)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	docs := map[string]string{"random": string(random)}
	for _, unit := range []string{
		"\r", "\n", ">", "> ", "- ", "* \n", "`", "```\n", "``` ", "<", "<a", "<!--", "<pre>\n", "#", "## You\n", "\\", "\t", "1. ", "<U+", "a: |\n", "---\n",
	} {
		docs[unit] = strings.Repeat(unit, size/len(unit))
		docs["tool "+unit] = "## Assistant\n\n~~~~tool a b\n" + docs[unit]
	}
	docs["deep items, blank lines"] = strings.Repeat("- ", size/4) + strings.Repeat("\n", size/2)
	docs["deep quotes, lazy lines"] = strings.Repeat("> ", size/4) + "a" + strings.Repeat("\na", size/4)
	for name, doc := range docs {
		start := time.Now()
		Parse(doc)
		NewWriter("").Text("a" + doc[:len(doc)/4] + "b")
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%q took %v", name, took)
		}
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain é 日本 👍🏽":                   "plain é 日本 👍🏽",
		"a\u202Eb":                        "a<U+202E>b",
		"\x1b[31m\x00\n\t":                "<U+001B>[31m<U+0000><U+000A><U+0009>",
		"\u200B\uFEFF\u2066":              "<U+200B><U+FEFF><U+2066>",
		"\U000E0041\u0085":                "<U+E0041><U+0085>",
		"\u17B4\u3164\u2800❤\uFE0F\uFE00": "<U+17B4><U+3164><U+2800>❤\uFE0F<U+FE00>",
		"\xff":                            "<0xFF>",
		"<U+202E> <0xFF> <U+":             "<U+003C>U+202E> <U+003C>0xFF> <U+",
	} {
		if got := encode(in, unprintable); got != want {
			t.Errorf("encode(%q) = %q, want %q", in, got, want)
		}
		if got := decode(want); got != in {
			t.Errorf("decode(%q) = %q, want %q", want, got, in)
		}
	}
}

func FuzzBody(f *testing.F) {
	f.Add("a \n\tb\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		body := encodeBody(text)
		if got := decodeBody(body + "\n"); got != text {
			t.Fatalf("%q is written as %q and read as %q", text, body, got)
		}
		if got := decodeBody(strings.ReplaceAll(trimTrailingSpace(body), "\n", "\r\n") + "\r\n"); got != text {
			t.Fatalf("%q, after trimming and CRLF, is read as %q", text, got)
		}
		if bytes.ContainsAny([]byte(body), "\x1b\r\x00") {
			t.Fatalf("%q is written with control characters: %q", text, body)
		}
	})
}

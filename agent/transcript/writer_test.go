package transcript

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Any way of cutting a reply into deltas gives the same document.
func TestWriterChunking(t *testing.T) {
	t.Parallel()
	for seed := range fewer(uint64(3_000)) {
		checkChunking(t, seed, 1)
	}
}

func FuzzWriter(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) { checkChunking(t, a, b) })
}

func checkChunking(t *testing.T, a, b uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(a, b))
	var blocks []Block
	for range r.IntN(6) {
		next := block(r, Assistant)
		if len(normalBlocks([]Block{next})) == 0 {
			continue // nothing visible
		}
		if n := len(blocks); n > 0 {
			_, both := next.(Thinking)
			if _, before := blocks[n-1].(Thinking); both && before {
				continue // one stream of thinking
			}
		}
		blocks = append(blocks, next)
	}
	for i, b := range blocks { // flags are not for the streaming calls
		switch b := b.(type) {
		case Thinking:
			b.NotSent = false
			blocks[i] = b
		}
	}
	write := func(chunk func(string) []string) string {
		w := NewWriter("## You\n\nHello\n")
		file := "## You\n\nHello\n" + w.AssistantHeading()
		for _, b := range blocks {
			switch b := b.(type) {
			case Text:
				for _, delta := range chunk(b.Markdown) {
					file += w.Text(delta)
				}
			case Thinking:
				for _, delta := range chunk(b.Text) {
					file += w.Thinking(delta)
				}
			default:
				file += w.write(b)
			}
		}
		return file + w.End()
	}
	whole := write(func(s string) []string { return []string{s} })
	for _, size := range []int{1, 2, 3, 1 + r.IntN(20)} {
		got := write(func(s string) []string { return chunks(s, func() int { return size }) })
		if got != whole {
			t.Fatalf("seed %d, %d: deltas of %d bytes give another document: %s", a, b, size, cmp.Diff(whole, got))
		}
	}
	want := normal(Chat{Turns: []Turn{{Role: You, Blocks: []Block{Text{Markdown: "Hello"}}}, {Role: Assistant, Blocks: blocks}}})
	if diff := cmp.Diff(want, *Parse(whole), noSpans); diff != "" {
		t.Fatalf("seed %d, %d: what was written reads back as something else:\n%s\n%s", a, b, diff, whole)
	}
}

func chunks(s string, size func() int) []string {
	var out []string
	for s != "" {
		n := min(size(), len(s))
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

func TestWriterHoldsBackLittle(t *testing.T) {
	t.Parallel()
	type step struct{ delta, piece string }
	for name, steps := range map[string][]step{
		"prose":               {{"Hel", "Hel"}, {"lo ", "lo"}, {"you", " you"}, {"\n", ""}, {"- a", "\n- a"}},
		"another heading":     {{"#", ""}, {"# ", ""}, {"Yo", ""}, {"ur", "## Your"}, {" turn", " turn"}},
		"a heading of ours":   {{"## You", ""}, {"\n", `\## You`}, {"x", "\nx"}},
		"a code fence":        {{"`", ""}, {"``", ""}, {"g", ""}, {"o\n## You\n", "```go\n## You"}, {"```", "\n```"}},
		"a reserved fence":    {{"```", ""}, {"tool", ""}, {" x", ""}, {"\n```", "```\\tool x\n```"}},
		"a list":              {{"1", "1"}, {". a\n", ". a"}, {"  ```tool", "\n  ```\\tool"}},
		"a comment":           {{"<", ""}, {"!--", ""}, {" as", `\<!-- as`}},
		"a split character":   {{"a\xc3", "a"}, {"\xa9", "é"}},
		"blank lines first":   {{"\n\n", ""}, {" ", ""}, {"a", " a"}},
		"a CR at the end":     {{"a\r", ""}, {"\nb", "a\nb"}},
		"inside a comment":    {{"<!--\n", `\<!--`}, {"## Y", ""}, {"o", ""}, {"!", "\n## Yo"}},
		"a word with a brace": {{"`a`", ""}, {" {", "`a` {"}},
	} {
		w := NewWriter("## Assistant\n\n")
		for _, s := range steps {
			if name == "a list" && s.delta == "  ```tool" {
				s.piece = "" // inside or outside of the item is known, the rest of the word is not
			}
			if got := w.Text(s.delta); got != s.piece {
				t.Errorf("%s: Text(%q) = %q, want %q", name, s.delta, got, s.piece)
			}
		}
	}
}

func TestWriterStreamsThinking(t *testing.T) {
	t.Parallel()
	w := NewWriter("## Assistant\n\n")
	for _, s := range []struct{ delta, piece string }{
		{"Let", "````thinking\nLet"},
		{" me\n```\n", " me\n```"},
		{"````", ""},
		{"\nx <", "\n\\````\nx"},
		{"U+20", ""},
		{"2E> \u202E", " <U+003C>U+202E> <U+202E>"},
	} {
		if got := w.Thinking(s.delta); got != s.piece {
			t.Errorf("Thinking(%q) = %q, want %q", s.delta, got, s.piece)
		}
	}
	if got, want := w.Text("Done."), "\n````\n\nDone."; got != want {
		t.Errorf("Text = %q, want %q", got, want)
	}
}

// A document that ends inside something, because a person left it open or a reply broke off, is closed before it goes
// on, and what was there before reads the same.
func TestWriterClosesWhatIsOpen(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{
		"nothing":          "",
		"prose":            "## You\n\nhello",
		"fence":            "## You\n\nlook:\n\n```go\nfunc main() {",
		"fence, line end":  "## You\n\n~~~~\nfunc main() {\n\n\n",
		"fence in a list":  "## You\n\n- a\n  ```\n  b",
		"comment":          "## You\n\n<!-- a\n\nb",
		"script":           "## You\n\n<script>\nb",
		"div":              "## You\n\n<div>\nb",
		"thinking":         "## Assistant\n\n````thinking\nhm",
		"half a call":      "## Assistant\n\n```tool read_file c1\npath: a\n",
		"CRLF":             "## You\r\n\r\n```\r\na\r\n",
		"front":            "---\nmodel: a\n---\n",
		"only blank lines": "\n\n",
	} {
		w := NewWriter(before)
		after := before + w.AssistantHeading() + w.Text("Yes.") + w.End() + w.YouHeading()
		want, got := Parse(before), Parse(after)
		n := len(want.Turns)
		if len(got.Turns) != n+2 || !got.Turns[n+1].Empty() {
			t.Errorf("%s: the reply and the next turn are not there:\n%s", name, after)
			continue
		}
		if diff := cmp.Diff(want.Turns, got.Turns[:n], noSpans); n > 0 && diff != "" {
			t.Errorf("%s: what was before changed:\n%s\n%s", name, diff, after)
		}
		if diff := cmp.Diff([]Block{Text{Markdown: "Yes."}}, got.Turns[n].Blocks, noSpans); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestNewWriterSeparatesWithOneBlankLine(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]string{
		"":                "## You\n\n",
		"a":               "\n\n## You\n\n",
		"a\n":             "\n## You\n\n",
		"a\r\n\r\n":       "## You\n\n",
		"a\r":             "\n## You\n\n",
		"a\n\n\n\n":       "## You\n\n",
		"```\na":          "\n```\n" + closedMark + "\n\n## You\n\n",
		"---\na: b\n---":  "\n\n## You\n\n",
		"text\n\n<!--\n ": "\n-->\n" + closedMark + "\n\n## You\n\n",
	} {
		if got := NewWriter(before).YouHeading(); got != want {
			t.Errorf("NewWriter(%q).YouHeading() = %q, want %q", before, got, want)
		}
	}
}

func FuzzContinue(f *testing.F) {
	f.Add("## You\n\n```\n## Assistant\n")
	f.Fuzz(func(t *testing.T, before string) {
		w := NewWriter(before)
		after := before + w.AssistantHeading() + w.Text("Yes.") + w.End()
		want, got := Parse(before), Parse(after)
		n := len(want.Turns)
		if len(got.Turns) != n+1 || strings.Contains(before, closedMark) {
			if !strings.Contains(before, closedMark) {
				t.Fatalf("no reply in %q", after)
			}
			return
		}
		if diff := cmp.Diff(want.Turns, got.Turns[:n], noSpans); n > 0 && diff != "" {
			t.Fatalf("what was before changed in %q:\n%s", after, diff)
		}
	})
}

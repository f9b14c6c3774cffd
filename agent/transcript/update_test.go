package transcript

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUpdateIsParse(t *testing.T) {
	t.Parallel()
	for seed := range fewer(uint64(3_000)) {
		checkUpdate(t, seed, 1)
	}
}

func FuzzUpdate(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) { checkUpdate(t, a, b) })
}

// checkUpdate edits a document a few times and compares each reading with a fresh one.
func checkUpdate(t *testing.T, a, b uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(a, b))
	file := Render(chat(r))
	if r.IntN(3) == 0 {
		file = strings.ReplaceAll(file, "\n", []string{"\r\n", "\r"}[r.IntN(2)])
	}
	current := Parse(file)
	for range 6 {
		start := r.IntN(len(file) + 1)
		end := min(len(file), start+r.IntN(1+r.IntN(60)))
		typed := mixed(r, 3)
		if r.IntN(2) == 0 {
			typed = typed[:r.IntN(len(typed)+1)]
		}
		changed := file[:start] + typed + file[end:]
		change := Change{Start: start, OldEnd: end, NewEnd: start + len(typed)}
		if r.IntN(3) == 0 { // a change may say too much
			less, more := r.IntN(start+1), r.IntN(len(file)-end+1)
			change = Change{Start: start - less, OldEnd: end + more, NewEnd: change.NewEnd + more}
		}
		current = Update(current, whole(changed), change)
		if want := Parse(changed); !cmp.Equal(want, current) {
			t.Fatalf("seed %d, %d: a change at %d gives another chat:\n%s\nbefore: %q\nafter: %q", a, b, start, cmp.Diff(want, current), file, changed)
		}
		file = changed
	}
}

// whole is a text as a Source.
type whole string

func (w whole) Len() int                    { return len(w) }
func (w whole) Slice(start, end int) string { return string(w[start:end]) }

// counted counts what of a text is read.
type counted struct {
	whole
	read *int
}

func (c counted) Slice(start, end int) string {
	*c.read += end - start
	return c.whole.Slice(start, end)
}

// typed is a change that puts words into a text.
func typed(text string, at int, words string) (string, Change) {
	return text[:at] + words + text[at:], Change{Start: at, OldEnd: at, NewEnd: at + len(words)}
}

func TestUpdateReadsOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for range 500 {
		b.WriteString("## You\n\nAsk.\n\n## Assistant\n\nSay.\n\n```go\na\n```\n\nMore.\n\n")
	}
	file := b.String()
	turn := len(file) / 1000
	for _, test := range []struct {
		what, words string
		at, turns   int // where, and how many turns may be read
	}{
		{"a letter in a question", "x", strings.Index(file, "Ask."), 3},
		{"a letter in an answer", "x", strings.Index(file, "Say."), 3},
		{"a letter in the middle", "x", len(file)/2 - len(file)/2%turn, 4},
		{"a turn", "## You\n\nThis.\n\n## Assistant\n\nThat.\n\n", strings.Index(file, "## Assistant"), 6},
		{"a fence that the next one closes", "```\n", strings.Index(file, "Say."), 20},
		{"a fence that nothing closes", "~~~\n", strings.Index(file, "Say."), 3000},
		{"a letter at the end", "x", len(file), 3},
	} {
		after, change := typed(file, test.at, test.words)
		read := 0
		got := Update(Parse(file), counted{whole(after), &read}, change)
		if diff := cmp.Diff(Parse(after), got); diff != "" {
			t.Errorf("%s: %s", test.what, diff)
		}
		if read > test.turns*turn {
			t.Errorf("%s: %d bytes of %d were read", test.what, read, len(file))
		}
	}
}

func TestUpdateKeepsTheTurnsBeforeTheChange(t *testing.T) {
	t.Parallel()
	file := "## You\n\none\n\n## Assistant\n\ntwo\n\n## You\n\nthr"
	prev := Parse(file)
	after, change := typed(file, len(file), "ee")
	next := Update(prev, whole(after), change)
	if &prev.Turns[0].Blocks[0] != &next.Turns[0].Blocks[0] || &prev.Turns[1].Blocks[0] != &next.Turns[1].Blocks[0] {
		t.Error("turns before the change were read again")
	}
	if diff := cmp.Diff(Parse(file+"ee"), next); diff != "" {
		t.Error(diff)
	}
}

// chat10MB is a chat of ten megabytes with turns of some kilobytes.
func chat10MB() string {
	var b strings.Builder
	paragraph := strings.Repeat("A line of prose that is about as long as lines of prose are, give or take a word.\n", 12) + "\n"
	for b.Len() < 10<<20 {
		b.WriteString("## You\n\n" + paragraph + "## Assistant\n\n" + strings.Repeat(paragraph, 3) +
			"```go\nfunc main() {\n\tprintln(\"a\")\n}\n```\n\n```tool read_file call_1\npath: README.md\n```\n\n" +
			"```result call_1 ok 12ms\n" + paragraph + "```\n\n")
	}
	return b.String() + "## You\n\nLast "
}

func BenchmarkParse(b *testing.B) {
	prose := "## You\n\n" + strings.Repeat("A line of prose that is about as long as lines of prose are, give or take a word.\n", 10<<20/82)
	for name, text := range map[string]string{"chat": chat10MB(), "prose": prose} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Parse(text)
			}
		})
	}
}

func BenchmarkUpdate(b *testing.B) {
	text := chat10MB()
	turns := Parse(text).Turns
	for name, at := range map[string]int{"end": len(text), "middle": turns[len(turns)/2].Heading.End + 2, "start": len("## You\n\n")} {
		b.Run(name, func(b *testing.B) {
			longer, change := typed(text, at, "x")
			back := Change{Start: at, OldEnd: at + 1, NewEnd: at}
			chat := Parse(text)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%2 == 0 {
					chat = Update(chat, whole(longer), change)
				} else {
					chat = Update(chat, whole(text), back)
				}
			}
		})
	}
}

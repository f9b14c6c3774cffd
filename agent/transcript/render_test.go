package transcript

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// noSpans compares chats up to their places in the document. Problems are places too.
var noSpans = cmp.FilterPath(func(p cmp.Path) bool {
	name := p.Last().String()
	return name == ".Span" || name == ".Heading" || name == ".Problems"
}, cmp.Ignore())

// Invariant 12.
func TestRenderAndParseAreInverse(t *testing.T) {
	t.Parallel()
	for seed := range fewer(uint64(3_000)) {
		checkInverse(t, seed, 1)
	}
}

// Invariant 12.
func FuzzRender(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) { checkInverse(t, a, b) })
}

func checkInverse(t *testing.T, a, b uint64) {
	t.Helper()
	c := normal(chat(rand.New(rand.NewPCG(a, b))))
	file := Render(c)
	got := Parse(file)
	if diff := cmp.Diff(c, *got, noSpans); diff != "" {
		t.Fatalf("seed %d, %d: Parse(Render(c)) differs from c:\n%s\nthe file:\n%s\n%q", a, b, diff, file, file)
	}
	if len(got.Problems) > 0 && len(c.Turns) > 0 {
		t.Fatalf("seed %d, %d: a file of ours has problems: %+v\n%s", a, b, got.Problems, file)
	}
	if again := Render(*got); again != file {
		t.Fatalf("seed %d, %d: Render(Parse(f)) differs from f:\n%s", a, b, cmp.Diff(file, again))
	}
	if end := NewWriter(file).End(); end != "" {
		t.Fatalf("seed %d, %d: a file of ours ends inside something that %q closes:\n%s", a, b, end, file)
	}
}

// What an editor or git does to a file must not change what the model is sent.
// Invariant 12.
func TestBlocksSurviveEditors(t *testing.T) {
	t.Parallel()
	trim := func(s string) string {
		lines := strings.Split(s, "\n")
		for i, line := range lines {
			lines[i] = strings.TrimRight(line, " \t")
		}
		return strings.Join(lines, "\n")
	}
	transformations := map[string]func(string) string{
		"trim blanks":       trim,
		"CRLF":              func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"CR":                func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
		"no final line end": func(s string) string { return strings.TrimSuffix(s, "\n") },
		"no final lines":    func(s string) string { return strings.TrimRight(s, "\n") },
		"one more line end": func(s string) string { return s + "\n" },
	}
	for seed := range fewer(uint64(500)) {
		c := normal(chat(rand.New(rand.NewPCG(seed, 3))))
		file := Render(c)
		for name, transform := range transformations {
			got := *Parse(transform(file))
			want := c
			if name == "trim blanks" { // prose keeps its blanks
				want, got = withoutProse(want), withoutProse(got)
			}
			if diff := cmp.Diff(want, got, noSpans); diff != "" {
				t.Fatalf("seed %d, %s:\n%s\n%q", seed, name, diff, transform(file))
			}
		}
	}
}

func withoutProse(c Chat) Chat {
	turns := c.Turns
	c.Turns, c.Preamble = nil, Text{}
	for _, turn := range turns {
		var blocks []Block
		for _, b := range turn.Blocks {
			if _, ok := b.(Text); !ok {
				blocks = append(blocks, b)
			}
		}
		turn.Blocks = blocks
		c.Turns = append(c.Turns, turn)
	}
	return c
}

func TestRoundTook(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want time.Duration }{
		{-1, 0},
		{0, 0},
		{1, time.Millisecond},
		{12_400 * time.Microsecond, 12 * time.Millisecond},
		{1234 * time.Millisecond, 1200 * time.Millisecond},
		{999_900 * time.Microsecond, time.Second},
	} {
		if got := RoundTook(tt.in); got != tt.want || RoundTook(got) != got {
			t.Errorf("RoundTook(%v) = %v, want %v", tt.in, got, tt.want)
		}
	}
}

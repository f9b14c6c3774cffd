package documents

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// The oracle: plain strings and the words of the specification, without regard to speed.

// lineSpans returns where each line begins and ends, without its line end.
func lineSpans(s string, lfOnly bool) []Span {
	var lines []Span
	start := 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\n':
			lines = append(lines, Span{start, i})
		case s[i] == '\r' && !lfOnly:
			lines = append(lines, Span{start, i})
			if strings.HasPrefix(s[i:], "\r\n") {
				i++
			}
		default:
			continue
		}
		start = i + 1
	}
	return append(lines, Span{start, len(s)})
}

func width(r rune, size int, enc Encoding) int {
	switch {
	case enc == UTF8:
		return size
	case enc == UTF16 && r > 0xFFFF:
		return 2
	}
	return 1
}

func oracleOffset(s string, lines []Span, p Position, enc Encoding) int {
	if int(p.Line) >= len(lines) {
		return len(s)
	}
	line, left := lines[p.Line], int(p.Character)
	for at := line.Start; at < line.End; {
		r, size := utf8.DecodeRuneInString(s[at:])
		if left -= width(r, size, enc); left < 0 {
			return at
		}
		at += size
	}
	return line.End
}

func oraclePosition(s string, lines []Span, offset int, enc Encoding) Position {
	p := Position{}
	for i, line := range lines {
		if line.Start <= offset {
			p = Position{uint32(i), 0}
		}
	}
	line := lines[p.Line]
	for at := line.Start; at < min(offset, line.End); {
		r, size := utf8.DecodeRuneInString(s[at:])
		if at += size; at <= offset {
			p.Character += uint32(width(r, size, enc))
		}
	}
	return p
}

var alphabet = []string{"a", "bc", "\n", "\r\n", "\r", "é", "e\u0301", "€", "😀", "👩\u200d💻", "\t ", "\u2028", "\x00", "long line "}

func randomText(rng *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(alphabet[rng.IntN(len(alphabet))])
	}
	return b.String()
}

// R02, row 6: texts after 100,000 random edits are those of an oracle, in every encoding of positions.
func TestEditsAgainstOracle(t *testing.T) {
	t.Parallel()
	const edits = 100_000
	encodings := []Encoding{UTF8, UTF16, UTF32}
	for _, lfOnly := range []bool{false, true} {
		t.Run(fmt.Sprint("LF only: ", lfOnly), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, 2))
			oracle := ""
			text := newText("", lfOnly)
			for i := range edits / 2 {
				if i%500 == 0 { // small texts for many borders, now and then one of several pieces
					oracle = randomText(rng, []int{0, 10, 30}[rng.IntN(3)])
					if i%5000 == 0 {
						oracle = strings.Repeat(randomText(rng, 50), 400+rng.IntN(600))
					}
					text = newText(oracle, lfOnly)
				}
				enc := encodings[rng.IntN(3)]
				if len(oracle) < 2000 || i%50 == 0 {
					checkPlaces(t, rng, text, oracle, lfOnly, enc)
				}
				from := border(rng, oracle)
				to := from
				if rng.IntN(2) == 0 {
					to = alignDown(oracle, min(len(oracle), from+rng.IntN(1+min(40, len(oracle)))))
				}
				insert := randomText(rng, rng.IntN(4))
				var err error
				if text, err = text.Replace(Span{from, to}, insert); err != nil {
					t.Fatal(err)
				}
				oracle = oracle[:from] + insert + oracle[to:]
				if text.Len() != len(oracle) || len(oracle) < 2000 && text.String() != oracle || i%500 == 499 && text.String() != oracle {
					t.Fatalf("edit %d: the text differs", i)
				}
			}
		})
	}
}

func border(rng *rand.Rand, s string) int { return alignDown(s, rng.IntN(len(s)+1)) }

func checkPlaces(t *testing.T, rng *rand.Rand, text Text, s string, lfOnly bool, enc Encoding) {
	t.Helper()
	lines := lineSpans(s, lfOnly)
	if text.total().breaks+1 != len(lines) {
		t.Fatalf("%d lines, want %d: %.200q", text.total().breaks+1, len(lines), s)
	}
	p := Position{uint32(rng.IntN(len(lines) + 2)), uint32(rng.IntN(30))}
	if got, want := text.Offset(p, enc), oracleOffset(s, lines, p, enc); got != want {
		t.Fatalf("offset of %v in %s: %d, want %d: %.200q", p, enc, got, want, s)
	}
	offset := rng.IntN(len(s) + 1)
	if got, want := text.Position(offset, enc), oraclePosition(s, lines, offset, enc); got != want {
		t.Fatalf("position of %d in %s: %v, want %v: %.200q", offset, enc, got, want, s)
	}
	offsets := []int{border(rng, s), border(rng, s), border(rng, s), len(s)}
	slices.Sort(offsets)
	for i, got := range text.Positions(offsets, enc) {
		if want := oraclePosition(s, lines, offsets[i], enc); got != want {
			t.Fatalf("positions of %v in %s: %v for %d, want %v: %.200q", offsets, enc, got, offsets[i], want, s)
		}
	}
	a := rng.IntN(len(s) + 1)
	b := a + rng.IntN(len(s)-a+1)
	if text.Slice(a, b) != s[a:b] {
		t.Fatalf("slice %d to %d differs", a, b)
	}
}

// TestEditsAtBorders edits where the text is cut into pieces: a CRLF or a character must not end up on both sides.
func TestEditsAtBorders(t *testing.T) {
	unit := strings.Repeat("a", 5*pieceSize)
	for _, p := range NewText(unit).d.pieces {
		for at := p.end.bytes - 2; at <= min(p.end.bytes+2, len(unit)-4); at++ {
			for _, steps := range [][]struct {
				s    Span
				text string
			}{
				{{Span{at, at}, "\r"}, {Span{at + 1, at + 1}, "\n"}},
				{{Span{at, at}, "\n"}, {Span{at, at}, "\r"}},
				{{Span{at, at + 2}, "\r\n"}, {Span{at + 1, at + 1}, "b"}, {Span{at + 1, at + 2}, ""}},
				{{Span{at, at}, "\r"}, {Span{at + 3, at + 3}, "\n"}, {Span{at + 1, at + 3}, ""}},
				{{Span{at - pieceSize/2, at}, "\r"}, {Span{at - pieceSize/2 + 1, at - pieceSize/2 + 1}, "\n😀"}},
			} {
				text, oracle := NewText(unit), unit
				for _, e := range steps {
					var err error
					if text, err = text.Replace(e.s, e.text); err != nil {
						t.Fatal(err)
					}
					oracle = oracle[:e.s.Start] + e.text + oracle[e.s.End:]
				}
				if got, want := text.total().breaks+1, len(lineSpans(oracle, false)); got != want || text.String() != oracle {
					t.Errorf("at %d: %d lines, want %d", at, got, want)
				}
			}
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\r\n😀b", "\n", 1, 2, uint32(1), uint32(1))
	f.Fuzz(func(t *testing.T, s, insert string, from, to int, line, char uint32) {
		s, insert = strings.ToValidUTF8(s, "?"), strings.ToValidUTF8(insert, "?")
		text := NewText(s)
		after, err := text.Replace(Span{from, to}, insert)
		if (err == nil) != (0 <= from && from <= to && to <= len(s)) {
			t.Fatalf("span %d to %d of %d: %v", from, to, len(s), err)
		}
		want := s
		if err == nil {
			want = s[:from] + insert + s[to:]
		}
		if after.String() != want || text.String() != s {
			t.Fatalf("got %q, want %q", after.String(), want)
		}
		if !utf8.ValidString(want) {
			return
		}
		for _, enc := range []Encoding{UTF8, UTF16, UTF32} {
			lines := lineSpans(want, false)
			p := Position{line, char}
			offset := after.Offset(p, enc)
			if o := oracleOffset(want, lines, p, enc); offset != o {
				t.Fatalf("%v in %s: %d, want %d", p, enc, offset, o)
			}
			if back := after.Offset(after.Position(offset, enc), enc); back != offset {
				t.Fatalf("%d comes back as %d", offset, back)
			}
		}
	})
}

func TestOffsetClamps(t *testing.T) {
	text := NewText("ab\r\n😀c\rd\n")
	for _, c := range []struct {
		p    Position
		want int
	}{
		{Position{0, 2}, 2},
		{Position{0, 3}, 2},
		{Position{0, 1 << 31}, 2},
		{Position{1, 1}, 4}, // inside the surrogate pair
		{Position{1, 2}, 8},
		{Position{1, 9}, 9},
		{Position{2, 0}, 10},
		{Position{3, 0}, 12},
		{Position{3, 5}, 12},
		{Position{1 << 31, 0}, 12},
	} {
		if got := text.Offset(c.p, UTF16); got != c.want {
			t.Errorf("%v: %d, want %d", c.p, got, c.want)
		}
	}
	if got := NewLFText("ab\r\nc").Offset(Position{0, 3}, UTF16); got != 3 {
		t.Errorf("a CR as a character: %d, want 3", got)
	}
	if got := NewLFText("ab\rc").Offset(Position{1, 0}, UTF16); got != 3 {
		t.Errorf("a text of CR lines: %d, want 3", got)
	}
}

// TestEditOfLargeText keeps an edit of a 10 MB document from copying it. Times are for the benchmark: on a busy machine
// they say nothing.
func TestEditOfLargeText(t *testing.T) {
	text := NewText(strings.Repeat("A line of a chat, with an é and a 😀 in it.\n", 230_000))
	rng := rand.New(rand.NewPCG(3, 4))
	const edits = 200
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range edits {
		at := text.Offset(Position{uint32(rng.IntN(230_000)), uint32(rng.IntN(40))}, UTF16)
		var err error
		if text, err = text.Replace(Span{at, at}, "x"); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / edits; each > 512<<10 {
		t.Errorf("an edit of %d bytes allocates %d", text.Len(), each)
	}
}

// BenchmarkChange10MB tells the 99th percentile too: it must stay below 5 ms.
func BenchmarkChange10MB(b *testing.B) {
	s := NewStore(UTF16, false)
	s.Open(fakeURI, 1, strings.Repeat("A line of a chat, with an é and a 😀 in it.\n", 230_000))
	rng := rand.New(rand.NewPCG(3, 4))
	version := int32(1)
	b.ReportAllocs()
	var times []time.Duration
	for b.Loop() {
		begin := time.Now()
		at := Position{uint32(rng.IntN(230_000)), uint32(rng.IntN(40))}
		version++
		if _, err := s.Change(fakeURI, version, []Change{{&Range{at, at}, "x"}}); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
}

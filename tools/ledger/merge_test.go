package ledger

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestMerge(t *testing.T) {
	for name, c := range map[string]struct{ origin, ours, theirs, merged, conflicts string }{
		"nothing":             {"a\nb\n", "a\nb\n", "a\nb\n", "a\nb\n", ""},
		"ours":                {"a\nb\n", "a\nB\n", "a\nb\n", "a\nB\n", ""},
		"theirs":              {"a\nb\n", "a\nb\n", "A\nb\n", "A\nb\n", ""},
		"next to each other":  {"a\nb\n", "a\nB\n", "A\nb\n", "A\nB\n", ""},
		"the same lines":      {"a\nb\nc\n", "a\nB\nc\n", "a\nX\nc\n", "a\nX\nc\n", "X\n"},
		"the same change":     {"a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\n", "a\nB\nc\n", ""},
		"both insert here":    {"a\nb\n", "a\n1\nb\n", "a\n2\nb\n", "a\n2\nb\n", "2\n"},
		"inserted in deleted": {"a\nb\nc\nd\n", "a\nd\n", "a\nb\n2\nc\nd\n", "a\nb\n2\nc\nd\n", "b\n2\nc\n"},
		"no last line end":    {"a\nb", "a\nb\nc", "A\nb", "A\nb\nc", ""},
		"their line ends":     {"a\nb\n", "a\nB\n", "a\r\nb\r\n", "a\r\nb\r\n", "a\r\nb\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			merged, conflicts := merge(c.origin, c.ours, c.theirs)
			var shown strings.Builder
			for _, s := range conflicts {
				shown.WriteString(s.of(c.theirs))
			}
			if merged != c.merged || shown.String() != c.conflicts {
				t.Errorf("merge = %q, conflicts %q", merged, shown.String())
			}
		})
	}
}

// TestAlignIsWhole: outside of the places all three texts are the same, and a merge with one side unchanged is the
// other side.
func TestAlignIsWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		origin := randomText(r)
		ours, theirs := vary(r, origin), vary(r, origin)
		var rests [3]string
		at := [3]int{}
		for _, c := range align(origin, ours, theirs) {
			for i, part := range []struct {
				text string
				span span
			}{{origin, c.origin}, {ours, c.ours}, {theirs, c.theirs}} {
				if part.span.start < at[i] || part.span.end < part.span.start || part.span.end > len(part.text) {
					t.Fatalf("%q %q %q: %+v", origin, ours, theirs, c)
				}
				rests[i] += part.text[at[i]:part.span.start] + "|"
				at[i] = part.span.end
			}
			if !c.byThem && c.byUs != (c.origin.of(origin) != c.ours.of(ours)) {
				t.Fatalf("%q %q %q: %+v", origin, ours, theirs, c)
			}
		}
		for i, text := range []string{origin, ours, theirs} {
			rests[i] += text[at[i]:]
		}
		if rests[0] != rests[1] || rests[0] != rests[2] {
			t.Fatalf("%q %q %q: %q", origin, ours, theirs, rests)
		}
		if merged, conflicts := merge(origin, ours, origin); merged != ours || conflicts != nil {
			t.Fatalf("%q with %q: %q %v", origin, ours, merged, conflicts)
		}
		if merged, conflicts := merge(origin, origin, theirs); merged != theirs || conflicts != nil {
			t.Fatalf("%q with %q: %q %v", origin, theirs, merged, conflicts)
		}
		if merged, conflicts := merge(origin, ours, ours); merged != ours || conflicts != nil {
			t.Fatalf("%q with %q: %q %v", origin, ours, merged, conflicts)
		}
	}
}

// randomText has few different lines, so that it repeats itself.
func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(12) {
		b.WriteString([]string{"a\n", "b\n", "c\n", "\n", "x\r\n"}[r.IntN(5)])
	}
	if r.IntN(4) == 0 {
		b.WriteString("end")
	}
	return b.String()
}

// vary changes a few lines of a text.
func vary(r *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	for range r.IntN(4) {
		i := r.IntN(len(lines))
		switch r.IntN(3) {
		case 0:
			lines[i] = ""
		case 1:
			lines[i] = "new\n" + lines[i]
		default:
			lines[i] = strings.ToUpper(lines[i])
		}
	}
	return strings.Join(lines, "")
}

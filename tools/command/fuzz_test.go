package command

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// FuzzParse: any text is either not understood, with a reason, or read as a line that reads the same again when every
// word is quoted.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"go test ./... 2>&1 | tail -5", "cd a && b || c; d > e", `echo a"b c"'d'\ e`, "a &> b |& c", "[ -f x ] && echo 'it'\\''s'"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		line, err := Parse(text)
		if err != nil {
			if !errors.Is(err, ErrNotUnderstood) || len(line.Parts) > 0 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		quoted := written(line)
		again, err := Parse(quoted)
		if err != nil {
			t.Fatalf("%q: %q: %v", text, quoted, err)
		}
		if diff := cmp.Diff(line, again, cmpopts.IgnoreFields(Line{}, "Text"), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%q: %q\n%s", text, quoted, diff)
		}
		for _, part := range line.Parts {
			Harmless(part.Argv)
			if !matches(Quote(part.Argv...), part.Argv) {
				t.Fatalf("%q: %q is no pattern of itself", text, part.Argv)
			}
		}
	})
}

// written is a line with every word quoted.
func written(l Line) string {
	var b strings.Builder
	if l.Dir != "" {
		b.WriteString("cd " + Quote(l.Dir) + " && ")
	}
	for _, part := range l.Parts {
		b.WriteString(" " + string(part.Joint) + " " + Quote(part.Argv...))
		for _, r := range part.Redirects {
			b.WriteString(" " + string("012"[r.From]) + r.Op)
			if r.Op == ">&" {
				b.WriteString(string("012"[r.To]))
			} else {
				b.WriteString(Quote(r.Path))
			}
		}
	}
	return b.String()
}

package attach_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/attach"
)

func TestAround(t *testing.T) {
	const text = `package main

const Limit = 10

// Run runs.
// It never stops.
func Run() {
	var x int
	for {
		x++
	}
}

type Server struct {
	name string
}

func last() {}
`
	for _, tt := range []struct{ line, first, last int }{
		{1, 1, 1},
		{2, 0, 0},
		{3, 3, 3},
		{5, 5, 12},
		{6, 5, 12},
		{7, 5, 12},
		{8, 5, 12},
		{10, 5, 12},
		{12, 5, 12},
		{13, 0, 0},
		{15, 14, 16},
		{18, 18, 18},
		{19, 0, 0},
		{0, 0, 0},
		{99, 0, 0},
	} {
		for name, text := range map[string]string{"LF": text, "CRLF": strings.ReplaceAll(text, "\n", "\r\n")} {
			first, last, ok := attach.Around(text, tt.line)
			if first != tt.first || last != tt.last || ok != (tt.first > 0) {
				t.Errorf("%s: line %d is in %d to %d, %v; want %d to %d", name, tt.line, first, last, ok, tt.first, tt.last)
			}
		}
	}
}

func TestWriteMention(t *testing.T) {
	for _, tt := range []struct {
		rel         string
		first, last int
		want        string
	}{
		{"main.go", 10, 40, "@main.go:10-40"},
		{"main.go", 7, 7, "@main.go:7"},
		{"src/main.go", 0, 0, "@src/main.go"},
		{"Makefile", 0, 0, `@"Makefile"`},
		{"Makefile", 1, 2, "@Makefile:1-2"},
		{"my file.txt", 3, 5, `@"my file.txt":3-5`},
		{"odd).go", 1, 2, "@odd).go:1-2"},
		{"diff", 1, 2, "@diff:1-2"},
		{"selection", 0, 0, `@"selection"`},
		{"a:10", 0, 0, `@"a:10"`},
		{`say "hi".go`, 1, 2, ""},
		{"a`b.go", 1, 2, ""},
		{"two\nlines.go", 1, 2, ""},
		{"ends with dot.", 1, 2, `@"ends with dot.":1-2`},
		{"名前.go", 1, 2, "@名前.go:1-2"},
	} {
		got, err := attach.WriteMention(tt.rel, tt.first, tt.last)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%q is written %q (%v), want %q", tt.rel, got, err, tt.want)
		}
		if err != nil {
			continue
		}
		found := attach.FindMentions("Explain " + got + ", and what follows.")
		if len(found) != 1 || found[0].Name != tt.rel || found[0].First != tt.first || found[0].Last != tt.last {
			t.Errorf("%q is read back as %+v", got, found)
		}
	}
}

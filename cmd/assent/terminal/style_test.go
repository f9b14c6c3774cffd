package terminal

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/internal/visible"
)

func TestWhenStylesAreUsed(t *testing.T) {
	for _, test := range []struct {
		when        Color
		live        bool
		term, plain string
		want        bool
	}{
		{Auto, true, "xterm", "", true},
		{Auto, false, "xterm", "", false},
		{Auto, true, "dumb", "", false},
		{Auto, true, "xterm", "1", false},
		{Always, false, "dumb", "1", true},
		{Never, true, "xterm", "", false},
		{"", true, "xterm", "", false},
	} {
		t.Setenv("TERM", test.term)
		t.Setenv("NO_COLOR", test.plain)
		if got := test.when.on(test.live); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
	var c Color
	if err := c.Set("sometimes"); err == nil || c.Set("never") != nil || c != Never {
		t.Errorf("%v, %v", err, c)
	}
}

// ours are the only control sequences that may reach a terminal.
var ours = regexp.MustCompile("\x1b\\[(0|1|2|31|32|33|36)m")

func TestOnlyOurStylesReachTheTerminal(t *testing.T) {
	for _, styled := range []bool{true, false} {
		var out bytes.Buffer
		w := &Writer{out: &out, styled: styled}
		Print(w, Piece{hostile, Red}, Piece{Text: hostile}, Piece{"\x1b[31m", ""}, Piece{"\x1b[0m", Bold})
		Table(w, [][]Piece{{{hostile, Green}, {"\x1b]0;x\a", Cyan}}, {{Text: "a"}, {Text: "b"}}})
		text := ours.ReplaceAllString(out.String(), "")
		if visible.Text(text) != text || styled == (text == out.String()) {
			t.Errorf("styled %v: %q", styled, out.String())
		}
	}
	for _, row := range styledRows("--- a\n+++ b\n@@ 1 @@\n-"+hostile+"\n", "> ", 24, ofDiff("--- a\n+++ b\n@@ 1 @@\n")) {
		if text := ours.ReplaceAllString(row, ""); visible.Text(text) != text {
			t.Errorf("%q", row)
		}
	}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	Table(&Writer{out: &out, styled: true}, [][]Piece{
		{{"NAME", Bold}, {"SAYS", Bold}}, {{Text: "日本"}, {"ok", Green}, {Text: ""}}, {{Text: "a\nb"}, {Text: "x"}},
	})
	want := "\x1b[1mNAME\x1b[0m  \x1b[1mSAYS\x1b[0m\n日本  \x1b[32mok\x1b[0m    \na⏎b   x\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestStylesOfOthersAreShown: what looks like one of ours is text all the same.
func TestStylesOfOthersAreShown(t *testing.T) {
	var out bytes.Buffer
	Print(&Writer{out: &out, styled: true}, Piece{"\x1b[31ma\x1b[0m", Green})
	if got, want := out.String(), "\x1b[32m<U+001B>[31ma<U+001B>[0m\x1b[0m"; got != want {
		t.Errorf("%q", got)
	}
}

// TestRowsOfADiff: a line that is cut keeps its colour, the lines of what is no diff have none.
func TestRowsOfADiff(t *testing.T) {
	diff := "--- a\n+++ a\n@@ -1 +1 @@\n-old\n+" + strings.Repeat("x", 20) + "\n same\n"
	want := []string{
		"> \x1b[1m--- a\x1b[0m", "> \x1b[1m+++ a\x1b[0m", "> \x1b[36m@@ -1 +1 @@\x1b[0m", "> \x1b[31m-old\x1b[0m",
		"> \x1b[32m+" + strings.Repeat("x", 17) + "\x1b[0m", ">     \x1b[32mxxx\x1b[0m", ">  same",
	}
	if got := styledRows(diff, "> ", 24, ofDiff(diff)); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for _, text := range []string{"+1 -2", "echo x\n+ y\n@@ z", ""} {
		if ofDiff(text) != nil {
			t.Errorf("%q is a diff", text)
		}
	}
}

package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools"
)

// patient is a context that is done when it was asked so often.
type patient struct {
	context.Context //nolint:containedctx // it is one

	left int
}

func (p *patient) Err() error {
	if p.left--; p.left <= 0 {
		return context.Canceled
	}
	return nil
}

// TestStopEndsAMatch: a short pattern takes minutes on a large text or a long line; it is left soon after Stop.
// Promise 4. Invariant 13.
func TestStopEndsAMatch(t *testing.T) {
	for name, text := range map[string]string{
		"lines": strings.Repeat(strings.Repeat("a", 99)+"\n", 1000),
		"line":  strings.Repeat("a", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			all, err := Attempts("(?:a?){500}b")
			if err != nil {
				t.Fatal(err)
			}
			ctx := &patient{Context: t.Context(), left: 5}
			if err := all[0].search(ctx, []byte(text), func(int, []byte, []int) {}); !errors.Is(err, context.Canceled) {
				t.Errorf("the match went on to its end: %v", err)
			}
			if ctx.left < -3 {
				t.Errorf("it went on for %d looks at the context", -ctx.left)
			}
		})
	}
}

// TestALargePatternIsRefused: a few bytes can stand for a program of megabytes.
func TestALargePatternIsRefused(t *testing.T) {
	if _, err := Attempts(strings.Repeat("x{1000}", 30)); err == nil {
		t.Error("30,000 instructions are taken")
	}
	if _, err := Attempts(strings.Repeat("x{1000}", 15)); err != nil {
		t.Error(err)
	}
}

// TestPartsOfATextMatchAsTheWhole: wherever a text is parted, the same lines are found, with the same numbers.
func TestPartsOfATextMatchAsTheWhole(t *testing.T) {
	for _, text := range []string{"", "\n", "ab", "ab\n", "ab\r\nb\r\n", "\n\nab\n\na long line with b\nb", "abc\nb\n\nab\nx\n"} {
		for _, pattern := range []string{"b$", "^", "a?b", "^$", "x|c"} {
			find := func(stride int) []string {
				all, err := Attempts(pattern)
				if err != nil {
					t.Fatal(err)
				}
				all[0].chunkSize = stride
				return matchesOf(t, all[0], text)
			}
			want := find(math.MaxInt)
			for stride := 1; stride <= len(text)+1; stride++ {
				if diff := cmp.Diff(want, find(stride)); diff != "" {
					t.Errorf("%q in %q, %d bytes at a time:\n%s", pattern, text, stride, diff)
				}
			}
		}
	}
	all, _ := Attempts("b")
	if found := matchesOf(t, all[0], "a\nb"); fmt.Sprint(found) != "[2: b]" {
		t.Errorf("found %q", found)
	}
}

func matchesOf(t *testing.T, a *Attempt, text string) (found []string) {
	t.Helper()
	if err := a.search(t.Context(), []byte(text), func(number int, line []byte, _ []int) {
		found = append(found, fmt.Sprintf("%d: %s", number, line))
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestAStoppedCallSaysSo in the words of people, not of contexts.
func TestAStoppedCallSaysSo(t *testing.T) {
	if r := tools.FailedBy(fmt.Errorf("walk: %w", context.Canceled)); r.Text() != "[Stopped by the user.]" || !r.Failed {
		t.Errorf("%+v", r)
	}
}

// TestNeedlesMissNothing: lines without a needle are not looked at, and none of those would match.
func TestNeedlesMissNothing(t *testing.T) {
	text := strings.Join([]string{
		"", "ParseDuration", "parseduration", "PARSE duration", "par\u017feduration", "tic\u212Aet", "ticket TICKET", "dur", "foo bar", "FOO  baz", "x_1", "a\r", "né", "NÉ", "ends",
	}, "\n")
	for _, pattern := range []string{
		"ParseDuration", "parseduration", "ticket", "sks", "n\u00e9", `foo|ba[rz]`, `(?i)foo\s+ba`, `(dur){1,2}`, `(dur)?a`, `\w+_\d`, `^(Parse|par.e)dur`, `t.*t`, `s$`, `a\nb`, "k", `(?:foo|)x`, `[Tt]icket`, "\u212a", "Duration", "T", "tt", "OO", "_1", "FOO  baz", "ré",
	} {
		all, err := Attempts(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range all {
			var want []string
			for n, line := range strings.Split(text, "\n") {
				if line = strings.TrimSuffix(line, "\r"); a.re.MatchString(line) {
					want = append(want, fmt.Sprintf("%d: %s", n+1, line))
				}
			}
			if diff := cmp.Diff(want, matchesOf(t, a, text)); diff != "" {
				t.Errorf("%q, interpretation %d:\n%s", pattern, i, diff)
			}
		}
	}
}

package edit

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// stopping is a context that ends when it is asked for the nth time, and counts on.
type stopping struct {
	context.Context //nolint:containedctx // it is a context itself

	left, after int
}

func (s *stopping) Err() error {
	if s.left--; s.left >= 0 {
		return nil
	}
	s.after++
	return context.Canceled
}

func TestStopEndsTheSearchForTheClosestText(t *testing.T) {
	text := strings.Repeat("something else\n", 1000) + "the wanted words\n"
	if near := Nearest(t.Context(), text, "the wanted word", 2); len(near) != 1 || near[0].Line != 1001 {
		t.Fatalf("Nearest = %+v", near)
	}
	ctx := &stopping{Context: t.Context(), left: 20}
	if near := Nearest(ctx, text, "the wanted word", 2); near != nil || ctx.after != 1 {
		t.Errorf("after Stop: %+v, asked %d times more", near, ctx.after)
	}
	_, err := Find(&stopping{Context: t.Context(), left: 20}, text, "the wanted word.", "x")
	if missing, ok := errors.AsType[*NotFoundError](err); !ok || missing.Nearest != nil {
		t.Errorf("after Stop: %v", err)
	}
}

func TestTheClosestTextIsSearchedInABoundedPart(t *testing.T) {
	const wanted = "the wanted words\n"
	for _, tt := range []struct {
		line  string
		times int
		found bool
	}{
		{"x\n", maxNearRows - 1, true},
		{"x\n", maxNearRows, false},
		{"\n", maxNearRows, false},
		{strings.Repeat("x", 1023) + "\n", maxNearText/1024 - 1, true},
		{strings.Repeat("x", 1023) + "\n", maxNearText / 1024, false},
	} {
		text := strings.Repeat(tt.line, tt.times) + wanted
		if looked := beginning(text); strings.Count(looked, "\n") > maxNearRows || len(looked) > maxNearText || !strings.HasPrefix(text, looked) {
			t.Errorf("%d lines of %d bytes: %d bytes are looked at", tt.times, len(tt.line), len(looked))
		}
		if near := Nearest(t.Context(), text, wanted, 2); len(near) > 0 != tt.found {
			t.Errorf("%d lines of %d bytes: found %v; want %v", tt.times, len(tt.line), !tt.found, tt.found)
		}
	}
}

// In a text that repeats itself a hunk may be at any of a million places, each of which takes a long comparison.
func TestAHunkIsComparedWithABoundedNumberOfPlaces(t *testing.T) {
	text := strings.Repeat("a", 1<<20)
	for _, h := range []Hunk{
		{Old: text[:1<<19], New: "b"},
		{Before: text[:1<<19], New: "b"},
		{Before: text[:1<<19], Old: "a", New: "b", After: text[:1<<18]},
	} {
		if got, err := Apply(text, h); !errors.Is(err, ErrGone) || got != text {
			t.Errorf("Apply = %v", err)
		}
	}
	at, all := overlapping(text, text[:1<<19])
	if all || len(at) > maxCompared/(1<<19) {
		t.Errorf("%d places, all %v", len(at), all)
	}
	if at, all = overlapping("abcabc", "abc"); !all || len(at) != 2 {
		t.Errorf("places %v, all %v", at, all)
	}
}

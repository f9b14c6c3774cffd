package documents

import (
	"math/rand/v2"
	"testing"
)

func TestSinceTellsWhereTextsDiffer(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 5))
		before := randomText(rng, rng.IntN(5*pieceMax))
		text := newText(before, rng.IntN(2) == 0)
		next := text
		for range rng.IntN(4) {
			now := next.String()
			start := border(rng, now)
			end := alignDown(now, min(len(now), start+rng.IntN(1+rng.IntN(3*pieceSize))))
			var err error
			if next, err = next.Replace(Span{start, end}, randomText(rng, rng.IntN(50))); err != nil {
				t.Fatal(err)
			}
		}
		then, now := next.Since(text)
		after := next.String()
		if then.Start != now.Start || then.End < then.Start || now.End < now.Start {
			t.Fatalf("seed %d: %v became %v", seed, then, now)
		}
		if got := before[:then.Start] + after[now.Start:now.End] + before[then.End:]; got != after {
			t.Fatalf("seed %d: %v became %v, which makes another text of %d bytes, not %d", seed, then, now, len(got), len(after))
		}
	}
}

func TestSinceOfOneLetter(t *testing.T) {
	t.Parallel()
	text := NewText(randomText(rand.New(rand.NewPCG(1, 2)), 20*pieceSize) + "some words")
	next, err := text.Replace(Span{text.Len() - 5, text.Len() - 5}, "x")
	if err != nil {
		t.Fatal(err)
	}
	at := text.Len() - 5
	if then, now := next.Since(text); then != (Span{at, at}) || now != (Span{at, at + 1}) {
		t.Errorf("%v became %v, want one letter at %d", then, now, at)
	}
	if then, now := (Text{}).Since(text); then.End != text.Len() || now.End != 0 {
		t.Errorf("%v became %v", then, now)
	}
}

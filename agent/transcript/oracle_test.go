package transcript

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pieces are the parts of lines that decide the block structure.
var pieces = strings.Split("## You|## Assistant ##|```|````|~~~|```go|~~~ x|> |- |* |+ |1. |2) |10. | |  |    |\t|\n|\n|\n|\n\n|a|b c|<!--|-->|"+
	"<div>|</div>|<x-y>|<pre>|</pre>|<?|?>|<!X|>|---|===|***|#|\\|`|<![CDATA[|]]>", "|")

func document(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(14) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String() + "\n" // goldmark v1 loses the last byte of an info string that ends the document
}

// departs finds where goldmark is not CommonMark: a blank line after an empty item in an item ends the outer one too,
// and a tag with a tab after it opens no HTML block.
var departs = regexp.MustCompile(`(?m)([-+*]|[0-9][.)])[ \t>]+([-+*]|[0-9]+[.)])[ \t]*\n[ \t>]*\n|>[ ]*\t`)

func TestTopLevelAgreesWithGoldmark(t *testing.T) {
	t.Parallel()
	for seed := range fewer(uint64(20_000)) {
		checkOracle(t, seed, 1)
	}
}

func FuzzTopLevel(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) { checkOracle(t, a, b) })
}

func checkOracle(t *testing.T, a, b uint64) {
	t.Helper()
	doc := document(rand.New(rand.NewPCG(a, b)))
	if departs.MatchString(doc) {
		return
	}
	if diff := cmp.Diff(oracle(doc), topLevel(doc)); diff != "" {
		t.Errorf("seed %d, %d: goldmark reads %q otherwise:\n%s", a, b, doc, diff)
	}
}

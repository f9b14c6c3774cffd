package attach_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/attach"
)

// A question brings more files than a change, as long as they are short and have enough of its words.
func TestWhatIsBrought(t *testing.T) {
	files := map[string]string{
		"plum.md": "Plum cake: 3 eggs", "almond.md": "Almond cake: 5 eggs", "sponge.md": "Sponge: 4 eggs", "pancakes.md": "Pancakes: 2 eggs", "omelette.md": "Omelette: 6 eggs",
		"flan.md": "Flan: 3 eggs", "long.md": "Eggs. " + strings.Repeat("Words about other things. ", 400),
	}
	for i := range 12 {
		files[fmt.Sprintf("bread%d.md", i)] = "Rye bread, without any"
	}
	x := newFixture(t, files)
	question := attach.Look(t.Context(), x.ws, "Eggs", attach.ForAQuestion())
	change := attach.Look(t.Context(), x.ws, "Eggs", attach.ForAChange())
	if len(question.Files) != 5 || len(change.Files) != 3 || slices.ContainsFunc(question.Files, func(f string) bool { return strings.HasPrefix(f, "bread") }) {
		t.Errorf("a question brings %v, a change %v", question.Files, change.Files)
	}
	large := newFixture(t, map[string]string{"a.md": "eggs " + strings.Repeat("x ", 1900), "b.md": "eggs " + strings.Repeat("y ", 1900), "c.md": "no", "d.md": "no", "e.md": "no", "f.md": "no"})
	if got := attach.Look(t.Context(), large.ws, "Eggs", attach.ForAQuestion()).Files; len(got) != 1 {
		t.Errorf("together too long: %v", got)
	}
	const strange = "Do blue whales, quick foxes and lazy dogs ever eat eggs?"
	if got := attach.Look(t.Context(), large.ws, strange, attach.ForAQuestion()); len(got.Files) != 0 || got.Covers <= 0 {
		t.Errorf("a question about other things brings %v", got)
	}
}

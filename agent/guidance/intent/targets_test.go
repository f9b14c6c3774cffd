package intent_test

import (
	"slices"
	"testing"

	"github.com/assent-ls/assent/agent/guidance/intent"
)

func TestTargets(t *testing.T) {
	for message, want := range map[string][]string{
		"Set it to 2 in a.txt and add a line to docs/b.md.":           {"a.txt", "docs/b.md"},
		"Add a row to a.txt, like in docs/b.md":                       {"a.txt"},
		"Rename the function in A.TXT; `docs/b.md` must say so, too.": {"a.txt", "docs/b.md"},
		"Copy the table from b.md into a.txt.":                        {"a.txt"},
		"Fix a.txt according to docs/b.md":                            {"a.txt"},
		"Change the port in a.txt to what is written in `docs/b.md`.": {"a.txt"},
		"What do a.txt and docs/b.md say?":                            nil,
		"Change the port.":                                            nil,
	} {
		if got := intent.Targets(message, []string{"a.txt", "docs/b.md"}); !slices.Equal(got, want) {
			t.Errorf("%s: %v, not %v", message, got, want)
		}
	}
}

func TestShortens(t *testing.T) {
	for message, want := range map[string]bool{
		"Remove the second paragraph": true, "Use tabs instead of spaces": true, "fix the failing test": true,
		"Add a row at the end": false, "The list needs one more item": false, "": false,
	} {
		if got := intent.Shortens(message); got != want {
			t.Errorf("%s: %v", message, got)
		}
	}
}

func TestComputes(t *testing.T) {
	for message, want := range map[string]bool{
		"What do a rye loaf and a plum cake cost together?": true, "how many minutes is that": true, "What is 2 to the power of 12?": true,
		"Which text does src/main.go print?": false, "Who is on call?": false,
	} {
		if got := intent.Computes(message); got != want {
			t.Errorf("%s: %v", message, got)
		}
	}
}

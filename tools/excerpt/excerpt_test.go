package excerpt_test

import (
	"testing"

	"github.com/assent-ls/assent/tools/excerpt"
)

func TestNames(t *testing.T) {
	for want, names := range map[string][]string{
		"":                nil,
		"a":               {"a"},
		"a, b":            {"a", "b"},
		"a, b and 1 more": {"a", "b", "c"},
		"a, b and 2 more": {"a", "b", "c", "d"},
	} {
		if got := excerpt.Names(names, 2); got != want {
			t.Errorf("%q is named %q, not %q", names, got, want)
		}
	}
}

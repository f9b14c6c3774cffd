package search_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/search"
)

func ranked(t *testing.T, pattern string, files map[string]string) []string {
	t.Helper()
	w := search.NewWords(pattern)
	if w == nil {
		return nil
	}
	names := []string{}
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		if err := w.Look(t.Context(), search.Place{Order: i, Rel: name}, []byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	return w.Best()
}

func TestFilesAreRankedByWords(t *testing.T) {
	filler := strings.Repeat("something else is written here, page after page\n", 40)
	files := map[string]string{
		"a/first.txt":        "closed\n" + filler,
		"b/catalog.txt":      "catalogs of connectors\n" + filler, // no word begins with log
		"db/pool.go":         "// closeIdle closes connections that are idle for too long.\nfunc closeIdle() {}\n" + filler,
		"db/a_test.go":       "// closeIdle closes connections that are idle for too long.\nfunc closeIdle() {}\n" + filler,
		"log/connections.md": "What is logged of a connection.\n" + filler,
		"z/all.txt":          strings.Repeat("idle closing connections\n", 3) + strings.Repeat(filler, 30),
	}
	for pattern, want := range map[string][]string{
		"closing idle connections": {"db/pool.go", "db/a_test.go", "z/all.txt"},
		"logging of connections":   {"log/connections.md"},
		"Idle.*CONNECTION":         {"db/pool.go", "db/a_test.go", "z/all.txt"},
		"connections":              nil, // one word
		"the of and":               nil, // none that says anything
		"quarterly frobnication":   nil,
	} {
		if got := ranked(t, pattern, files); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", pattern, got, want)
		}
	}
}

// The line with most of the words is shown, and of equals the one that defines something.
func TestTheLineOfMostWords(t *testing.T) {
	w := search.NewWords("close idle connections")
	text := "connections\n// close idle\nfunc closeIdle() {}\nlast\n"
	if got, want := w.Line("pool.go", text), "pool.go:3: func closeIdle() {}"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := w.Line("pool.go", "nothing of it\n"); got != "" {
		t.Errorf("%q", got)
	}
}

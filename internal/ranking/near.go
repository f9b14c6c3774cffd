package ranking

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

const (
	longestName = 100 // runes of a name that are compared
	shortest    = 3   // runes of a word that may be a part of a name
)

// Near finds which of some names a misspelt word may mean, the likeliest first, at most most of them: names that differ
// in case and punctuation alone, names that begin with the word, names that hold it, and names that few edits make of
// it. Empty: none is near.
func Near(word string, names []string, most int) []string {
	ranks := map[string]int{}
	for _, name := range names {
		if rank, ok := apart(fold(word), fold(name)); ok {
			ranks[name] = rank
		}
	}
	near := slices.SortedFunc(maps.Keys(ranks), func(a, b string) int {
		return cmp.Or(cmp.Compare(ranks[a], ranks[b]), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	return near[:min(len(near), most)]
}

// apart says how far a name is from a word, both folded; false: too far.
func apart(word, name string) (rank int, near bool) {
	size := len([]rune(word))
	switch {
	case word == "" || name == "":
		return 0, false
	case word == name:
		return 0, true
	case size >= shortest && strings.HasPrefix(name, word):
		return 1, true
	}
	edits := levenshtein.ComputeDistance(word, name)
	switch {
	case edits <= min(max(2, size/3), size-1):
		if !lacks(word, name) {
			edits++ // a letter that was left out is likelier than a wrong one
		}
		return 1 + edits, true
	case size > shortest && (strings.Contains(name, word) || len(name) > shortest && strings.HasPrefix(word, name)):
		return longestName + edits, true
	}
	return 0, false
}

// lacks reports whether a word is a name of which letters were left out.
func lacks(word, name string) bool {
	for _, letter := range word {
		_, rest, found := strings.Cut(name, string(letter))
		if !found {
			return false
		}
		name = rest
	}
	return true
}

// fold is a name without case and punctuation.
func fold(name string) string {
	runes := []rune(strings.ToLower(name))
	return strings.NewReplacer("-", "", "_", "", ".", "", " ", "").Replace(string(runes[:min(longestName, len(runes))]))
}

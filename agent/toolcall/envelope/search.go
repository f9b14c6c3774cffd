package envelope

import (
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// searcher searches one text for several things, in any order, and caches the matches: no part of the text is searched
// twice for the same thing, so that reading stays linear whatever the text repeats.
type searcher struct {
	text  string
	known []searchCache
	count *int // bytes that were searched
}

// searchCache has the matches that are known for one key, in the order of the text.
type searchCache struct {
	searchKey
	latest match
	list   []match // found before
}

func (s match) holds(from int) bool { return s.from <= from && from <= s.at }

// searchKey says what is searched for: a marker, or the name of a search function.
type searchKey struct {
	what string
	of   *values.Schema // what it depends on
}

// match says that the first match in text[from:] is text[at:end]; at is the length of the text if there is none.
type match struct {
	from, at, end int
	groups        []int // of a pattern, from at on
}

// find returns the first match that begins at from or later. It calls search only if that is not cached.
func (s *searcher) find(key searchKey, from int, search func(from int) match) match {
	place := slices.IndexFunc(s.known, func(have searchCache) bool { return have.searchKey == key })
	if place < 0 {
		place = len(s.known)
		s.known = append(s.known, searchCache{searchKey: key, latest: match{from: len(s.text) + 1}})
	}
	known := &s.known[place]
	if known.latest.holds(from) {
		return known.latest
	}
	if i := known.after(from) - 1; i >= 0 && known.list[i].holds(from) {
		return known.list[i]
	}
	found := search(from)
	found.from = from
	*s.count += found.at - from
	known = &s.known[place] // search may have called find for another key
	if before := known.latest; before.from <= len(s.text) {
		known.list = slices.Insert(known.list, known.after(before.from), before)
	}
	known.latest = found
	return found
}

// after counts the entries of the list that begin at or before a place.
func (s *searchCache) after(from int) int {
	i, exact := slices.BinarySearchFunc(s.list, from, func(have match, from int) int { return have.from - from })
	if exact {
		i++
	}
	return i
}

// first finds the first of several markers.
func (s *searcher) first(markers []string, from int) match {
	nearest := match{at: len(s.text), end: len(s.text)}
	for _, m := range markers {
		found := s.find(searchKey{what: m}, from, func(from int) match {
			at := strings.Index(s.text[from:], m)
			if at < 0 {
				return match{at: len(s.text), end: len(s.text)}
			}
			return match{at: from + at, end: from + at + len(m)}
		})
		if found.at < nearest.at {
			nearest = found
		}
	}
	return nearest
}

// none reports whether nothing was found.
func (s *searcher) none(found match) bool { return found.at == len(s.text) }

// space is where the whitespace from a place on ends.
func (s *searcher) space(at int) int { return scan.SkipSpace(s.text, at) }

// begins reports whether one of several markers is at a place, and gives its end.
func (s *searcher) begins(at int, markers []string) (end int, found bool) {
	for _, m := range markers {
		if strings.HasPrefix(s.text[at:], m) {
			return at + len(m), true
		}
	}
	return at, false
}

package envelope

import (
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// searcher looks for several things in one text, in any order, and remembers what it found: no stretch of the text is
// searched twice for the same thing, so that reading stays linear whatever the text repeats.
type searcher struct {
	text  string
	known []searched
	count *int // bytes that were searched
}

// searched is what is known of one thing, in the order of the text.
type searched struct {
	sought
	latest stretch
	list   []stretch // found before
}

func (s stretch) holds(from int) bool { return s.from <= from && from <= s.at }

// sought is what is looked for: a marker, or what a function finds, which has a name.
type sought struct {
	what string
	of   *values.Schema // what it depends on
}

// stretch says that the first match in text[from:] is text[at:end]; at is the length of the text if there is none.
type stretch struct {
	from, at, end int
	groups        []int // of a pattern, from at on
}

// find gives the first match that begins at from or later. search is asked only where that is not known yet.
func (s *searcher) find(key sought, from int, search func(from int) stretch) stretch {
	place := slices.IndexFunc(s.known, func(have searched) bool { return have.sought == key })
	if place < 0 {
		place = len(s.known)
		s.known = append(s.known, searched{sought: key, latest: stretch{from: len(s.text) + 1}})
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
	known = &s.known[place] // search may have looked for something else meanwhile
	if before := known.latest; before.from <= len(s.text) {
		known.list = slices.Insert(known.list, known.after(before.from), before)
	}
	known.latest = found
	return found
}

// after is how many of the list begin at a place or before it.
func (s *searched) after(from int) int {
	i, exact := slices.BinarySearchFunc(s.list, from, func(have stretch, from int) int { return have.from - from })
	if exact {
		i++
	}
	return i
}

// first finds the first of several markers.
func (s *searcher) first(markers []string, from int) stretch {
	nearest := stretch{at: len(s.text), end: len(s.text)}
	for _, m := range markers {
		found := s.find(sought{what: m}, from, func(from int) stretch {
			at := strings.Index(s.text[from:], m)
			if at < 0 {
				return stretch{at: len(s.text), end: len(s.text)}
			}
			return stretch{at: from + at, end: from + at + len(m)}
		})
		if found.at < nearest.at {
			nearest = found
		}
	}
	return nearest
}

// none reports whether nothing was found.
func (s *searcher) none(found stretch) bool { return found.at == len(s.text) }

// space is where the whitespace from a place on ends.
func (s *searcher) space(at int) int { return scan.SkipSpace(s.text, at) }

// begins reports whether one of several markers stands at a place, and gives its end.
func (s *searcher) begins(at int, markers []string) (end int, found bool) {
	for _, m := range markers {
		if strings.HasPrefix(s.text[at:], m) {
			return at + len(m), true
		}
	}
	return at, false
}

package toolcall

import (
	"slices"
	"strings"
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
	list []stretch
}

// sought is what is looked for: a marker, or what a function finds, which has a name.
type sought struct {
	what string
	of   *schema // what it depends on
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
		if s.known == nil {
			s.known = make([]searched, 0, 8)
		}
		place = len(s.known)
		s.known = append(s.known, searched{sought: key})
	}
	list := s.known[place].list
	i, exact := slices.BinarySearchFunc(list, from, func(have stretch, from int) int { return have.from - from })
	if !exact {
		i--
	}
	if i >= 0 && from <= list[i].at {
		return list[i]
	}
	found := search(from)
	found.from = from
	*s.count += found.at - from
	if list = s.known[place].list; list == nil { // search may have looked for something else meanwhile
		list = make([]stretch, 0, 4)
	}
	s.known[place].list = slices.Insert(list, i+1, found)
	return found
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

// blanks is where the blanks from a place on end.
func (s *searcher) blanks(at int) int { return skipBlanks(s.text, at) }

// begins reports whether one of several markers stands at a place, and gives its end.
func (s *searcher) begins(at int, markers []string) (end int, found bool) {
	for _, m := range markers {
		if strings.HasPrefix(s.text[at:], m) {
			return at + len(m), true
		}
	}
	return at, false
}

package grammar

import "slices"

// Merge combines grammars. What a reply may be as a whole is taken from the first alone: how it begins, and whether
// JSON at its very beginning is its own form.
func Merge(list []*Grammar) *Grammar {
	g := &Grammar{Opening: list[0].Opening}
	for i, other := range list {
		for _, t := range other.Thoughts {
			t.Inner, t.Targets = nil, nil // build makes them anew
			if i == 0 {
				g.Thoughts = append(g.Thoughts, t)
			} else {
				g.addThought(t)
			}
		}
		for _, c := range other.Candidates {
			if i > 0 && c.OwnForm {
				c = c.Borrowed()
			}
			g.addCandidate(c)
		}
		g.Blocks = append(g.Blocks, other.Blocks...)
		g.Joined = g.Joined || other.Joined
		g.Noise = appendNew(g.Noise, other.Noise)
		g.Sections = appendNew(g.Sections, other.Sections)
	}
	return g.Build()
}

// addThought adds a thought that begins with markers, unless one begins with the same.
func (g *Grammar) addThought(t Thought) {
	same := func(have Thought) bool { return slices.Equal(have.Open, t.Open) }
	if len(t.Open) > 0 && !slices.ContainsFunc(g.Thoughts, same) {
		g.Thoughts = append(g.Thoughts, t)
	}
}

// addCandidate adds a candidate of a kind that is not there yet.
func (g *Grammar) addCandidate(c Candidate) {
	if !slices.ContainsFunc(g.Candidates, func(have Candidate) bool { return have.Kind == c.Kind }) {
		g.Candidates = append(g.Candidates, c)
	}
}

func appendNew(list, more []string) []string {
	for _, m := range more {
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

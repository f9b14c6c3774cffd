package grammar

import "slices"

// Merge combines grammars. What a reply may be as a whole is taken from the first alone: how it begins, and whether
// JSON at its very beginning is its own form.
func Merge(list []*Grammar) *Grammar {
	g := &Grammar{Opening: list[0].Opening}
	for i, other := range list {
		for _, t := range other.Thoughts {
			if i == 0 ||
				len(t.Open) > 0 &&
					!slices.ContainsFunc(
						g.Thoughts, func(have Thought) bool { return slices.Equal(have.Open, t.Open) },
					) {
				t.Inner, t.Targets = nil, nil // build makes them anew
				g.Thoughts = append(g.Thoughts, t)
			}
		}
		for _, c := range other.Candidates {
			if i > 0 && c.OwnForm {
				c = c.Borrowed()
			}
			if !slices.ContainsFunc(g.Candidates, func(have Candidate) bool { return have.Kind == c.Kind }) {
				g.Candidates = append(g.Candidates, c)
			}
		}
		g.Blocks = append(g.Blocks, other.Blocks...)
		g.Joined = g.Joined || other.Joined
		g.Noise = appendNew(g.Noise, other.Noise)
		g.Sections = appendNew(g.Sections, other.Sections)
	}
	return g.Build()
}

func appendNew(list, more []string) []string {
	for _, m := range more {
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

package toolcall

import (
	"fmt"
	"slices"
	"strings"
)

// ForModel gives the format for a model: the first of names that there is, which also accepts the calls of the others that
// there are, in their order. All envelopes are looked for in one pass, under the same rules; where two begin with the same
// marker, the earlier one is tried first. Everything else (definitions, results, what the whole reply may be) is the
// first one's alone. Leave a name out to switch it off. opened says that the prompt opens a thought, so that the reply
// begins inside one; it means nothing to formats whose server decodes thoughts (native), or that do not think (guided).
// The error says that none of the names is known.
func ForModel(names []string, opened bool) (Format, error) {
	var first Format
	var grammars []*grammar
	for _, name := range names {
		f, err := ByName(name)
		if err != nil {
			continue
		}
		if first == nil {
			first = f
		}
		grammars = append(grammars, grammarOf(f))
	}
	if first == nil {
		return nil, fmt.Errorf("there is none of the tool-call formats %q; there are: %s", names, strings.Join(Names(), ", "))
	}
	merged := merge(grammars)
	switch f := first.(type) {
	case native:
		f.grammar = merged
		return f, nil
	case described:
		f.grammar, f.prompted = merged, opened
		return f, nil
	case guided:
		f.grammar = merged
		return f, nil
	case *family:
		chained := *f
		chained.grammar = func() *grammar { return merged }
		if opened && !f.prompted {
			chained.prompted, chained.name = true, f.name+openThought
		}
		return &chained, nil
	}
	return first, nil
}

func grammarOf(f Format) *grammar {
	switch f := f.(type) {
	case native:
		return f.grammar
	case described:
		return f.grammar
	case guided:
		return f.grammar
	case *family:
		return f.grammar()
	}
	return nil
}

// merge puts grammars together. What a reply may be as a whole is taken from the first alone: how it begins, and whether
// JSON at its very beginning is its own form.
func merge(list []*grammar) *grammar {
	g := &grammar{opening: list[0].opening}
	for i, other := range list {
		for _, t := range other.thoughts {
			if i == 0 || len(t.open) > 0 && !slices.ContainsFunc(g.thoughts, func(have thought) bool { return slices.Equal(have.open, t.open) }) {
				t.inner, t.targets = nil, nil // build makes them anew
				g.thoughts = append(g.thoughts, t)
			}
		}
		for _, c := range other.candidates {
			if i > 0 && c.own {
				c = c.lent()
			}
			if !slices.ContainsFunc(g.candidates, func(have candidate) bool { return have.kind == c.kind }) {
				g.candidates = append(g.candidates, c)
			}
		}
		g.blocks = append(g.blocks, other.blocks...)
		g.joined = g.joined || other.joined
		g.noise = appendNew(g.noise, other.noise)
		g.sections = appendNew(g.sections, other.sections)
	}
	return g.build()
}

func appendNew(list, more []string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// lent is a candidate for a format whose own form it is not.
func (c candidate) lent() candidate {
	if c.kind == bareKind {
		return bareJSON(false)
	}
	c.own = false
	return c
}

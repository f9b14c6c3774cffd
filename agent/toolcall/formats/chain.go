package formats

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
)

// ForModel returns the format for a model: the first of names that is known, which also accepts the calls of the other known
// ones, in their order. All envelopes are looked for in one pass, under the same rules; where two begin with the same
// marker, the earlier one is tried first. Everything else (definitions, results, what the whole reply may be) is the
// first one's alone. Leave a name out to switch it off. opened says that the prompt opens a thought, so that the reply
// begins inside one; it means nothing to formats whose server decodes thoughts (native), or that do not think (guided).
// The error says that none of the names is known.
func ForModel(names []string, opened bool) (toolcall.Format, error) {
	return Finder{}.ForModel(names, opened)
}

// ForModel is [ForModel] for declared formats, too.
func (f Finder) ForModel(names []string, opened bool) (toolcall.Format, error) {
	var first toolcall.Format
	var grammars []*grammar.Grammar
	for _, name := range names {
		format, err := f.ByName(name)
		if err != nil {
			continue
		}
		if first == nil {
			first = format
		}
		grammars = append(grammars, grammarOf(format))
	}
	if first == nil {
		return nil, fmt.Errorf("there is none of the tool-call formats %q; there are: %s", names, strings.Join(Names(), ", "))
	}
	merged := merge(grammars)
	go foreign() // which takes some milliseconds the first time: it is ready before the reply comes
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
		chained.grammar = func() *grammar.Grammar { return merged }
		if opened && !f.prompted {
			chained.prompted, chained.name = true, f.name+openThought
		}
		return &chained, nil
	}
	return first, nil
}

func grammarOf(f toolcall.Format) *grammar.Grammar {
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

// merge combines grammars. What a reply may be as a whole is taken from the first alone: how it begins, and whether
// JSON at its very beginning is its own form.
func merge(list []*grammar.Grammar) *grammar.Grammar {
	g := &grammar.Grammar{Opening: list[0].Opening}
	for i, other := range list {
		for _, t := range other.Thoughts {
			if i == 0 || len(t.Open) > 0 && !slices.ContainsFunc(g.Thoughts, func(have grammar.Thought) bool { return slices.Equal(have.Open, t.Open) }) {
				t.Inner, t.Targets = nil, nil // build makes them anew
				g.Thoughts = append(g.Thoughts, t)
			}
		}
		for _, c := range other.Candidates {
			if i > 0 && c.OwnForm {
				c = c.Borrowed()
			}
			if !slices.ContainsFunc(g.Candidates, func(have grammar.Candidate) bool { return have.Kind == c.Kind }) {
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
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// foreign has the envelopes of all families. Every decoder looks for them, so that no profile lacks one.
var foreign = sync.OnceValue(func() *grammar.Grammar {
	var families []*grammar.Grammar
	for _, e := range entries() {
		families = append(families, grammarOf(e.build()))
	}
	return grammar.Foreign(families)
})

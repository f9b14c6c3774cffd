package formats

import (
	"fmt"
	"strings"
	"sync"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
)

// ForModel returns the format for a model: the first of names that is known, which also accepts the calls of the other
// known ones, in their order, and those of all other formats under stricter rules (see grammar.Foreign). All envelopes
// are looked for in one pass; where two begin with the same marker, the earlier one is tried first. Everything else
// (definitions, results, what the whole reply may be) is the first one's alone. opened says that the prompt opens a
// thought, so that the reply begins inside one; it means nothing to formats whose server decodes thoughts (native), or
// that do not think (guided). The error says that none of the names is known.
func ForModel(names []string, opened bool) (toolcall.Format, error) {
	return Finder{}.ForModel(names, opened)
}

// ForModel is [ForModel] for declared formats, too.
func (f Finder) ForModel(names []string, opened bool) (toolcall.Format, error) {
	var first *family
	var grammars []*grammar.Grammar
	for _, name := range names {
		format, err := f.ByName(name)
		if err != nil {
			continue
		}
		if first == nil {
			first = format.(*family)
		}
		grammars = append(grammars, grammarOf(format))
	}
	if first == nil {
		return nil, fmt.Errorf(
			"there is none of the tool-call formats %q; there are: %s", names, strings.Join(Names(), ", "),
		)
	}
	merged := grammar.Merge(grammars)
	chained := *first
	chained.grammar = func() *grammar.Grammar { return merged }
	switch {
	case !opened || first.prompted || first.request != nil:
	case first.name == textName:
		chained.prompted = true
	default:
		return chained.thinking(), nil
	}
	return &chained, nil
}

func grammarOf(f toolcall.Format) *grammar.Grammar {
	switch f := f.(type) {
	case *family:
		return f.grammar()
	case limited:
		return grammarOf(f.Format)
	}
	return nil
}

// foreign has the envelopes of all families. Every decoder looks for them, so that no profile lacks one.
var foreign = sync.OnceValue(func() *grammar.Grammar {
	var families []*grammar.Grammar
	for _, e := range entries() {
		families = append(families, grammarOf(e.format))
	}
	return grammar.Foreign(families)
})

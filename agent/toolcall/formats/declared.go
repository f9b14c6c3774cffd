package formats

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/envelope"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
)

// Finder finds formats by name: those of this package, and those that a user's profiles declare.
type Finder struct {
	declared []model.DeclaredFormat
	fence    string // of the format python; empty: the usual one
}

// With finds declared formats, too. They are ones that CheckDeclared takes.
func With(declared []model.DeclaredFormat) Finder { return Finder{declared: declared} }

// CheckDeclared refuses declared formats that would be taken for others: an error names file and line of the first.
func CheckDeclared(declared []model.DeclaredFormat) error {
	for i, d := range declared {
		problem := ""
		if _, err := ByName(d.Name); err == nil {
			problem = "there is a format of this name already, so choose another one"
		}
		for _, e := range entries() {
			g := grammarOf(e.format)
			for _, b := range g.Blocks {
				switch {
				case slices.Contains(b.Open, d.Start), slices.Contains(b.Closers, d.Start):
					problem = fmt.Sprintf(
						"its start %q is a marker of the format %s: use that one, or another marker", d.Start,
						e.info.Name,
					)
				case slices.Contains(b.Open, d.End):
					problem = fmt.Sprintf(
						"its end %q begins the calls of the format %s: use another marker", d.End, e.info.Name,
					)
				}
			}
			for _, t := range g.Thoughts {
				for _, marker := range slices.Concat(t.Open, t.Close) {
					if marker == d.Start || marker == d.End {
						problem = fmt.Sprintf(
							"its marker %q is one of the thoughts of the format %s: use another marker", marker,
							e.info.Name,
						)
					}
				}
			}
		}
		for _, other := range declared[:i] {
			if other.Start == d.Start || other.End == d.Start || other.Start == d.End {
				problem = fmt.Sprintf(
					"it has a marker of the format %q, which is declared, too: use another one", other.Name,
				)
			}
		}
		if problem != "" {
			return fmt.Errorf("%s: format %q: %s", d.Where, d.Name, problem)
		}
	}
	return nil
}

// ByName is [ByName] for declared formats, too.
func (f Finder) ByName(name string) (toolcall.Format, error) {
	plain, prompted := strings.CutSuffix(strings.ToLower(name), openThought)
	for _, d := range f.declared {
		if d.Name == plain {
			if prompted {
				return declared(d).thinking(), nil
			}
			return declared(d), nil
		}
	}
	format, err := ByName(name)
	if err == nil && format.Name() == Python && f.fence != "" {
		program := pythonProgram(f.fence)
		program.name = Python
		return &program, nil
	}
	return format, err
}

// declared is the format that a user's profile declares.
func declared(d model.DeclaredFormat) *family {
	shape := fmt.Sprintf("%s\n{%q: NAME, %q: {...}}\n%s", d.Start, d.NameKey, d.ArgumentsKey, d.End)
	block := envelope.JSONTags(d.Start, d.End)
	block.Kind = "" // its keys are its own
	block.Read = envelope.ReadKeyed(d.NameKey, d.ArgumentsKey, d.End)
	return &family{
		name:    d.Name,
		grammar: grammar.OneBlock(block, grammar.CallsEndThoughts),
		define:  listed("\nCall a tool like this:\n" + shape),
		calls:   each("\n", objectIn(d.Start+"\n", "\n"+d.End, d.NameKey, d.ArgumentsKey)),
		between: "\n", result: result,
	}
}

package tools

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/assent-ls/assent/internal/ranking"
	"github.com/assent-ls/assent/tools/excerpt"
)

// Registry is the ordered list of the tools of a workspace at one moment. It never changes after it was made: the order
// is part of the prompt, and a run keeps its registry to its end.
type Registry struct {
	tools  []Tool
	byName map[string]Tool
	all    []Choosable // those that are off, too
	off    []string    // by their own names, see Choice
	index  *searchIndex

	// What the calls of the workspace share, with the registries of other runs, too.
	rates   *rates
	results *results
	meaning ranking.Meaning // nil: tools are found by words alone
}

// Specs describes the tools, in order.
func (r *Registry) Specs() []Spec {
	specs := make([]Spec, len(r.tools))
	for i, t := range r.tools {
		specs[i] = t.Spec()
	}
	return specs
}

// over is the registry with some of Assent's own tools put in the place of those that gave themselves the same names.
func (r *Registry) over(replacements []Tool) *Registry {
	over := *r
	over.tools, over.byName = slices.Clone(r.tools), maps.Clone(r.byName)
	for i, t := range over.tools {
		spec := t.Spec()
		at := slices.IndexFunc(replacements, func(by Tool) bool { return by.Spec().Name == spec.Own() })
		if at >= 0 && spec.Origin == BuiltIn {
			over.tools[i] = listed{replacements[at], spec}
			over.byName[spec.Name] = over.tools[i]
		}
	}
	return &over
}

// Choosable is a tool that the settings may switch off.
type Choosable struct {
	Spec

	Setting string // its name in the settings: that of before they gave it another one
	Off     bool   // nobody can call it
}

// All describes the tools that there are, those that are off included, in order.
func (r *Registry) All() []Choosable { return slices.Clone(r.all) }

// own are the names of all tools in the settings.
func (r *Registry) own() []string {
	names := make([]string, len(r.all))
	for i, t := range r.all {
		names[i] = t.Setting
	}
	return names
}

// Named finds a tool by its name.
func (r *Registry) Named(name string) (Spec, bool) {
	if t := r.byName[name]; t != nil {
		return t.Spec(), true
	}
	return Spec{}, false
}

// BuiltIn finds a tool of Assent's own by the name that it gave itself.
func (r *Registry) BuiltIn(own string) (Spec, bool) {
	for _, t := range r.tools {
		if s := t.Spec(); s.Own() == own && s.Origin == "" {
			return s, true
		}
	}
	return Spec{}, false
}

// Lacks says which of some names are no tool, with those that may be meant; empty: they all are.
func (r *Registry) Lacks(names []string) string {
	var missing []string
	own := r.own()
	for _, name := range names {
		if slices.Contains(own, name) {
			continue
		}
		said := fmt.Sprintf("there is no tool %q", excerpt.Cut(name, 100))
		if near := nearName(name, own); near != "" {
			said += fmt.Sprintf(", perhaps you mean %s", near)
		}
		missing = append(missing, said)
	}
	return strings.Join(missing, "; ")
}

// names are those of all tools that can be called, in order.
func (r *Registry) names() []string {
	names := make([]string, len(r.tools))
	for i, t := range r.tools {
		names[i] = t.Spec().Name
	}
	return names
}

// nearName is the one of some names that is most similar to a name, or "".
func nearName(name string, names []string) string {
	best, distance := "", max(3, len(name)/2)
	for _, have := range names {
		if d := levenshtein.ComputeDistance(excerpt.Cut(name, 100), have); d < distance {
			best, distance = have, d
		}
	}
	return best
}

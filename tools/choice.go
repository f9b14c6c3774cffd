package tools

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// Choice is which tools a workspace has, and by which names.
type Choice struct {
	Off   []string          // by their own names: nobody can call them
	Only  *[]string         // by their own names: nobody can call others; nil: all
	Names map[string]string // other names, by their own; two tools never get the same
}

// Choose sets what is asked for the choice before each run. It is called before the sources are used, and returns them.
func (s *Sources) Choose(choice func() Choice) *Sources {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.choice = choice
	r, _ := s.registry() // the first run tells the problems
	s.known.Store(r)
	return s
}

// newName is what models may be told as the name of a tool: every model server takes it.
var newName = lazyregexp.New(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)

// apply leaves out and renames tools. complete says that no source failed, so that a name without a tool is a mistake.
func (c Choice) apply(r *Registry, complete bool) (problems []string) {
	say := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	all := r.tools
	has := maps.Clone(r.byName)
	if c.Only != nil && complete {
		if problem := r.Lacks(*c.Only); problem != "" {
			say("The settings allow a tool that is none: %s.", problem)
		}
	}
	c.Off = c.off(all)
	r.tools, r.byName, r.off = nil, map[string]Tool{}, c.Off
	for _, name := range slices.Concat(c.Off, slices.Sorted(maps.Keys(c.Names))) {
		if has[name] == nil && complete {
			say("The settings name the tool %q, and there is none.", name)
		}
	}
	texts := c.renamer(has)
	for i, t := range all {
		spec := t.Spec()
		own := spec.Name
		if slices.Contains(c.Off, own) {
			r.all[i].Off = true
			continue
		}
		if to, renamed := c.Names[own]; renamed {
			switch {
			case !newName().MatchString(to):
				say("%q is no name for the tool %s: letters, digits, _ and - make one.", to, own)
			case has[to] != nil:
				say("%s cannot be renamed to %s, which is a tool itself.", own, to)
			default:
				spec.Name, spec.OwnName = to, cmp.Or(spec.OwnName, own)
			}
		}
		spec.Description = texts(spec.Description)
		t = listed{t, spec}
		r.all[i].Spec = spec
		r.tools, r.byName[spec.Name] = append(r.tools, t), t
	}
	return problems
}

// off lists which tools nobody can call.
func (c Choice) off(all []Tool) []string {
	off := slices.Clone(c.Off)
	for _, t := range all {
		if name := t.Spec().Name; c.Only != nil && !slices.Contains(*c.Only, name) && !slices.Contains(off, name) {
			off = append(off, name)
		}
	}
	return off
}

// renamer puts the new names into a description, which may name other tools.
func (c Choice) renamer(has map[string]Tool) func(string) string {
	word := regexp.MustCompile(`[a-zA-Z_][a-zA-Z0-9_-]*`)
	return func(text string) string {
		if len(c.Names) == 0 {
			return text
		}
		return word.ReplaceAllStringFunc(text, func(name string) string {
			if to := c.Names[name]; has[name] != nil && has[to] == nil && newName().MatchString(to) {
				return to
			}
			return name
		})
	}
}

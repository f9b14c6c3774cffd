package tools

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"

	"github.com/assent-ls/assent/internal/ranking"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/workspace"
)

// Registry is the ordered list of the tools of a workspace at one moment. It never changes after it was made: the order
// is part of the prompt, and a run keeps its registry to its end.
type Registry struct {
	tools  []Tool
	byName map[string]Tool
	own    []string // the own names of all, those that are off included
	off    []string // by their own names, see Choice
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

// searchIndex is the one of a registry; nil: there is none.
func (r *Registry) searchIndex() *searchIndex {
	if r == nil {
		return nil
	}
	return r.index
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
	for _, name := range names {
		if slices.Contains(r.own, name) {
			continue
		}
		said := fmt.Sprintf("there is no tool %q", cut(name, 100))
		if near := nearName(name, r.own); near != "" {
			said += fmt.Sprintf(", perhaps you mean %s", near)
		}
		missing = append(missing, said)
	}
	return strings.Join(missing, "; ")
}

// near returns the name of the tool that is most similar to a name, or "".
func (r *Registry) near(name string) string {
	names := make([]string, len(r.tools))
	for i, t := range r.tools {
		names[i] = t.Spec().Name
	}
	return nearName(name, names)
}

func nearName(name string, names []string) string {
	best, distance := "", max(3, len(name)/2)
	for _, have := range names {
		if d := levenshtein.ComputeDistance(cut(name, 100), have); d < distance {
			best, distance = have, d
		}
	}
	return best
}

// Options of Builtin.
type Options struct {
	CommandTimeout func() time.Duration // called when a command starts; nil, or 0: two minutes
	Shell          shell.Shell          // runs commands
	Sandbox        Sandbox              // confines commands; nil: there is none
	Now            func() time.Time     // nil: time.Now
}

// Reserved are the names of all built-in tools, with or without a workspace.
func Reserved() []string {
	var names []string
	for _, t := range Builtin(new(workspace.Workspace), Options{}) {
		names = append(names, t.Spec().Name)
	}
	return names
}

// Builtin lists the built-in tools. Without a workspace (nil) there are only those that need none.
func Builtin(ws *workspace.Workspace, o Options) []Tool {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.CommandTimeout == nil {
		o.CommandTimeout = func() time.Duration { return 0 }
	}
	var list []Tool
	if ws != nil {
		list = append(list,
			ReadFile(ws),
			ListDirectory(ws),
			SearchFiles(ws),
			FindFiles(ws),
			WriteFile(ws),
			EditFile(ws),
			RunCommand(ws, o),
		)
	}
	list = append(list, GetTime(o.Now), Calculator(), ToolSearch(), AskUser(), Todo())
	if ws != nil {
		list = append(list, InsertText(ws), EditFiles(ws), DeleteFile(ws), MoveFile(ws), ReplaceEverywhere(ws))
	}
	return list
}

package tools

import (
	"fmt"
	"time"

	"github.com/agnivade/levenshtein"

	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/workspace"
)

// Registry is the ordered list of the tools of one chat. It never changes after it was made: the order is part of the
// prompt.
type Registry struct {
	tools  []Tool
	byName map[string]Tool
}

// NewRegistry makes a registry. Two tools of one name are an error: the second could pass for the first.
func NewRegistry(list ...Tool) (*Registry, error) {
	r := &Registry{tools: list, byName: map[string]Tool{}}
	for _, t := range list {
		name := t.Spec().Name
		if _, twice := r.byName[name]; twice || name == "" {
			return nil, fmt.Errorf("the tool name %q is used twice or empty", name)
		}
		r.byName[name] = t
	}
	return r, nil
}

// Specs describes the tools, in order.
func (r *Registry) Specs() []Spec {
	specs := make([]Spec, len(r.tools))
	for i, t := range r.tools {
		specs[i] = t.Spec()
	}
	return specs
}

// near returns the name of the tool that is most like a name, or "".
func (r *Registry) near(name string) string {
	best, distance := "", max(3, len(name)/2)
	for _, t := range r.tools {
		have := t.Spec().Name
		if d := levenshtein.ComputeDistance(cut(name, 100), have); d < distance {
			best, distance = have, d
		}
	}
	return best
}

// Options of Default.
type Options struct {
	CommandTimeout time.Duration    // 0: two minutes
	Shell          shell.Shell      // runs commands
	Now            func() time.Time // nil: time.Now
}

// Default is the list of built-in tools. Without a workspace (nil) there are only those that need none.
func Default(ws *workspace.Workspace, o Options) *Registry {
	if o.Now == nil {
		o.Now = time.Now
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
			RunCommand(ws, o.Shell, o.CommandTimeout),
		)
	}
	list = append(list, GetTime(o.Now), Calculator())
	r, err := NewRegistry(list...)
	if err != nil {
		panic(err) // the list above is wrong; every test finds it
	}
	return r
}

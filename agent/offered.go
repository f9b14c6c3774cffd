package agent

import (
	"slices"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
)

// toolbox is what a model may call in a run. It never changes.
type toolbox struct {
	core   []model.Tool // described by every request
	others []model.Tool // described to the model once it finds them; a call of one works before that, too
	finder string       // the tool that finds them; empty: there is none
}

// toolboxOf divides the tools of a job. Those that its document names are all described. Else the core is, with what
// finds the others, if there are others.
func toolboxOf(job Job, core []string) toolbox {
	if job.Tools == nil {
		return toolbox{}
	}
	var t toolbox
	specs := job.Tools.Registry().Specs()
	narrowed := job.Document.Front.Tools
	if i := slices.IndexFunc(specs, func(s tools.Spec) bool { return s.Finds }); i >= 0 && narrowed == nil {
		t.finder = specs[i].Name
	}
	for _, s := range specs {
		tool := model.Tool{Name: s.Name, Description: s.Description, Parameters: s.Parameters}
		switch {
		case narrowed != nil && !slices.Contains(narrowed, s.Name), s.Finds:
		case t.finder == "", s.Origin == tools.BuiltIn && slices.Contains(core, s.Own()) && !s.Defer:
			t.core = append(t.core, tool)
		default:
			tool.Found = true
			t.others = append(t.others, tool)
		}
	}
	if i := slices.IndexFunc(
		specs, func(s tools.Spec) bool { return s.Finds && s.Name == t.finder },
	); i >= 0 && len(t.others) > 0 {
		t.core = append(
			t.core, model.Tool{Name: t.finder, Description: specs[i].Description, Parameters: specs[i].Parameters},
		)
	}
	return t
}

// all are the tools whose calls are read from a reply.
func (t toolbox) all() []model.Tool { return slices.Concat(t.core, t.others) }

// after are the tools that a model was told of when a conversation has come so far: the core, and behind it what was
// described with a request, found or called, in that order. So the list only grows, also when a chat is read again from
// its document.
func (t toolbox) after(turns []toolcall.Turn) []model.Tool {
	list := slices.Clip(t.core)
	add := func(name string) {
		is := func(tool model.Tool) bool { return tool.Name == name }
		if i := slices.IndexFunc(t.others, is); i >= 0 && !slices.ContainsFunc(list, is) {
			list = append(list, t.others[i])
		}
	}
	for _, turn := range turns {
		for _, call := range turn.Calls {
			add(call.Name)
		}
		found := turn.Facts.Tools
		if turn.Role == model.RoleUser { // they are described in a block that is attached to it
			found = tools.FoundIn(turn.Text)
		}
		for _, name := range found {
			add(name)
		}
	}
	return list
}

// namesOf lists the names of tools.
func namesOf(list []model.Tool) []string {
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = t.Name
	}
	return names
}

// effect is what a tool does to the world; the zero value for an unknown tool.
func (c *loop) effect(name string) effect.Effect {
	spec, _ := c.spec(name)
	return spec.Effect
}

// spec is the tool of a name.
func (c *loop) spec(name string) (tools.Spec, bool) {
	if c.job.Tools == nil {
		return tools.Spec{}, false
	}
	return c.job.Tools.Registry().Named(name)
}

// facts are what the result of a tool shows.
func (j Job) facts(tool, result string) (f toolcall.Facts) {
	if j.Tools != nil {
		spec, _ := j.Tools.Registry().Named(tool)
		f.Files, f.Tools, f.Part = tools.Shows(spec, result)
	}
	return f
}

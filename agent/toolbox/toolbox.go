// Package toolbox decides which tools a model is told of in a run: those that every request describes, and those that
// it has found. It does no I/O.
package toolbox

import (
	"slices"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/python/signature"
)

// Box is what a model may call in a run. It never changes.
type Box struct {
	core   []model.Tool // described by every request
	others []model.Tool // described to the model once it finds them; a call of one works before that, too
	Finder string       // the tool that finds them; empty: there is none
}

// New divides tools. If the document names some (narrowed), all of those are described and no others; nil: it names
// none. Otherwise the core is described, and the tool that finds the others if there are others. search is the setting
// toolSearch, by which the core is nothing ("on") or everything ("off"); the tool that runs programs is always in it.
func New(specs []tools.Spec, narrowed, core []string, search string) Box {
	var t Box
	finder := slices.IndexFunc(specs, func(s tools.Spec) bool { return s.Finds })
	if finder >= 0 && narrowed == nil && search != "off" {
		t.Finder = specs[finder].Name
	}
	if search == "on" {
		core = nil
	}
	core = append(slices.Clone(core), signature.Execution)
	for _, s := range specs {
		tool := model.Tool{Name: s.Name, Description: s.Description, Parameters: s.Parameters, Returns: s.Returns}
		switch {
		case narrowed != nil && !slices.Contains(narrowed, s.Name), s.Finds:
		case t.Finder == "", s.Origin == tools.BuiltIn && slices.Contains(core, s.Own()) && !s.Defer:
			t.core = append(t.core, tool)
		default:
			tool.Found = true
			t.others = append(t.others, tool)
		}
	}
	if len(t.others) > 0 { // then there is a finder
		spec := specs[finder]
		t.core = append(
			t.core, model.Tool{Name: t.Finder, Description: spec.Description, Parameters: spec.Parameters},
		)
	}
	return t
}

// All are the tools whose calls are read from a reply.
func (t Box) All() []model.Tool { return slices.Concat(t.core, t.others) }

// After are the tools that a model was told of when a conversation has come so far: the core, and behind it what was
// described with a request, found or called, in that order. So the list only grows, also when a chat is read again from
// its document.
func (t Box) After(turns []toolcall.Turn) []model.Tool {
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

// Names lists the names of tools.
func Names(list []model.Tool) []string {
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = t.Name
	}
	return names
}

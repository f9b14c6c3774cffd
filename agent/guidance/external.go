package guidance

import (
	"slices"

	"github.com/assent-ls/assent/agent/guidance/intent"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools"
)

// A message may be about what the tools of others know: issues, mail, lamps. Of two hundred such tools none is
// described to begin with, and a small model does not search: it answers from nothing, or looks for lamps in files
// (cmd/eval/findings.md). So the tools whose words the message has are described with it, and where it is about nothing
// else, a tool must be called first.

// externalTools are the tools of others that the message seems to be about. For a question, those whose names say that
// they change something are left out, and unless something is to be deleted, those that delete: a small model takes any
// of them when another one failed.
func (g *Guide) externalTools() []tools.Spec {
	if g.Finder == "" || g.source.without(ruleExternal) {
		return nil
	}
	return g.source.Tools.Fitting(g.wants.text, func(s tools.Spec) bool {
		return (g.wants.intent != intent.Question || !intent.NamesChange(s.Name)) &&
			(!intent.NamesDeletion(s.Name) || intent.Deletes(g.wants.text))
	})
}

// hintExternal urges the tools of others. What such a message asks for is not known before one of them was called.
func (g *Guide) hintExternal(h toolcall.Hints) toolcall.Hints {
	h.Does = putLast(nil, g.names(func(name string) bool { return !g.effect(name).Outside() && name != g.Finder }))
	if next := g.leadsTo(); next != "" {
		return toolcall.Hints{RequireCall: true, Only: []string{next}, Does: h.Does}
	}
	toChange := intent.OrdersChange(g.wants.text) && !g.changedExternally() && g.urged < maxUrged
	if (toChange || len(g.results()) == 0 || g.foundNothingYet()) && !g.denied && !g.computed() {
		g.urged++
		h.RequireCall = true
	} else if !h.RequireCall && g.wants.intent != intent.Question {
		h.AskDone = true
	}
	return h
}

// leadsTo is the tool that the last result prepares a call of; empty: it may be the answer.
func (g *Guide) leadsTo() string {
	last, ok := g.lastResult()
	if !ok || last.Failed || intent.AsksForTables(g.wants.text) {
		return ""
	}
	spec, _ := g.spec(last.Name)
	if next := prepares[spec.Own()]; slices.Contains(g.every(), next) &&
		!slices.ContainsFunc(g.results(), func(r result) bool { return r.Name == next }) {
		return next
	}
	return ""
}

// foundNothingYet reports whether the last result, failed changes of files aside, says that there is nothing by the
// arguments of its call, and not for the second time.
func (g *Guide) foundNothingYet() bool {
	all := slices.DeleteFunc(g.results(), func(r result) bool { return g.writes(r.Name) && r.Failed })
	return len(all) > 0 && len(all) <= maxForced && g.foundNothing()[all[len(all)-1].Name] &&
		len(all[len(all)-1].call.Arguments) > len("{}")
}

// changedExternally reports whether a call of a tool that changes something, by its name, went well since the message.
func (g *Guide) changedExternally() bool {
	return slices.ContainsFunc(g.results(), func(r result) bool { return !r.Failed && intent.NamesChange(r.Name) })
}

package agent

import (
	"slices"

	"github.com/assent-ls/assent/agent/intent"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools"
)

// A message may be about what the tools of others know: issues, mail, lamps. Of two hundred such tools none is described to begin with, and
// a small model does not search: it answers from nothing, or looks for lamps in files (docs/small-models.md). So the tools whose words the
// message has are described with it, and where it is about nothing else, a tool must be called first.

// fitting are the tools of others that the message seems to be about. For a question, those whose names say that they change something are
// left out, and unless something is to be deleted, those that delete: a small model takes any of them when another one failed.
func (c *help) fitting() []tools.Spec {
	if c.toolbox.finder == "" {
		return nil
	}
	return c.job.Tools.Registry().Fitting(c.wants.text, func(s tools.Spec) bool {
		return (c.wants.intent != intent.Question || !intent.NamesChange(s.Name)) && (!intent.NamesDeletion(s.Name) || intent.Deletes(c.wants.text))
	})
}

// meantForOthers urges the tools of others. What such a message asks for is not known before one of them was called.
func (c *help) meantForOthers(h toolcall.Hints) toolcall.Hints {
	h.Does = putLast(nil, c.names(func(name string) bool { return !c.effect(name).Outside() && name != c.toolbox.finder }))
	if next := c.leadsTo(); next != "" {
		return toolcall.Hints{RequireCall: true, Only: []string{next}, Does: h.Does}
	}
	if toChange := intent.OrdersChange(c.wants.text) && !c.changedElsewhere() && c.urged < maxUrged; (toChange || c.looks() == 0 || c.foundNothingYet()) && !c.denied && !c.computed() {
		c.urged++
		h.RequireCall = true
	} else if !h.RequireCall && c.wants.intent != intent.Question {
		h.AskDone = true
	}
	return h
}

// leadsTo is the tool that the last result prepares a call of; empty: it may be the answer.
func (c *help) leadsTo() string {
	all := c.results()
	if len(all) == 0 || all[len(all)-1].Failed || intent.AsksForTables(c.wants.text) {
		return ""
	}
	spec, _ := c.spec(all[len(all)-1].Name)
	if next := spec.LeadsTo; slices.Contains(c.names(func(string) bool { return true }), next) && !slices.ContainsFunc(all, func(r result) bool { return r.Name == next }) {
		return next
	}
	return ""
}

// foundNothingYet reports whether the last result, failed changes of files aside, says that there is nothing by the arguments of its call, and not for
// the second time.
func (c *help) foundNothingYet() bool {
	all := slices.DeleteFunc(c.results(), func(r result) bool { return c.writes(r.Name) && r.Failed })
	return len(all) > 0 && len(all) <= maxForcedCalls && c.fruitless()[all[len(all)-1].Name] && len(all[len(all)-1].call.Arguments) > len("{}")
}

// changedElsewhere reports whether a call of a tool that changes something, by its name, went well since the message.
func (c *help) changedElsewhere() bool {
	return slices.ContainsFunc(c.results(), func(r result) bool { return !r.Failed && intent.NamesChange(r.Name) })
}

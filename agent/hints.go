package agent

import (
	"slices"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
)

// hints constrain the next reply where a small model otherwise goes wrong (measured: docs/small-models.md).
func (c *loop) hints() toolcall.Hints {
	if !c.Profile.Guided && c.job.Options.Format == "" {
		return toolcall.Hints{} // this model must not be constrained
	}
	h := c.wanted()
	if h.Only == nil && len(c.barred) > 0 {
		h.Only = c.names(func(string) bool { return true })
	}
	for name := range c.barred {
		if !c.effect(name).Pure() { // a tool that only computes gives the same result again, others may not
			delete(c.barred, name)
		}
	}
	return h
}

// wanted is what the last turn asks of the next reply.
func (c *loop) wanted() toolcall.Hints {
	if len(c.Turns) == 0 {
		return toolcall.Hints{}
	}
	last := c.Turns[len(c.Turns)-1]
	if c.answerNow {
		c.answerNow = false
		return toolcall.Hints{RequireAnswer: true}
	}
	if retry := c.retry; retry != "" {
		c.retry = ""
		return toolcall.Hints{RequireCall: true, Only: []string{retry}}
	}
	did := c.effect(last.Name)
	switch {
	case last.Role != model.RoleTool || len(c.Tools) == 0:
		return toolcall.Hints{}
	case !last.Failed || did.FailureAnswers(): // the output of a failed command may be the answer
		c.forced = 0
		return toolcall.Hints{AskDone: !last.Failed && did.Fulfills()}
	case c.denied || c.forced >= maxForcedCalls || did.Pure():
		return toolcall.Hints{}
	}
	// Small models give up after an error; forced calls are limited in number, and tools that only compute would not help.
	c.forced++
	return toolcall.Hints{RequireCall: true, Only: c.names(func(name string) bool { return !c.effect(name).Pure() })}
}

// names lists the offered tools that fit and are not barred; nil if none does.
func (c *loop) names(fits func(name string) bool) []string {
	var names []string
	for _, t := range c.Tools {
		if !c.barred[t.Name] && fits(t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

// effect is what a tool does to the world; the zero value for an unknown tool.
func (c *loop) effect(name string) effect.Effect {
	if c.job.Tools == nil {
		return ""
	}
	specs := c.job.Tools.Registry().Specs()
	if i := slices.IndexFunc(specs, func(s tools.Spec) bool { return s.Name == name }); i >= 0 {
		return specs[i].Effect
	}
	return ""
}

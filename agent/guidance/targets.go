package guidance

import (
	"encoding/json"
	"slices"

	"github.com/assent-ls/assent/agent/toolcall"
)

// maxTargets is how many files a message may name that are gone through one by one.
const maxTargets = 5

// writes reports whether a tool gives a file a text.
func (g *Guide) writes(name string) bool {
	spec, ok := g.spec(name)
	return ok && pathOf(spec) != ""
}

// writtenBy is the file that a call gives a text; empty: it is no such call.
func (g *Guide) writtenBy(call toolcall.Call) string {
	spec, ok := g.spec(call.Name)
	if !ok || pathOf(spec) == "" {
		return ""
	}
	var arguments map[string]json.RawMessage
	var name string
	if json.Unmarshal(call.Arguments, &arguments) != nil || json.Unmarshal(arguments[pathOf(spec)], &name) != nil {
		return ""
	}
	return name
}

// left are the files that the message wants changed and with which nothing was done yet, where it names several; nil:
// it does not.
func (g *Guide) left() []string {
	if g.source.without(ruleTargets) || !g.asksSeparately() || len(g.wants.targets) < 2 || len(g.wants.targets) > maxTargets {
		return nil
	}
	return slices.DeleteFunc(
		slices.Clone(g.wants.targets), func(path string) bool { return g.unwritten[path] || g.done[path] },
	)
}

// finished reports whether something was done with each of the several files that the message wants changed.
func (g *Guide) finished() bool {
	left := g.left()
	return left != nil && len(left) == 0
}

// isLeft reports whether a file is asked for because the message names several, and others were changed.
func (g *Guide) isLeft(path string) bool { return g.changed && slices.Contains(g.left(), path) }

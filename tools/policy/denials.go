package policy

import (
	"slices"

	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/workspace"
)

// denials are the paths of a workspace that no route may read: file tools, searches, lists, context, commands. nil:
// there are none.
func (p *Policy) denials(key string) *workspace.Denials {
	var rules, asked []*activeRule
	d := &workspace.Denials{}
	for _, r := range p.rulesFor(Request{Workspace: key}).rules {
		switch {
		case !r.isAboutReading():
		case r.List == Denied:
			rules = append(rules, r)
			d.Globs = append(d.Globs, r.Paths...)
		default: // a command names not all that it reads, so it cannot be asked about these
			asked = append(asked, r)
		}
	}
	if len(rules)+len(asked) == 0 {
		return nil
	}
	d.FromCommands = func(rel string) bool {
		return slices.ContainsFunc(asked, func(r *activeRule) bool { return r.forbidsPath(rel) })
	}
	d.Why = func(rel string) string {
		for _, r := range rules {
			if r.forbidsPath(rel) {
				return r.reason()
			}
		}
		return ""
	}
	return d
}

// isAboutReading reports whether a rule denies or asks about reading files, whichever tool does it.
func (r *ListedRule) isAboutReading() bool {
	return r.List != Allowed && len(r.Paths) > 0 && r.isOfAnyFileTool() &&
		(r.Effect == "" || r.Effect == effect.Reads)
}

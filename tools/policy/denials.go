package policy

import (
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/workspace"
)

// denials are the paths of a workspace that no route may read: file tools, searches, lists, context, commands. nil: there are none.
func (p *Policy) denials(key string) *workspace.Denials {
	var rules []*activeRule
	d := &workspace.Denials{}
	for _, r := range p.rulesFor(Request{Workspace: key}).rules {
		if r.hidesPaths() {
			rules = append(rules, r)
			d.Globs = append(d.Globs, r.Paths...)
		}
	}
	if len(rules) == 0 {
		return nil
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

// hidesPaths reports whether a rule is about reading files, whichever tool does it.
func (r *ListedRule) hidesPaths() bool {
	return r.List == Denied && len(r.Paths) > 0 && (r.Tool == "" || r.Tool == "*") && r.Origin == "" && r.Command == "" && r.Host == "" &&
		(r.Effect == "" || r.Effect == effect.Reads)
}

package python

import (
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

// uncovers reports whether a call on the draft tells what a file holds that a person is asked about before it is read:
// the program would read it where it was moved to, or learn it from which edits fit, and nobody would have been asked.
func (r *run) uncovers(p tools.Prepared) bool {
	own := p.Spec.Own()
	if own == "write_file" || own == "delete_file" { // whatever the file holds
		return false
	}
	moves := own == "move_file" // what else changes a protected file has to have read it
	for _, name := range p.Paths() {
		at, err := r.draft.Resolve(name)
		if err != nil || p.Call.Judge == nil || moves && at.Protected != "" {
			return true
		}
		d := p.Call.Judge("read_file", effect.Reads, at)
		if d.Verdict != policy.Run && (d.Rule != "" || moves) {
			return true
		}
	}
	return false
}

// keepRule keeps that a rule asks about a call whose changes are asked about at the end, where they are judged by what
// they do to a file, and not by the tool that did it.
func (r *run) keepRule(p tools.Prepared) {
	if p.Decision.Verdict != policy.Ask || p.Decision.Rule == "" {
		return
	}
	for _, name := range p.Paths() {
		if at, err := r.draft.Resolve(name); err == nil {
			r.ruled[at.Rel] = p.Decision
		}
	}
}

// judging is a judge that asks about what a rule asked about when the program called for it.
func (r *run) judging(judge tools.Judge) tools.Judge {
	if judge == nil {
		return nil
	}
	return func(tool string, e effect.Effect, p workspace.Path) policy.Decision {
		d := judge(tool, e, p)
		if ruled, is := r.ruled[p.Rel]; is && d.Verdict != policy.Refuse {
			return ruled
		}
		return d
	}
}

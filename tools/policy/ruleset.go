package policy

import (
	"slices"
	"strings"
)

// ruleSet is all rules that are in force for a call.
type ruleSet struct {
	rules  []*activeRule
	broken string // why no rule allows anything now: a sentence; empty: rules may
}

// activeRule is a rule with who gave it.
type activeRule struct {
	*ListedRule

	from  string   // the file that it is in; empty: a person's answer gave it
	line  int      // in the file
	gave  *Grant   // the answer; nil: it is in a file
	exact string   // see Grant
	keys  []string // by which its matches are counted
}

// decides is the decision of a rule.
func (r *activeRule) decides(v Verdict) Decision {
	return Decision{Verdict: v, Reason: r.reason(), Rule: r.Explain(), counted: r.keys}
}

// reason is a sentence that names the rule.
func (r *activeRule) reason() string {
	if r.gave != nil {
		return r.gave.Explain()
	}
	did := map[List]string{Denied: "denies", Asked: "asks about", Allowed: "allows"}[r.List]
	text := "A rule in " + r.from + " " + did + " " + r.ListedRule.Explain()
	if r.Note != "" {
		text += " (" + strings.TrimRight(r.Note, ".") + ")"
	}
	return text + "."
}

// Explain is the rule in words.
func (r *activeRule) Explain() string {
	text := string(r.List) + " " + r.ListedRule.Explain()
	if r.from != "" {
		text += ", in " + r.from
	}
	return text
}

// rulesFor collects the rules for a call. Files that changed are read anew.
func (p *Policy) rulesFor(q Request) ruleSet {
	var set ruleSet
	for _, file := range p.files(q.Workspace) {
		rules, broken := file.rules()
		for _, r := range rules {
			if r.List != Allowed || q.Changed == "" { // what a file allows is the tool as it was before
				set.rules = append(set.rules, r)
			}
		}
		set.broken += broken
	}
	for _, g := range p.allGrants() {
		if g.holdsFor(q) {
			set.rules = append(set.rules, g.active())
		}
	}
	return set
}

// forbidding finds the first rule of a list that is about a call, whose files are also those that its command line
// names.
func (s ruleSet) forbidding(list List, q Request) *activeRule {
	if q.Command != nil {
		q.Paths = slices.Concat(q.Paths, q.Command.Written(), q.Command.Read())
	}
	return s.first(list, func(r *activeRule) bool { return r.forbids(q) && r.isExact(q) })
}

// first finds the first rule of a list for which a test holds. A rule that is void allows nothing.
func (s ruleSet) first(list List, is func(*activeRule) bool) *activeRule {
	for _, r := range s.rules {
		if r.List == list && (list != Allowed || r.Void == "") && is(r) {
			return r
		}
	}
	return nil
}

// isExact reports whether a call is the one command line that a grant is about, if it is about one.
func (r *activeRule) isExact(q Request) bool { return r.exact == "" || r.exact == q.Target }

// allow says whether rules let a call run.
func (s ruleSet) allow(q Request) (Decision, bool) {
	if q.Effect.RunsPrograms() {
		return s.allowCommand(q)
	}
	r := s.first(Allowed, func(r *activeRule) bool { return r.allows(q) })
	if r == nil {
		return Decision{}, false
	}
	return r.decides(Run), true
}

// allowCommand lets a command run by itself only if it is understood, in a sandbox that holds, and all of it is
// allowed: each program, and each file that the line writes.
func (s ruleSet) allowCommand(q Request) (Decision, bool) {
	if q.Command == nil || !q.Confined || !s.allowsFiles(q) {
		return Decision{}, false
	}
	exact := func(r *activeRule) bool { return r.exact != "" && r.isOf(q) && r.isExact(q) }
	if r := s.first(Allowed, exact); r != nil {
		return r.decides(Run), true
	}
	d := Decision{Verdict: Run, Reason: "It only reads, and runs in the sandbox."}
	if len(q.Command.Written()) > 0 {
		d.Reason = "It writes only files that may be edited, and runs in the sandbox."
	}
	for _, part := range s.open(q) {
		r := s.program(q, part)
		if r == nil {
			return Decision{}, false
		}
		next := r.decides(Run)
		if d.Rule != "" && d.Rule != next.Rule {
			next.Rule, next.Reason = d.Rule+"; "+next.Rule, d.Reason+" "+next.Reason
		}
		next.counted = append(slices.Clone(d.counted), next.counted...)
		d = next
	}
	return d, true
}

// open lists the programs of a line that are not harmless.
func (s ruleSet) open(q Request) [][]string {
	var open [][]string
	for _, part := range q.Command.Parts {
		if !part.Harmless() {
			open = append(open, part.Argv)
		}
	}
	return open
}

// program finds the rule that allows one program of a line.
func (s ruleSet) program(q Request, argv []string) *activeRule {
	return s.first(Allowed, func(r *activeRule) bool { return r.exact == "" && r.allowsPart(q, argv) })
}

// allowsFiles reports whether all files that a line names in redirections may be edited by rule or by mode, if it
// writes any of them.
func (s ruleSet) allowsFiles(q Request) bool {
	if len(q.Command.Written()) == 0 {
		return true
	}
	// where links lead is in the paths, and not which of them are read
	return every(slices.Concat(q.Command.Written(), q.Paths), func(name string) bool {
		return q.Mode.edits() && isInside([]string{name}) ||
			s.first(Allowed, func(r *activeRule) bool { return r.allowsWriting(name) }) != nil
	})
}

// allowsWriting reports whether a rule allows edits of a file by any of Assent's own tools.
func (r *ListedRule) allowsWriting(name string) bool {
	return r.isOfAnyFileTool() && (r.Effect == "" || r.Effect.Reviewable()) && r.coversPath(name)
}

package policy

// Standing is what is decided about the calls of a tool as far as the tool says it alone.
type Standing struct {
	// Decision is that about a call to which no rule about certain files, commands, hosts or databases applies. Its
	// offers mean nothing.
	Decision
	Rules []string // those about some of the calls, in words: they come before Decision
}

// About says what [Policy.Decide] decides about the calls of a tool. q has the tool, its origin and effect, the mode,
// the caller and the workspace, and nothing of a single call.
func (p *Policy) About(q Request) Standing {
	rules := p.rulesFor(q)
	general := ruleSet{broken: rules.broken}
	var some []string
	for _, r := range rules.rules {
		any := *r.ListedRule
		any.Database = "" // else no rule about one is about the tool
		switch {
		case r.Void != "" || !any.isOf(q):
		case r.isGeneral(q):
			general.rules = append(general.rules, r)
		default:
			some = append(some, r.Explain())
		}
	}
	if q.Effect.Confined() && q.Workspace != "" {
		q.Paths = []string{"."} // a file of the workspace
	}
	return Standing{p.decide(q, general), some}
}

// isGeneral reports whether a rule is about all calls of a tool that it is about. One that allows programs is about
// those alone that run in the sandbox.
func (r *activeRule) isGeneral(q Request) bool {
	if r.List == Allowed && q.Effect.RunsPrograms() {
		return false
	}
	return r.isBare() && r.exact == ""
}

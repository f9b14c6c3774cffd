// Package policy decides whether a call may run, and what a person who is asked may allow or forbid beyond it. Nothing
// that a workspace holds reaches it, so no workspace can loosen it.
package policy

import (
	"slices"
	"sync"

	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/workspace"
)

// Verdict is what policy says.
type Verdict int

// The verdicts. The zero value asks.
const (
	Ask Verdict = iota
	Run
	Refuse
)

// Request is a call, as policy sees it.
type Request struct {
	Tool   string
	Origin string // where the tool comes from; empty: it is built in
	Effect effect.Effect
	// Target is what the call acts on, resolved; of a program the exact command.
	Target    string
	Paths     []string      // see tools.Plan
	Command   *command.Line // see tools.Plan
	Confined  bool          // see tools.Plan
	Host      string        // see tools.Plan
	Protected string        // why no grant covers the call; empty: grants may
	Caller    Caller        // who asks
	Chat      string        // which chat asks; empty: no grant in a chat can cover it
	Workspace string        // workspace.Key of the folder; empty: no lasting grant can cover it
}

// Decision is a verdict with its reason, and what a person who is asked may choose beyond this one call.
type Decision struct {
	Verdict Verdict
	Reason  string // one sentence
	Notice  string // what else a person should know who is asked: a sentence, or empty
	Offers  []Offer
}

// Policy decides. Its methods may be called concurrently.
type Policy struct {
	state *workspace.State
	rules []Rule

	mu       sync.Mutex
	inMemory []Grant // guarded by mu: those in chats, and in workspaces whose key is not lasting
}

// New returns a policy that keeps its lasting grants in state; nil keeps none. It offers what the built-in rules offer,
// and after that what the others do.
func New(state *workspace.State, others ...Rule) *Policy {
	return &Policy{state: state, rules: slices.Concat(builtIn, others)}
}

// Decide says whether a call may run. The order is fixed: what a person forbade is refused; what is not known is asked
// (the tool, its effect, who asks); what is protected is asked, and no grant covers it; what an effect leaves free runs;
// what a person allowed runs; all else is asked.
func (p *Policy) Decide(r Request) Decision {
	grants := sync.OnceValue(p.Grants) // a file is read: not for calls that nothing can forbid and that are free
	if slices.ContainsFunc(p.rules, func(rule Rule) bool { return rule.Denies && rule.Effect == r.Effect }) {
		if g, forbidden := p.find(grants(), r, true); forbidden {
			return Decision{Verdict: Refuse, Reason: g.Explain()}
		}
	}
	switch {
	case r.Tool == "" || !r.Effect.Known():
		return Decision{Verdict: Ask, Reason: effect.Effect("").Reason()}
	case !r.Caller.known():
		return Decision{Verdict: Ask, Reason: "It is not known who asks for this."}
	case r.Protected != "":
		return Decision{Verdict: Ask, Reason: r.Protected}
	case r.Effect.Free():
		return Decision{Verdict: Run, Reason: r.Effect.Reason()}
	}
	if g, allowed := p.find(grants(), r, false); allowed {
		return Decision{Verdict: Run, Reason: g.Explain()}
	}
	offers := p.offers(r)
	return Decision{Verdict: Ask, Reason: r.Effect.Reason(), Notice: p.notice(r, offers), Offers: offers}
}

// find returns the first grant that covers a call and denies it, or allows it.
func (p *Policy) find(grants []Grant, r Request, denies bool) (Grant, bool) {
	i := slices.IndexFunc(grants, func(g Grant) bool { return g.Denies == denies && p.covers(g, r) })
	if i < 0 {
		return Grant{}, false
	}
	return grants[i], true
}

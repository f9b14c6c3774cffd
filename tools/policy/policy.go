// Package policy decides whether a call may run, by rules: those that a person wrote, those that they gave by an
// answer, and the mode that they chose. A workspace can add rules that forbid, and none that allow.
package policy

import (
	"cmp"
	"slices"
	"sync"

	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/userstate"
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
	Databases []string      // see tools.Plan
	Tried     bool          // it runs on a copy, and what it changes there is judged by itself
	Protected string        // why no rule allows the call; empty: rules may
	Version   string        // see tools.Plan
	Changed   string        // see tools.Plan
	Mode      Mode          // the zero value is ModeAsk
	Caller    Caller        // who asks
	Chat      string        // which chat asks; empty: no grant in a chat can cover it
	Workspace string        // workspace.Key of the folder; empty: no lasting grant can cover it
}

// Decision is a verdict with its reason, and what a person who is asked may choose beyond this one call.
type Decision struct {
	Verdict Verdict
	Reason  string // one sentence
	Notice  string // what else a person should know who is asked: a sentence, or empty
	Rule    string // the rule that decided, in words; empty: none did
	Tried   bool   // it runs because it is tried on a copy, and for no other reason
	// Hosts are what the command may reach: it then runs on a copy, and with the network. None: it has none.
	Hosts  []string
	Offers []Offer

	counted []string // the keys of the rules that decided
}

// Policy decides. Its methods may be called concurrently.
type Policy struct {
	state     *userstate.State
	templates []Template
	given     *given
	matches   *matches

	mu       sync.Mutex
	inMemory []Grant            // guarded by mu: those in chats, and in workspaces whose key is not lasting
	user     *source            // guarded by mu; nil: there is no file
	folders  map[string]*source // guarded by mu: the files of workspaces, by key
	trusted  Trusted
}

// Trusted says whether the user trusts a file of the workspace with this key, with exactly this content; if not, why.
type Trusted func(key, rel string, data []byte) (ok bool, why string)

// New returns a policy that keeps its lasting grants in state; nil keeps none. It offers what the built-in templates
// offer, and after that what the others do.
func New(state *userstate.State, others ...Template) *Policy {
	p := &Policy{state: state, templates: slices.Concat(builtIn, others), folders: map[string]*source{}}
	p.given = newGiven(state, p.templates)
	p.matches = &matches{state: state, pending: map[string]match{}, ending: make(chan struct{})}
	return p
}

// Decide says whether a call may run. The order is fixed: what a rule denies is refused, and in the mode plan what
// changes anything; what is not known is asked (the tool, its effect, who asks); what is protected is asked, and no
// rule allows it; what a rule asks about is asked; what an effect leaves free runs; what a rule or the mode allows
// runs, and so does what is tried on a copy; all else is asked.
func (p *Policy) Decide(q Request) Decision { return p.decide(q, p.rulesFor(q)) }

// decide is Decide by some rules.
func (p *Policy) decide(q Request, rules ruleSet) Decision {
	if r := rules.forbidding(Denied, q); r != nil {
		return r.decides(Refuse)
	}
	switch {
	case q.Mode.refuses(q):
		return Decision{Verdict: Refuse, Reason: planSentence}
	case q.Tool == "" || !q.Effect.Known():
		return Decision{Verdict: Ask, Reason: effect.Effect("").Reason()}
	case !q.Caller.known():
		return Decision{Verdict: Ask, Reason: "It is not known who asks for this."}
	case q.Protected != "":
		return Decision{Verdict: Ask, Reason: q.Protected}
	}
	if r := rules.forbidding(Asked, q); r != nil {
		return r.decides(Ask)
	}
	if q.Effect.Free() {
		return Decision{Verdict: Run, Reason: q.Effect.Reason()}
	}
	reason := cmp.Or(q.Changed, q.Effect.Reason())
	if rules.broken != "" {
		return Decision{Verdict: Ask, Reason: reason, Notice: rules.broken}
	}
	if d, ok := rules.allow(q); ok {
		d.Hosts = rules.hosts(q)
		return d
	}
	if d, ok := q.Mode.allow(q, rules); ok {
		return d
	}
	if q.Tried && (q.Command != nil || !rules.judgeCommands(q)) {
		return Decision{Verdict: Run, Reason: "It is tried on a copy.", Tried: true}
	}
	offers := p.offers(q, rules)
	return Decision{Verdict: Ask, Reason: reason, Notice: p.notice(q, offers), Offers: offers}
}

// Package policy decides whether a call may run: rules by effect, and grants that the user gave. Nothing that a
// workspace holds reaches it, so no workspace can loosen it.
package policy

import (
	"fmt"
	"sync"

	"github.com/assent-ls/assent/tools/workspace"
)

// Effect mirrors tools.Effect, so that policy knows no tool; the dispatcher maps one to the other.
type Effect int

// The effects, from harmless to grave.
const (
	None Effect = iota
	Reads
	Edits
	Runs
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
	Effect Effect
	// Target is what the call acts on, resolved; for Runs the exact command with its folder.
	Target    string
	Protected string // why no grant covers the call; empty: grants may
	Caller    Caller // who asks
	Chat      string // which chat asks; empty: no grant in a chat can cover it
	Workspace string // workspace.Key of the folder; empty: no lasting grant can cover it
}

// Decision is a verdict with its reason, and which grants may be offered with the question.
type Decision struct {
	Verdict Verdict
	Why     string // one sentence
	Notice  string // what else a person should know who is asked: a sentence, or empty
	InChat  bool   // Allow with Chat would cover this call
	Always  bool   // Allow with Workspace would cover this call
}

// Policy decides. Its methods may be called concurrently.
type Policy struct {
	state *workspace.State

	mu       sync.Mutex
	denied   map[string]string // why, by tool
	inMemory []Grant           // those in chats, and in workspaces whose key is not lasting
}

// New returns a policy that keeps its lasting grants in state; nil keeps none.
func New(state *workspace.State) *Policy {
	return &Policy{state: state, denied: map[string]string{}}
}

// Decide says whether a call may run. The order is fixed: what is denied is refused; what is protected is asked, and
// no grant covers it; what only computes or reads runs; what is granted runs; all else is asked, tools without a name
// and effects that are not known included.
func (p *Policy) Decide(r Request) Decision {
	if why, denied := p.whyDenied(r.Tool); denied {
		return Decision{Verdict: Refuse, Why: why}
	}
	if r.Tool == "" || r.Effect < None || r.Effect > Runs {
		return Decision{Verdict: Ask, Why: "It is not known what this tool does."}
	}
	if !r.Caller.known() {
		return Decision{Verdict: Ask, Why: "It is not known who asks for this."}
	}
	if r.Protected != "" {
		return Decision{Verdict: Ask, Why: r.Protected}
	}
	if r.Effect == None || r.Effect == Reads {
		return Decision{Verdict: Run, Why: "It changes nothing."}
	}
	for _, g := range p.Grants() {
		if g.covers(r) {
			return Decision{Verdict: Run, Why: g.Explain()}
		}
	}
	d := Decision{Verdict: Ask, Why: "It changes a file.", Notice: p.notice(r), InChat: grantable(Chat, r) == nil, Always: p.state != nil && grantable(Workspace, r) == nil}
	if r.Effect == Runs {
		d.Why = "It starts a program."
	}
	return d
}

func (p *Policy) whyDenied(tool string) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	why, denied := p.denied[tool]
	return why, denied
}

// Deny refuses a tool from now on in this process, whatever was or will be granted. Why is one sentence.
func (p *Policy) Deny(tool, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if why == "" {
		why = fmt.Sprintf("The tool %s is turned off.", tool)
	}
	p.denied[tool] = why
}

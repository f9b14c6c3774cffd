package policy

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// ErrNoGrant says that there is no grant to revoke.
var ErrNoGrant = errors.New("no such grant")

// Grant is a rule that the user gave by an answer: it holds in one chat or one workspace.
type Grant struct {
	ID      string `json:"id"`
	List    List   `json:"list"` // Denied or Allowed
	Rule    Rule   `json:"rule"`
	Version string `json:"version,omitempty"` // see tools.Plan: a grant that allows covers no other
	// the one command line that it is about, of those in a chat; empty: the rule says it all
	Exact     string    `json:"-"`
	Chat      string    `json:"-"` // empty: it holds in all chats of the workspace
	Workspace string    `json:"workspace"`
	From      string    `json:"from"` // where it was given
	Since     time.Time `json:"since"`

	compiled compiled
}

// same reports whether two grants say the same.
func (g Grant) same(h Grant) bool {
	return g.List == h.List && reflect.DeepEqual(g.Rule, h.Rule) && g.Exact == h.Exact && g.Version == h.Version &&
		g.Chat == h.Chat && g.Workspace == h.Workspace
}

// holdsFor reports whether a grant was given for the place that a call comes from and, if it allows, for its tool as
// that is now.
func (g Grant) holdsFor(q Request) bool {
	return (g.List == Denied || g.Version == q.Version) && g.Workspace == q.Workspace &&
		(g.Chat != "" && g.Chat == q.Chat || g.Chat == "" && g.Workspace != "")
}

// active is the grant as a rule.
func (g Grant) active() *activeRule {
	r := &ListedRule{Rule: g.Rule, List: g.List, compiled: g.compiled}
	return &activeRule{ListedRule: r, gave: &g, exact: g.Exact, keys: []string{g.ID}}
}

// Explain says in a sentence what a grant allows or forbids, since when and from where.
func (g Grant) Explain() string {
	did := "allowed"
	if g.List == Denied {
		did = "denied"
	}
	plain := g.Rule
	if plain.Tool != "" {
		plain.Effect = "" // that of the tool
	}
	what := plain.Explain()
	if g.Exact != "" {
		what += fmt.Sprintf(" with %q", g.Exact)
	}
	var where string
	switch folder := workspace.Folder(g.Workspace); {
	case g.Chat != "":
		where = "in this chat until the server ends"
	case workspace.Lasting(g.Workspace):
		where = fmt.Sprintf("always in %q", folder)
	default:
		where = fmt.Sprintf("in %q until the server ends", folder)
	}
	from := ""
	if g.From != "" {
		from = " by " + g.From
	}
	return fmt.Sprintf("You %s %s %s (%s%s).", did, what, where, g.Since.Local().Format("2006-01-02 15:04"), from)
}

// Accept keeps what a person chose: it decides calls like the one that it was offered for from now on. Only a person's
// answer may lead here; from says where it was given. A grant of a workspace whose key is not lasting ends with the
// process. ErrNotOffered: nothing was kept.
func (p *Policy) Accept(o Offer, from string) (Grant, error) {
	q := o.request
	if !slices.ContainsFunc(p.offered(q, o.seen), o.Same) {
		return Grant{}, ErrNotOffered
	}
	g := Grant{
		ID: rand.Text(), List: Allowed, Rule: o.rule, Version: q.Version, Exact: o.exact, Workspace: q.Workspace,
		From: from, Since: userstate.Now(),
	}
	if o.Denies {
		g.List = Denied
	}
	if o.Scope == Chat {
		g.Chat = q.Chat
	}
	var err error
	g.compiled, err = compile(g.Rule, g.List)
	lasting := o.Scope == Workspace && workspace.Lasting(q.Workspace)
	if err == nil && lasting {
		g, err = p.given.add(g)
	}
	switch {
	case err != nil:
		return Grant{}, fmt.Errorf("keep the grant: %w", err)
	case lasting:
		return g, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := slices.IndexFunc(p.inMemory, g.same); at >= 0 {
		return p.inMemory[at], nil
	}
	p.inMemory = append(p.inMemory, g)
	return g, nil
}

// Grants lists all grants, the oldest first. Lasting ones are read anew when they changed: what another process revoked
// is gone. If they cannot be read there are none, and the state reports why.
func (p *Policy) Grants() []Grant {
	all := p.allGrants()
	slices.SortStableFunc(
		all, func(a, b Grant) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) },
	)
	return all
}

// allGrants are the lasting grants, and then those in memory.
func (p *Policy) allGrants() []Grant {
	p.mu.Lock()
	inMemory := slices.Clone(p.inMemory)
	p.mu.Unlock()
	return slices.Concat(p.given.list(), inMemory)
}

// Revoke takes a grant back. ErrNoGrant: there is none with this id.
func (p *Policy) Revoke(id string) error {
	has := func(g Grant) bool { return g.ID == id }
	p.mu.Lock()
	before := len(p.inMemory)
	p.inMemory = slices.DeleteFunc(p.inMemory, has)
	found := len(p.inMemory) < before
	p.mu.Unlock()
	if found {
		return nil
	}
	if !slices.ContainsFunc(p.given.list(), has) {
		return fmt.Errorf("%w: %q", ErrNoGrant, id)
	}
	if err := p.given.remove(id); err != nil {
		return fmt.Errorf("revoke the grant: %w", err)
	}
	return nil
}

// notice is a sentence about what a user may expect of the grants for q, of which these are offered, and would be wrong
// about; empty if nothing.
func (p *Policy) notice(q Request, offers []Offer) string {
	if !slices.ContainsFunc(offers, func(o Offer) bool { return o.Scope == Workspace && !o.Denies }) {
		return ""
	}
	if !workspace.Lasting(q.Workspace) {
		return `"Always": ` + workspace.SessionOnly(q.Workspace)
	}
	here := q
	for _, g := range p.given.list() {
		here.Workspace = g.Workspace
		if g.List != Allowed || !workspace.OtherFolder(g.Workspace, q.Workspace) {
			continue
		}
		if _, allowed := (ruleSet{rules: []*activeRule{g.active()}}).allow(here); allowed {
			return fmt.Sprintf(
				"You always allowed %s in %q, but another folder is there now, or an older Assent could not tell.",
				q.Tool, workspace.Folder(g.Workspace),
			)
		}
	}
	return ""
}

package policy

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/workspace"
)

// ErrNoGrant says that there is no grant to revoke.
var ErrNoGrant = errors.New("no such grant")

const (
	grantsFile = "grants.json"
	maxGrants  = 10_000 // a file that holds more was not written by people's answers
)

// Grant is what the user allowed or forbade: of one tool, in one chat or one workspace.
type Grant struct {
	ID        string        `json:"id"`
	Tool      string        `json:"tool"`
	From      string        `json:"from,omitempty"` // the origin of the tool; empty: it is built in
	Effect    effect.Effect `json:"effect"`         // a tool that does more than it did then is asked again
	Scope     Scope         `json:"scope"`
	Pattern   string        `json:"pattern,omitempty"` // which calls of the tool; empty: all
	Denies    bool          `json:"denies,omitempty"`
	Chat      string        `json:"-"`
	Workspace string        `json:"workspace"`
	Origin    string        `json:"origin"` // where it was given
	Since     time.Time     `json:"since"`
}

// same reports whether two grants say the same.
func (g Grant) same(h Grant) bool {
	g.ID, g.Origin, g.Since = h.ID, h.Origin, h.Since
	return g == h
}

// Explain says in a sentence what a grant allows or forbids, since when and from where.
func (g Grant) Explain() string {
	did, what := "allowed", g.Tool
	if g.Denies {
		did = "denied"
	}
	if g.From != "" {
		what += " of " + g.From
	}
	if g.Pattern != "" {
		what += fmt.Sprintf(" with %q", g.Pattern)
	}
	where := "in this chat until the server ends"
	if g.Scope == Workspace {
		where = fmt.Sprintf("always in %q", workspace.Folder(g.Workspace))
		if !workspace.Lasting(g.Workspace) {
			where = fmt.Sprintf("in %q until the server ends", workspace.Folder(g.Workspace))
		}
	}
	origin := ""
	if g.Origin != "" {
		origin = " by " + g.Origin
	}
	return fmt.Sprintf("You %s %s %s (%s%s).", did, what, where, g.Since.Local().Format("2006-01-02 15:04"), origin)
}

// Accept keeps what a person chose: it decides calls like the one that it was offered for from now on. Only a person's
// answer may lead here; origin says where it was given. A grant of a workspace whose key is not lasting ends with the
// process. ErrNotOffered: nothing was kept.
func (p *Policy) Accept(o Offer, origin string) (Grant, error) {
	r := o.request
	if !slices.ContainsFunc(p.offers(r), o.Same) {
		return Grant{}, ErrNotOffered
	}
	g := Grant{
		ID: rand.Text(), Tool: r.Tool, From: r.Origin, Effect: r.Effect, Scope: o.Scope, Pattern: o.Pattern, Denies: o.Denies,
		Workspace: r.Workspace, Origin: origin, Since: time.Now().UTC().Truncate(time.Second),
	}
	if o.Scope == Chat {
		g.Chat = r.Chat
	}
	keep := func(kept *[]Grant) error {
		if at := slices.IndexFunc(*kept, g.same); at >= 0 {
			g = (*kept)[at]
			return nil
		}
		*kept = append(*kept, g)
		return nil
	}
	if o.Scope == Chat || !workspace.Lasting(r.Workspace) {
		p.mu.Lock()
		defer p.mu.Unlock()
		_ = keep(&p.inMemory) // it cannot fail
		return g, nil
	}
	if err := workspace.Update(p.state, grantsFile, keep); err != nil {
		return Grant{}, fmt.Errorf("keep the grant: %w", err)
	}
	return g, nil
}

// Grants lists all grants, the oldest first. Lasting ones are read anew each time: what another process revoked is
// gone. If they cannot be read there are none, and the state reports why.
func (p *Policy) Grants() []Grant {
	lasting := p.lasting()
	p.mu.Lock()
	defer p.mu.Unlock()
	all := slices.Concat(lasting, p.inMemory)
	slices.SortStableFunc(all, func(a, b Grant) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) })
	return all
}

func (p *Policy) lasting() []Grant {
	if p.state == nil {
		return nil
	}
	kept, err := workspace.Load[[]Grant](p.state, grantsFile)
	if err == nil && len(kept) > maxGrants {
		err = errors.New("the list of grants is too long: none of them counts")
	}
	if err != nil {
		p.state.Report(err.Error())
		return nil
	}
	// What the file says beyond what Accept writes is not a grant.
	return slices.DeleteFunc(kept, func(g Grant) bool {
		given := slices.ContainsFunc(p.rules, func(r Rule) bool { return r.gives(g) })
		return !given || g.ID == "" || g.Scope != Workspace || g.Tool == "" || g.Workspace == "" || !workspace.Lasting(g.Workspace)
	})
}

// notice is a sentence about what a user may expect of the grants for r, of which these are offered, and would be wrong about; empty
// if nothing.
func (p *Policy) notice(r Request, offers []Offer) string {
	if !slices.ContainsFunc(offers, func(o Offer) bool { return o.Scope == Workspace && !o.Denies }) {
		return ""
	}
	if !workspace.Lasting(r.Workspace) {
		return `"Always": ` + workspace.SessionOnly(r.Workspace)
	}
	of := func(g Grant) bool { return g.Tool == r.Tool && workspace.OtherFolder(g.Workspace, r.Workspace) }
	if slices.ContainsFunc(p.lasting(), of) {
		return fmt.Sprintf("You always allowed %s in %q, but another folder is there now, or an older Assent could not tell.", r.Tool, workspace.Folder(r.Workspace))
	}
	return ""
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
	if p.state == nil || !slices.ContainsFunc(p.lasting(), has) {
		return fmt.Errorf("%w: %q", ErrNoGrant, id)
	}
	err := workspace.Update(p.state, grantsFile, func(kept *[]Grant) error {
		*kept = slices.DeleteFunc(*kept, has)
		return nil
	})
	if err != nil {
		return fmt.Errorf("revoke the grant: %w", err)
	}
	return nil
}

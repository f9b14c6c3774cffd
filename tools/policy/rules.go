package policy

import (
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/assent-ls/assent/tools/effect"
)

// ErrNotOffered says that an offer does not come from this policy, or that it does not stand any more.
var ErrNotOffered = errors.New("this is not offered for the call; look at the call again")

// Scope is how far a grant reaches.
type Scope string

// The scopes.
const (
	Chat      Scope = "chat"      // one chat; in memory, ends with the process
	Workspace Scope = "workspace" // one workspace; kept in the user's state folder, if its key is lasting, else in memory
)

// Offer is one thing that a person may allow or forbid beyond the call that is asked about. Only Decide makes offers.
type Offer struct {
	ID      string // opaque; every decision has others
	Scope   Scope
	Pattern string // which calls of the tool it is about; empty: all
	Title   string // as people choose it
	Denies  bool   // it forbids, and the call itself is denied

	request Request // the call that it was offered for
}

// Same reports whether two offers say the same of calls of one tool in one place.
func (o Offer) Same(other Offer) bool {
	return o.Scope == other.Scope && o.Pattern == other.Pattern && o.Title == other.Title && o.Denies == other.Denies &&
		o.request.Tool == other.request.Tool && o.request.Origin == other.request.Origin && o.request.Effect == other.request.Effect &&
		o.request.Chat == other.request.Chat && o.request.Workspace == other.request.Workspace
}

// Rule is one kind of permission or prohibition that a person may give beyond a single call: of calls with an effect, as
// far as a scope reaches. It is offered with the question, and what was given by it covers later calls of the same tool.
// Protected calls are never offered anything, and no permission covers them.
type Rule struct {
	Scope  Scope
	Effect effect.Effect
	Denies bool
	// Title says to people what is allowed or forbidden if they choose it for this call.
	Title func(Request) string
	// Pattern says which calls like this one it is about, as Grant keeps it; false: it is not offered for this call.
	// nil: always all calls of the tool, which is the empty pattern.
	Pattern func(Request) (pattern string, ok bool)
	// Covers reports whether a pattern that was given covers a call. nil: if Pattern says the same for it.
	Covers func(pattern string, r Request) bool
}

// builtIn are the rules of every policy, in the order in which menus show what they offer.
var builtIn = []Rule{
	{
		Scope: Chat, Effect: effect.Edits,
		Title: func(r Request) string { return fmt.Sprintf("Allow %s in this chat", r.Tool) },
	},
	{
		Scope: Chat, Effect: effect.Runs,
		Title:   func(Request) string { return "Allow this command in this chat" },
		Pattern: func(r Request) (string, bool) { return r.Target, r.Target != "" },
	},
	{
		Scope: Workspace, Effect: effect.Edits,
		Title: func(r Request) string { return fmt.Sprintf("Always allow %s in this workspace", r.Tool) },
	},
}

func (r Rule) pattern(q Request) (string, bool) {
	if r.Pattern == nil {
		return "", true
	}
	return r.Pattern(q)
}

func (r Rule) covers(pattern string, q Request) bool {
	if r.Covers != nil {
		return r.Covers(pattern, q)
	}
	same, ok := r.pattern(q)
	return ok && same == pattern
}

// offers lists what the rules offer for a call that is asked about.
func (p *Policy) offers(q Request) []Offer {
	if q.Tool == "" || q.Protected != "" {
		return nil
	}
	var out []Offer
	for _, r := range p.rules {
		nowhere := r.Scope == Chat && q.Chat == "" || r.Scope == Workspace && (q.Workspace == "" || p.state == nil)
		pattern, ok := r.pattern(q)
		if r.Effect == q.Effect && ok && !nowhere {
			out = append(out, Offer{ID: rand.Text(), Scope: r.Scope, Pattern: pattern, Title: r.Title(q), Denies: r.Denies, request: q})
		}
	}
	return out
}

// covers reports whether a rule lets a grant decide a call.
func (p *Policy) covers(g Grant, q Request) bool {
	if g.Tool == "" || g.Tool != q.Tool || g.From != q.Origin || g.Effect != q.Effect || g.Workspace != q.Workspace || q.Protected != "" && !g.Denies {
		return false
	}
	switch g.Scope {
	case Chat:
		if g.Chat == "" || g.Chat != q.Chat {
			return false
		}
	case Workspace:
		if g.Workspace == "" {
			return false
		}
	default:
		return false
	}
	for _, r := range p.rules {
		if r.gives(g) && r.covers(g.Pattern, q) {
			return true
		}
	}
	return false
}

// gives reports whether a rule is of the kind that a grant was given by.
func (r Rule) gives(g Grant) bool {
	return r.Scope == g.Scope && r.Effect == g.Effect && r.Denies == g.Denies
}

package policy

import (
	"crypto/rand"
	"errors"
	"path"
	"reflect"
	"strings"

	"github.com/assent-ls/assent/tools/effect"
)

// ErrNotOffered says that an offer does not come from this policy, or that it no longer holds.
var ErrNotOffered = errors.New("this is not offered for the call; look at the call again")

// Scope is how far a grant reaches.
type Scope string

// The scopes.
const (
	Chat Scope = "chat" // one chat; in memory, ends with the process
	// one workspace; kept in the user's state folder, if its key is lasting, else in memory.
	Workspace Scope = "workspace"
)

// Offer is one thing that a person may allow or forbid beyond the call that is asked about. Only Decide makes offers.
type Offer struct {
	ID      string // opaque; every decision has others
	Scope   Scope
	Pattern string // which calls of the tool it is about; empty: all
	Title   string // as people choose it
	Denies  bool   // it forbids, and the call itself is denied

	rule    Rule
	exact   string  // see Grant
	request Request // the call that it was offered for
	seen    Request // as the templates saw it
}

// Same reports whether two offers say the same of calls in one place.
func (o Offer) Same(other Offer) bool {
	return reflect.DeepEqual(o.said(), other.said())
}

// said is the part of an offer that Same compares: no id, and only the fields of the call that the rule depends on.
func (o Offer) said() Offer {
	q := o.request
	o.ID, o.seen = "", Request{}
	o.request = Request{Effect: q.Effect, Version: q.Version, Chat: q.Chat, Workspace: q.Workspace}
	return o
}

// Rule is the rule that is kept if a person takes the offer.
func (o Offer) Rule() Rule { return o.rule }

// Template makes the rule that a person may give beyond a single call: about calls with an effect, as far as a scope
// reaches. It is offered with the question, and the rule covers later calls. Protected calls are never offered
// anything, and no rule allows them.
type Template struct {
	Scope  Scope
	Effect effect.Effect
	Denies bool
	// Origin is how the origin of a tool begins for whose calls it is offered; empty: any.
	Origin string
	// Title says to people what is allowed or forbidden if they choose it for this call.
	Title func(Request) string
	// Rule makes the rule; false: it is not offered for this call. nil: all calls of the tool.
	Rule func(Request) (Rule, bool)
	// Exact says that the rule is about the very command line. Only a template for a chat may say so.
	Exact bool
}

// builtIn are the templates of every policy, in the order in which menus show what they offer: the narrowest first.
var builtIn = []Template{
	{
		Scope: Chat, Effect: effect.Edits,
		Title: titled("Allow {tool} in this chat"),
	},
	{
		Scope: Workspace, Effect: effect.Edits,
		Title: titled("Always allow edits below {folder}/"), Rule: editsBelow,
	},
	{
		Scope: Workspace, Effect: effect.Edits,
		Title: titled("Always allow {tool} in this workspace"),
	},
	{
		Scope: Chat, Effect: effect.Runs, Exact: true,
		Title: titled("Allow this command in this chat"),
	},
	{
		Scope: Workspace, Effect: effect.Runs,
		Title: commandTitle, Rule: commandRule,
	},
	{
		Scope: Chat, Effect: effect.Fetches,
		Title: titled("Allow {tool} from {host} in this chat"), Rule: fromHost,
	},
	{
		Scope: Workspace, Effect: effect.Fetches,
		Title: titled("Always allow {tool} from {host} here"), Rule: fromHost,
	},
	{
		Scope: Chat, Effect: effect.Queries,
		Title: titled("Allow {tool} on {database} in this chat"), Rule: onDatabase,
	},
	{
		Scope: Workspace, Effect: effect.Queries,
		Title: titled("Always allow {tool} on {database} here"), Rule: onDatabase,
	},
	{
		Scope: Chat, Effect: effect.Calls, Origin: Server,
		Title: titled("Allow {tool} of {origin} in this chat"),
	},
	{
		Scope: Workspace, Effect: effect.Calls, Origin: Server,
		Title: titled("Always allow {tool} of {origin} here"),
	},
	{
		Scope: Workspace, Effect: effect.Recalls,
		Title: titled("Always allow chats in this workspace to recall others"),
	},
}

// titled returns a function that fills in text for a call: {tool}, {host} and so on become the call's values.
func titled(text string) func(Request) string {
	return func(q Request) string {
		return strings.NewReplacer(
			"{tool}", q.Tool, "{origin}", q.Origin, "{host}", q.Host, "{database}", strings.Join(q.Databases, ", "),
			"{folder}", folderOf(q.Paths),
		).Replace(text)
	}
}

// Server is how the origin of the tools of a server begins. What such a tool is was kept when it was allowed: one that
// changed is asked about.
const Server = "server "

// rule is what a template offers for a call.
func (t Template) rule(q Request) (Rule, bool) {
	if t.Rule != nil {
		return t.Rule(q)
	}
	return Rule{Tool: q.Tool, Origin: q.Origin, Effect: q.Effect}, true
}

// gives reports whether a grant is of the kind that a template makes.
func (t Template) gives(g Grant) bool {
	return t.Scope == Workspace && t.Effect == g.Rule.Effect && strings.HasPrefix(g.Rule.Origin, t.Origin) &&
		t.Denies == (g.List == Denied) && g.Rule.isBare() == (t.Rule == nil) && len(g.Rule.Hosts) == 0
}

// editsBelow is about all edits by Assent's own tools in the folder of a call's files, and below it.
func editsBelow(q Request) (Rule, bool) {
	folder := folderOf(q.Paths)
	glob := literalGlob(folder) + "/**"
	_, err := cleanGlob(glob) // a folder with an odd name has none
	return Rule{Effect: q.Effect, Paths: []string{glob}}, err == nil && folder != "." && q.Origin == ""
}

// folderOf is the folder that holds all of some paths; "." if it is the workspace's own.
func folderOf(paths []string) string {
	if len(paths) == 0 || !isInside(paths) {
		return "."
	}
	folder := path.Dir(paths[0])
	for _, p := range paths[1:] {
		for folder != "." && !strings.HasPrefix(p, folder+"/") {
			folder = path.Dir(folder)
		}
	}
	return folder
}

// literalGlob is a glob that a path alone fits.
func literalGlob(p string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]", "{", "[{]").Replace(p)
}

func fromHost(q Request) (Rule, bool) {
	return Rule{Tool: q.Tool, Origin: q.Origin, Effect: q.Effect, Host: q.Host}, q.Host != ""
}

// offers lists what the templates offer for a call that is asked about.
func (p *Policy) offers(q Request, rules ruleSet) []Offer {
	if seen, ok := rules.undecided(q); ok {
		return p.offered(q, seen)
	}
	return nil
}

// offered lists what the templates make of a call that they see so.
func (p *Policy) offered(q, seen Request) []Offer {
	if q.Tool == "" || q.Protected != "" {
		return nil
	}
	var out []Offer
	for _, t := range p.templates {
		if t.Effect != q.Effect || !strings.HasPrefix(q.Origin, t.Origin) {
			continue
		}
		nowhere := t.Scope == Chat && q.Chat == "" || t.Scope == Workspace && (q.Workspace == "" || p.state == nil)
		rule, ok := t.rule(seen)
		if !ok || nowhere {
			continue
		}
		o := Offer{
			ID: rand.Text(), Scope: t.Scope, Title: t.Title(seen), Denies: t.Denies, rule: rule, request: q, seen: seen,
		}
		if o.Pattern = rule.pattern(); t.Exact {
			o.Pattern, o.exact = q.Target, q.Target
		}
		out = append(out, o)
	}
	return out
}

func onDatabase(q Request) (Rule, bool) {
	if len(q.Databases) != 1 || q.Origin != "" {
		return Rule{}, false
	}
	return Rule{Tool: q.Tool, Effect: q.Effect, Database: q.Databases[0]}, true
}

// pattern says which calls of a tool a rule is about.
func (r Rule) pattern() string {
	switch {
	case r.Command != "":
		return r.Command
	case len(r.Paths) > 0:
		return r.Paths[0]
	case r.Database != "":
		return r.Database
	}
	return r.Host
}

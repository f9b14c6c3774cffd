package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

const (
	givenFile = "permissions.json"
	oldFile   = "grants.json" // before rules had a form of their own
	maxGrants = 10_000        // a file that holds more was not written by people's answers
)

// given are the lasting grants, in the user's state folder.
type given struct {
	state     *userstate.State // nil: there are none
	templates []Template       // a grant counts while there is one that gives it

	mu      sync.Mutex // guards what follows
	watches []*diskfile.Watch
	kept    []Grant
}

func newGiven(state *userstate.State, templates []Template) *given {
	g := &given{state: state, templates: templates}
	if state != nil {
		for _, name := range []string{givenFile, oldFile} {
			g.watches = append(g.watches, diskfile.NewWatch(filepath.Join(state.Dir(), name)))
		}
	}
	return g
}

// list returns the grants; the caller does not change them. What cannot be read grants nothing, and the state reports
// why.
func (g *given) list() []Grant {
	if g.state == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	changed := false
	for _, w := range g.watches {
		changed = w.Changed() || changed // each of them looks
	}
	if !changed {
		return g.kept
	}
	g.kept = nil
	raw, err := userstate.Load[[]json.RawMessage](g.state, givenFile)
	old, errOld := userstate.Load[[]oldGrant](g.state, oldFile)
	if err = errors.Join(err, errOld); err == nil && len(raw)+len(old) > maxGrants {
		err = errors.New("the list of grants is too long: none of them counts")
	}
	if err != nil {
		g.state.Report(err.Error())
		return nil
	}
	for _, entry := range raw {
		g.keep(decodeGrant(entry))
	}
	for _, o := range old {
		g.keep(o.grant())
	}
	return g.kept
}

// keep takes a grant that is one and could be given today, once.
func (g *given) keep(grant Grant, ok bool) {
	given := ok && slices.ContainsFunc(g.templates, func(t Template) bool { return t.gives(grant) })
	if given && !slices.ContainsFunc(g.kept, func(k Grant) bool { return k.ID == grant.ID }) {
		g.kept = append(g.kept, grant)
	}
}

// decodeGrant reads an entry of the file. What is more or less than Accept writes is no grant: a newer Assent may have
// meant something narrower by it.
func decodeGrant(entry json.RawMessage) (Grant, bool) {
	var g Grant
	d := json.NewDecoder(bytes.NewReader(entry))
	d.DisallowUnknownFields()
	if d.Decode(&g) != nil || !g.usable() {
		return Grant{}, false
	}
	var err error
	g.compiled, err = compile(g.Rule, g.List)
	return g, err == nil
}

// usable reports whether a grant is one that Accept could have kept.
func (g Grant) usable() bool {
	return g.ID != "" && (g.List == Allowed || g.List == Denied) && g.Workspace != "" &&
		workspace.Lasting(g.Workspace) && g.Rule.Effect.Known()
}

// add keeps a grant; if it was given before, it returns that one.
func (g *given) add(grant Grant) (Grant, error) {
	err := g.update(func(kept []json.RawMessage) ([]json.RawMessage, error) {
		for _, entry := range kept {
			if before, ok := decodeGrant(entry); ok && before.same(grant) {
				grant = before
				return kept, nil
			}
		}
		entry, err := json.Marshal(grant)
		return append(kept, entry), err
	})
	return grant, err
}

func (g *given) remove(id string) error {
	return g.update(func(kept []json.RawMessage) ([]json.RawMessage, error) {
		return slices.DeleteFunc(kept, func(entry json.RawMessage) bool {
			grant, ok := decodeGrant(entry)
			return ok && grant.ID == id
		}), nil
	})
}

// update changes the file. The first change takes over what the older file holds, and moves that aside.
func (g *given) update(change func([]json.RawMessage) ([]json.RawMessage, error)) error {
	old, err := userstate.Load[[]oldGrant](g.state, oldFile)
	if err != nil {
		return err
	}
	err = userstate.Update(g.state, givenFile, func(kept *[]json.RawMessage) error {
		known := map[string]bool{}
		for _, entry := range *kept {
			if grant, ok := decodeGrant(entry); ok {
				known[grant.ID] = true
			}
		}
		for _, o := range old {
			grant, ok := o.grant()
			if !ok || known[grant.ID] {
				continue
			}
			entry, err := json.Marshal(grant)
			if err != nil {
				return err
			}
			*kept = append(*kept, entry)
		}
		*kept, err = change(*kept)
		return err
	})
	if err != nil || len(old) == 0 {
		return err
	}
	return g.state.Retire(oldFile)
}

// oldGrant is how the older file kept what was always allowed: a tool in a workspace.
type oldGrant struct {
	ID        string        `json:"id"`
	Tool      string        `json:"tool"`
	From      string        `json:"from,omitempty"`
	Effect    effect.Effect `json:"effect"`
	Scope     Scope         `json:"scope"`
	Pattern   string        `json:"pattern,omitempty"`
	Denies    bool          `json:"denies,omitempty"`
	Workspace string        `json:"workspace"`
	Origin    string        `json:"origin"`
	Since     time.Time     `json:"since"`
}

// grant is the same as a rule. It had no more than one kind of grant: all calls of a tool that edits.
func (o oldGrant) grant() (Grant, bool) {
	g := Grant{
		ID: o.ID, List: Allowed, Rule: Rule{Tool: o.Tool, Origin: o.From, Effect: o.Effect},
		Workspace: o.Workspace, From: o.Origin, Since: o.Since,
	}
	return g, g.usable() && o.Tool != "" && o.Effect == effect.Edits && o.Scope == Workspace && o.Pattern == "" &&
		!o.Denies
}

package policy

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assent-ls/assent/tools/workspace"
)

// Errors of Allow and Revoke.
var (
	ErrNotGrantable = errors.New("not grantable")
	ErrNoGrant      = errors.New("no such grant")
)

const (
	grantsFile = "grants.json"
	maxGrants  = 10_000 // a file that holds more was not written by people's answers
)

// Scope is how far a grant reaches.
type Scope string

// The scopes.
const (
	Chat      Scope = "chat"      // one chat; in memory, ends with the process
	Workspace Scope = "workspace" // one workspace; kept in the user's state folder, if its key is lasting, else in memory
)

// Grant is a permission that the user gave: to one tool, in one chat or one workspace.
type Grant struct {
	ID        string    `json:"id"`
	Tool      string    `json:"tool"`
	Effect    Effect    `json:"effect"` // a tool that does more than it did then is asked again
	Scope     Scope     `json:"scope"`
	Target    string    `json:"-"` // for Runs: the only command that it covers
	Chat      string    `json:"-"`
	Workspace string    `json:"workspace"`
	Origin    string    `json:"origin"` // where it was given
	Since     time.Time `json:"since"`
}

// covers says whether a grant lets a request run that is neither denied nor protected.
func (g Grant) covers(r Request) bool {
	if r.Protected != "" || g.Tool == "" || g.Tool != r.Tool || g.Effect != r.Effect {
		return false
	}
	switch g.Scope {
	case Chat:
		return g.Chat != "" && g.Chat == r.Chat && g.Workspace == r.Workspace && (r.Effect != Runs || g.Target == r.Target)
	case Workspace:
		return r.Effect == Edits && g.Workspace != "" && g.Workspace == r.Workspace
	}
	return false
}

// Explain says in a sentence what a grant allows, since when and from where.
func (g Grant) Explain() string {
	what := g.Tool
	if g.Effect == Runs {
		what = fmt.Sprintf("%s with %q", g.Tool, g.Target)
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
	return fmt.Sprintf("You allowed %s %s (%s%s).", what, where, g.Since.Local().Format("2006-01-02 15:04"), origin)
}

// grantable says why a request can have no grant of a scope, or nil.
func grantable(scope Scope, r Request) error {
	switch {
	case r.Tool == "" || r.Effect != Edits && r.Effect != Runs:
		return fmt.Errorf("%w: the tool needs no grant", ErrNotGrantable)
	case !r.Caller.known():
		return fmt.Errorf("%w: it is not known who asks", ErrNotGrantable)
	case r.Protected != "":
		return fmt.Errorf("%w: %s", ErrNotGrantable, r.Protected)
	case scope == Chat && r.Chat == "":
		return fmt.Errorf("%w: no chat asks", ErrNotGrantable)
	case scope == Chat && r.Effect == Runs && r.Target == "":
		return fmt.Errorf("%w: the command is not known", ErrNotGrantable)
	case scope == Workspace && r.Workspace == "":
		return fmt.Errorf("%w: there is no workspace", ErrNotGrantable)
	case scope == Workspace && r.Effect == Runs:
		return fmt.Errorf("%w: commands are asked each time", ErrNotGrantable)
	case scope != Chat && scope != Workspace:
		return fmt.Errorf("%w: the scope %q is unknown", ErrNotGrantable, scope)
	}
	return nil
}

// Allow keeps a grant that covers r and calls like it from now on: the same tool in the same chat or workspace; for a
// tool that starts programs, only the very same command. Only a person's answer may lead here; origin says where it
// was given. A grant of a workspace whose key is not lasting ends with the process. ErrNotGrantable: Decide said that
// it may not be offered.
func (p *Policy) Allow(scope Scope, r Request, origin string) (Grant, error) {
	if err := grantable(scope, r); err != nil {
		return Grant{}, err
	}
	g := Grant{
		ID: rand.Text(), Tool: r.Tool, Effect: r.Effect, Scope: scope, Workspace: r.Workspace,
		Origin: origin, Since: time.Now().UTC().Truncate(time.Second),
	}
	if scope == Chat {
		g.Chat = r.Chat
		if r.Effect == Runs {
			g.Target = r.Target
		}
	}
	if scope == Chat || !workspace.Lasting(r.Workspace) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.inMemory = append(p.inMemory, g)
		return g, nil
	}
	if p.state == nil {
		return Grant{}, fmt.Errorf("%w: there is no state folder to keep it in", ErrNotGrantable)
	}
	err := workspace.Update(p.state, grantsFile, func(kept *[]Grant) error {
		same := func(k Grant) bool { return k.Tool == g.Tool && k.Workspace == g.Workspace && k.Effect == g.Effect }
		if at := slices.IndexFunc(*kept, same); at >= 0 {
			g = (*kept)[at]
			return nil
		}
		*kept = append(*kept, g)
		return nil
	})
	if err != nil {
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
	// What the file says beyond what Allow writes is not a grant.
	return slices.DeleteFunc(kept, func(g Grant) bool {
		return g.ID == "" || g.Scope != Workspace || g.Effect != Edits || g.Tool == "" || g.Workspace == "" || !workspace.Lasting(g.Workspace)
	})
}

// notice is a sentence about what a user may expect of the grants for r, and would be wrong about; empty if nothing.
func (p *Policy) notice(r Request) string {
	if p.state == nil || grantable(Workspace, r) != nil {
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

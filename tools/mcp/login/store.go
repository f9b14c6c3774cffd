// Package login logs in at servers over OAuth, and keeps the result in the user's state folder. Nothing here
// opens a browser or asks an authorization server before a person agreed, and a token goes to the one address that it
// was given for.
package login

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/userstate"
)

// File is the name of the file of all logins in the user's state folder.
const File = "mcp-logins.json"

// entry is what is known of one server at one address.
type entry struct {
	// what the server said when it last refused a request because it had no login: its WWW-Authenticate
	Asked []string `json:"asked,omitempty"`
	Grant *grant   `json:"grant,omitempty"` // nil: the user is not logged in
	// Refused is the SHA-256 of what renewed the last grant and was refused: another process may have renewed it at
	// that moment.
	Refused string `json:"refused,omitempty"`
}

// grant is what an authorization server gave for one server.
type grant struct {
	Since     time.Time        `json:"since"`
	Issuer    string           `json:"issuer"`
	Resource  string           `json:"resource"`           // what it may be used for
	Scopes    []string         `json:"scopes,omitempty"`   // that were asked for
	Declared  string           `json:"declared,omitempty"` // the client that the declaration named then; empty: none
	ClientID  string           `json:"client_id"`
	Secret    string           `json:"client_secret,omitempty"` // that came with the registration
	Style     oauth2.AuthStyle `json:"client_style"`
	TokenURL  string           `json:"token_url"`
	RevokeURL string           `json:"revoke_url,omitempty"`
	// the server was in this machine or its network: so may be what it names
	Inside  bool      `json:"inside,omitempty"`
	Access  string    `json:"access_token"`
	Refresh string    `json:"refresh_token,omitempty"`
	Expiry  time.Time `json:"expiry,omitzero"`
}

// Store keeps the logins at all servers. It may be used concurrently, by several processes.
type Store struct {
	state   *userstate.State
	network *network.Network

	mu    sync.Mutex // guards what follows
	watch *diskfile.Watch
	kept  map[string]entry // never changed
	err   error
}

// NewStore makes the store of a state folder. It reads nothing. Authorization servers are reached by n.
func NewStore(state *userstate.State, n *network.Network) *Store {
	return &Store{state: state, network: n, watch: diskfile.NewWatch(filepath.Join(state.Dir(), File))}
}

// of is what is known of a server.
func (s *Store) of(key string) (entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watch.Changed() || s.err != nil {
		s.kept, s.err = userstate.Load[map[string]entry](s.state, File)
	}
	if s.err != nil {
		return entry{}, fmt.Errorf("the logins cannot be read: %w", s.err)
	}
	return s.kept[key], nil
}

// update changes what is known of a server. One of which nothing is known any more is left out.
func (s *Store) update(key string, change func(*entry)) error {
	return userstate.UpdateMap(s.state, File, func(all map[string]entry) error {
		e := all[key]
		change(&e)
		all[key] = e
		if e.Grant == nil && len(e.Asked) == 0 && e.Refused == "" {
			delete(all, key)
		}
		return nil
	})
}

// secrets are what must not be shown.
func (g *grant) secrets() []string {
	return slices.DeleteFunc([]string{g.Access, g.Refresh, g.Secret}, func(s string) bool { return s == "" })
}

// early is how long before its end a token is renewed.
const early = 30 * time.Second

func (g *grant) expired() bool { return !g.Expiry.IsZero() && time.Until(g.Expiry) < early }

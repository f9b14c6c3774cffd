package login

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/assent-ls/assent/tools/userstate"
)

// Status is what people are told of a login.
type Status struct {
	Issuer string // the authorization server; empty: nobody is logged in
	Since  time.Time
	Scopes []string
}

// Status is who is logged in.
func (a *Account) Status() (Status, error) {
	e, err := a.known()
	if err != nil || e.Grant == nil {
		return Status{}, err
	}
	return Status{e.Grant.Issuer, e.Grant.Since, e.Grant.Scopes}, nil
}

// ErrNotRevoked says that the authorization server does not know of a logout.
var ErrNotRevoked = errors.New("its authorization server could not be told, and may take what it gave for a while yet")

// Forget forgets what is kept under the keys that begin so, and tells nobody.
func (s *Store) Forget(prefix string) error {
	return userstate.UpdateMap(s.state, File, func(all map[string]entry) error {
		maps.DeleteFunc(all, func(place string, _ entry) bool { return strings.HasPrefix(place, prefix) })
		return nil
	})
}

// Logout forgets what is kept under a key, and tells the authorization servers. client is the one that is declared.
// With ErrNotRevoked it is forgotten all the same.
func (s *Store) Logout(ctx context.Context, key string, client Client) (found bool, err error) {
	var old []*grant
	err = userstate.UpdateMap(s.state, File, func(all map[string]entry) error {
		maps.DeleteFunc(all, func(place string, e entry) bool {
			here := strings.HasPrefix(place, key+at)
			if here && e.Grant != nil {
				old = append(old, e.Grant)
			}
			return here
		})
		return nil
	})
	if err != nil {
		return false, err
	}
	for _, g := range old {
		a := &Account{Store: s, URL: &url.URL{}, Client: client}
		a.see(g)
		if wrong := a.revoke(ctx, g); wrong != nil {
			err = fmt.Errorf("%w: %s", ErrNotRevoked, a.plain(wrong))
		}
	}
	return len(old) > 0, err
}

// revoke gives back what was given (RFC 7009). A renewed token is worth more than the one that it renews.
func (a *Account) revoke(ctx context.Context, g *grant) error {
	if g.RevokeURL == "" {
		return errors.New("it names no address for that")
	}
	form := url.Values{"token": {g.Access}, "token_type_hint": {"access_token"}, "client_id": {g.ClientID}}
	if g.Refresh != "" {
		form.Set("token", g.Refresh)
		form.Set("token_type_hint", "refresh_token")
	}
	secret := a.secret(g)
	if secret != "" && g.Style == oauth2.AuthStyleInParams {
		form.Set("client_secret", secret)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.RevokeURL, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if secret != "" && g.Style != oauth2.AuthStyleInParams {
		r.SetBasicAuth(url.QueryEscape(g.ClientID), url.QueryEscape(secret))
	}
	answer, err := a.outside(g.Inside, nil).client().Do(r)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxMetadata))
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("it answers %s", answer.Status)
	}
	return nil
}

package login

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// ErrNeeded says that a server wants a login, or one with more rights: only a person's own act may lead there.
var ErrNeeded = errors.New("it wants you to log in")

// Client is what the user registered by themselves at an authorization server. All of it may be empty.
type Client struct {
	ID     string // an address that begins with https:// is that of a document about the client
	Secret string
	Issuer string   // where it is registered: its secret goes to no other
	Scopes []string // those to ask for, instead of what the server names
	Port   int      // where the browser comes back to on this machine; 0: any
}

// counts reports whether a grant was given to the client as it is declared now, by its authorization server.
func (c Client) counts(g *grant) bool {
	return g.Declared == c.ID && (c.Issuer == "" || sameIssuer(c.Issuer, g.Issuer))
}

func sameIssuer(a, b string) bool { return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") }

// Account is the login at one server. It may be used concurrently.
type Account struct {
	Store    *Store
	Key      string   // under which it is kept, for each address apart
	Name     string   // of the server, for people
	URL      *url.URL // of the server, http or https
	Anywhere bool     // the server is spoken with at all paths of its host
	Client   Client   // as it is declared, with its secret
	// whether the server was found in this machine or its network alone; asked once it has been reached
	Inside func() bool

	mu       sync.Mutex
	renewing chan struct{} // guarded by mu: holds one element while a renewal goes on; nil: there was none
	seen     []string      // guarded by mu: secrets of this process
}

// Possible says why nobody can log in at an address; nil: somebody can.
func Possible(u *url.URL) error {
	if u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()) {
		return nil
	}
	return errors.New("a login needs an address that begins with https://")
}

// Secrets are what must not be shown, as far as this process has seen it.
func (a *Account) Secrets() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.seen)
}

func (a *Account) see(g *grant) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, secret := range g.secrets() {
		if !slices.Contains(a.seen, secret) {
			a.seen = append(a.seen, secret)
		}
	}
}

const at = " at "

// where is where in the store the login is.
func (a *Account) where() string { return a.Key + at + a.URL.String() }

// known is what counts of what is kept of the server.
func (a *Account) known() (entry, error) {
	e, err := a.Store.of(a.where())
	if err != nil {
		return entry{}, err
	}
	if e.Grant != nil && !a.Client.counts(e.Grant) {
		e.Grant = nil
	}
	if e.Grant != nil {
		a.see(e.Grant)
	}
	return e, nil
}

// Over is a way to the server that shows who is logged in, and says ErrNeeded where a login is wanted.
func (a *Account) Over(next http.RoundTripper) http.RoundTripper { return transport{a, next} }

type transport struct {
	*Account
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	e, err := t.known()
	if err != nil {
		return nil, err
	}
	g, renewed := e.Grant, false
	if !t.covers(r.URL) {
		g = nil
	}
	if g != nil && g.expired() {
		renewed = true
		if g, err = t.renew(r.Context(), g); err != nil {
			return nil, err
		}
	}
	answer, err := t.next.RoundTrip(with(r, g, r.Body))
	if err == nil && answer.StatusCode == http.StatusUnauthorized && g != nil && g.Refresh != "" && !renewed &&
		(r.Body == nil || r.GetBody != nil) {
		drop(answer)
		if g, err = t.renew(r.Context(), g); err != nil {
			return nil, err
		}
		body, bodyErr := again(r)
		if bodyErr != nil {
			return nil, bodyErr
		}
		answer, err = t.next.RoundTrip(with(r, g, body))
	}
	if err != nil || answer.StatusCode != http.StatusUnauthorized && answer.StatusCode != http.StatusForbidden {
		return answer, err
	}
	if err := t.refused(answer, g); err != nil {
		drop(answer)
		return nil, err
	}
	return answer, nil
}

func again(r *http.Request) (io.ReadCloser, error) {
	if r.Body == nil {
		return nil, nil
	}
	return r.GetBody()
}

func drop(answer *http.Response) {
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 4<<10)) // so that the connection can be used again
	_ = answer.Body.Close()
}

func with(r *http.Request, g *grant, body io.ReadCloser) *http.Request {
	r = r.Clone(r.Context())
	r.Body = body
	if g != nil {
		r.Header.Set("Authorization", "Bearer "+g.Access)
	}
	return r
}

// covers reports whether a request is one to what the login is for.
func (a *Account) covers(u *url.URL) bool {
	return Possible(u) == nil && samePlace(a.URL, u) &&
		(a.Anywhere || strings.TrimSuffix(a.URL.Path, "/") == strings.TrimSuffix(u.Path, "/"))
}

func samePlace(a, b *url.URL) bool { return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host) }

// refused says what a server wants that refused a request; nil: no login would help.
func (a *Account) refused(answer *http.Response, g *grant) error {
	said := answer.Header.Values("WWW-Authenticate")
	challenges, err := oauthex.ParseWWWAuthenticate(said)
	if err != nil {
		said, challenges = nil, nil
	}
	wanted, more := moreRights(challenges)
	switch {
	case answer.StatusCode == http.StatusForbidden && !more:
		return nil
	case more && g != nil && covered(g.Scopes, wanted):
		return fmt.Errorf(
			"it refuses this, although you are logged in with the rights that it asks for (%s)",
			strings.Join(wanted, ", "),
		)
	}
	if err := a.asked(said); err != nil {
		return err
	}
	return ErrNeeded
}

// moreRights are those that a server wants for a request, if that is why it refused it.
func moreRights(challenges []oauthex.Challenge) (scopes []string, more bool) {
	for _, c := range challenges {
		if c.Scheme == "bearer" && c.Params["error"] == "insufficient_scope" {
			return strings.Fields(c.Params["scope"]), true
		}
	}
	return nil, false
}

func covered(have, wanted []string) bool {
	return len(wanted) > 0 &&
		!slices.ContainsFunc(wanted, func(scope string) bool { return !slices.Contains(have, scope) })
}

// maxAsked is how much is kept of what a server said, in bytes.
const maxAsked = 4 << 10

// asked keeps what the server said, for the login to come.
func (a *Account) asked(said []string) error {
	e, err := a.known()
	if err != nil || len(strings.Join(said, "")) > maxAsked || len(said) == 0 || slices.Equal(e.Asked, said) {
		return err
	}
	return a.Store.update(a.where(), func(e *entry) { e.Asked = said })
}

// renew gets a new token for one that is over, or takes the one that another process got. Without one that can be had:
// ErrNeeded.
func (a *Account) renew(ctx context.Context, old *grant) (*grant, error) {
	done, err := a.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if g, err := a.newer(old); g != nil || err != nil {
		return g, err
	}
	if old.Refresh == "" {
		return nil, ErrNeeded
	}
	web := a.outside(old.Inside && a.Inside(), nil)
	config := oauth2.Config{
		ClientID: old.ClientID, ClientSecret: a.secret(old),
		Endpoint: oauth2.Endpoint{TokenURL: old.TokenURL, AuthStyle: old.Style},
	}
	// TokenSource would not name the resource. An empty code counts as none (RFC 6749, 3.2).
	token, err := config.Exchange(context.WithValue(
		ctx, oauth2.HTTPClient, web.client(),
	), "", oauth2.SetAuthURLParam("grant_type", "refresh_token"),
		oauth2.SetAuthURLParam("refresh_token", old.Refresh), oauth2.SetAuthURLParam("resource", old.Resource))
	// any other refusal may pass
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.ErrorCode == "invalid_grant" {
		if g, err := a.newer(old); g != nil || err != nil {
			return g, err
		}
		return nil, errors.Join(a.replace(old, nil), ErrNeeded)
	}
	if err == nil {
		err = bearer(token)
	}
	if err != nil {
		return nil, fmt.Errorf("the login cannot be renewed: %s", a.plain(err))
	}
	g := *old
	g.take(token)
	a.see(&g)
	return &g, a.replace(old, &g)
}

// turn waits until no other call renews. done must be called.
func (a *Account) turn(ctx context.Context) (done func(), err error) {
	a.mu.Lock()
	if a.renewing == nil {
		a.renewing = make(chan struct{}, 1)
	}
	renewing := a.renewing
	a.mu.Unlock()
	select {
	case renewing <- struct{}{}:
		return func() { <-renewing }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// newer is a token that somebody else got meanwhile; nil: nobody did.
func (a *Account) newer(old *grant) (*grant, error) {
	e, err := a.known()
	if err == nil && e.Grant == nil {
		err = ErrNeeded // logged out meanwhile
	}
	if err != nil || e.Grant.Access == old.Access || e.Grant.expired() {
		return nil, err
	}
	return e.Grant, nil
}

// replace puts a grant in the place of an old one, if that is still there, or another process found it refused because
// this one renewed it.
func (a *Account) replace(old, now *grant) error {
	sum := sha256.Sum256([]byte(old.Refresh))
	refused := hex.EncodeToString(sum[:])
	return a.Store.update(a.where(), func(e *entry) {
		kept := e.Grant != nil && e.Grant.Access == old.Access && e.Grant.Refresh == old.Refresh
		switch {
		case kept && now == nil:
			e.Grant, e.Refused = nil, refused
		case now != nil && (kept || e.Grant == nil && e.Refused == refused):
			e.Grant, e.Refused = now, ""
		}
	})
}

// secret is what proves to the authorization server of a grant who we are. The declared one goes to no other.
func (a *Account) secret(g *grant) string {
	if g.ClientID == a.Client.ID && a.Client.counts(g) {
		return a.Client.Secret
	}
	return g.Secret
}

func (g *grant) take(t *oauth2.Token) {
	g.Access, g.Expiry = t.AccessToken, t.Expiry.UTC()
	if t.RefreshToken != "" {
		g.Refresh = t.RefreshToken
	}
}

func bearer(t *oauth2.Token) error {
	if t.Type() != "Bearer" {
		return fmt.Errorf("it gave a token of the type %q, which is not known", t.Type())
	}
	return nil
}

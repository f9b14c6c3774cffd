package login

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/userstate"
)

// limit is how long a login may take, most of which is a person's.
const limit = 5 * time.Minute

// Person is who logs in.
type Person interface {
	// Agree asks whether to go on at a place, which is https://HOST in full. Nothing was sent there or opened yet.
	Agree(ctx context.Context, place, question string) (bool, error)
	// Visit shows the address where the person logs in, and may open it in their browser. It does not wait for them.
	Visit(ctx context.Context, address string) error
}

var errDeclined = errors.New("you did not agree: nothing was sent there")

// attempt is one login.
type attempt struct {
	*Account
	Person
	back   *callback
	web    *outside
	inside bool // the server is in this machine or its network: so may be where it leads

	mu     sync.Mutex
	state  string          // guarded by mu
	agreed map[string]bool // guarded by mu: places
	no     error           // guarded by mu: why it does not go on; nil: nobody declined

	url    *url.URL // where the person was sent
	config *oauth2.Config
	token  *oauth2.Token
}

// Login asks the server what it wants, and logs the person in there with what they agree to. to is a way to the server
// that shows no login. The error is a sentence without its end.
func (a *Account) Login(ctx context.Context, who Person, to *http.Client) error {
	if err := Possible(a.URL); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	said, err := a.challenge(ctx, to)
	if err != nil {
		return err
	}
	t := &attempt{Account: a, Person: who, agreed: map[string]bool{}}
	if t.back, err = listen(ctx, a.Client.Port, t.awaited); err != nil {
		return err
	}
	defer t.back.close()
	t.inside = a.Inside()
	t.web = a.outside(t.inside, t.agree)
	config, err := t.handler()
	if err != nil {
		return err
	}
	handler, err := auth.NewAuthorizationCodeHandler(config)
	if err == nil {
		r := &http.Request{Method: http.MethodPost, URL: a.URL, Header: http.Header{}}
		answer := &http.Response{
			StatusCode: http.StatusUnauthorized, Header: http.Header{"Www-Authenticate": said}, Body: http.NoBody,
		}
		err = handler.Authorize(ctx, r, answer)
	}
	if err == nil {
		err = bearer(t.token)
	}
	switch {
	case t.declined() != nil: // the SDK does not say it in these words
		return t.declined()
	case err != nil:
		return fmt.Errorf("the login failed: %s%s", a.plain(err), advice(err))
	}
	return t.keep()
}

// advice is what a person can do where we cannot register ourselves.
func advice(err error) string {
	if _, refused := errors.AsType[*oauthex.ClientRegistrationError](err); refused ||
		strings.Contains(err.Error(), "regist") {
		return "; if it takes only clients that it knows, register one there and write it into oauth, " +
			"or write a token into headers"
	}
	return ""
}

// probe is a request that needs a login wherever one is needed to list tools.
const probe = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`

// challenge is what the server says about the login that it wants.
func (a *Account) challenge(ctx context.Context, to *http.Client) ([]string, error) {
	method, body := http.MethodPost, probe
	if a.Anywhere {
		method, body = http.MethodGet, ""
	}
	r, err := http.NewRequestWithContext(ctx, method, a.URL.String(), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	answer, err := to.Do(r)
	if err != nil {
		return nil, fmt.Errorf("it cannot be reached: %s", a.plain(err))
	}
	_ = answer.Body.Close() // it may be a stream
	if answer.StatusCode == http.StatusUnauthorized {
		return answer.Header.Values("WWW-Authenticate"), nil
	}
	e, err := a.known()
	if err == nil && len(e.Asked) == 0 {
		err = fmt.Errorf("it asks for no login (it answers %s)", answer.Status)
	}
	return e.Asked, err
}

// handler is how the SDK logs in.
func (t *attempt) handler() (*auth.AuthorizationCodeHandlerConfig, error) {
	e, err := t.known()
	if err != nil {
		return nil, err
	}
	c := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: t.back.url, AuthorizationCodeFetcher: t.visit, Client: t.web.client(), RequestRefreshToken: true,
		AcceptUnadvertisedIss: true,
		ScopeFilter:           func(found []string) []string { return t.scopes(found, e) },
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Assent", RedirectURIs: []string{t.back.url}, GrantTypes: []string{
				"authorization_code", "refresh_token",
			},
			ResponseTypes: []string{"code"},
		}},
		NewTokenSource: func(
			_ context.Context, config *oauth2.Config, token *oauth2.Token,
		) (oauth2.TokenSource, error) {
			t.config, t.token = config, token
			return oauth2.StaticTokenSource(token), nil
		},
	}
	switch {
	case strings.HasPrefix(t.Client.ID, "https://") && t.Client.Secret == "":
		c.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: t.Client.ID}
	case t.Client.ID != "":
		c.PreregisteredClient = &oauthex.ClientCredentials{ClientID: t.Client.ID, Issuer: t.Client.Issuer}
		if t.Client.Secret != "" {
			c.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: t.Client.Secret}
		}
	}
	return c, nil
}

// scopes are the rights to ask for: those of the declaration or else of the server, and more if it refused a request
// for want of them.
func (t *attempt) scopes(found []string, e entry) []string {
	if len(t.Client.Scopes) > 0 {
		found = t.Client.Scopes
	}
	found = slices.Clone(found)
	challenges, _ := oauthex.ParseWWWAuthenticate(e.Asked) // it was read before it was kept
	if wanted, more := moreRights(challenges); more {
		found = append(found, wanted...)
		if e.Grant != nil {
			found = append(found, e.Grant.Scopes...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// agree asks the person about a place to which requests go, once.
func (t *attempt) agree(ctx context.Context, place string) error {
	does := "register itself there"
	switch id := visible.Line(t.Client.ID); {
	case t.Client.Secret != "":
		does = "send your client " + id + " and its secret there"
	case strings.HasPrefix(id, "https://"):
		does = "name the document of your client there (" + id + "), or register itself if that is not read"
	case id != "":
		does = "send your client " + id + " there"
	}
	return t.ask(
		ctx, place,
		fmt.Sprintf(
			"The server %s (%s) sends you to %s to log in. Assent would %s, and open that address in your browser.",
			t.Name, t.URL, place, does,
		),
	)
}

// ask asks about a place, once.
func (t *attempt) ask(ctx context.Context, place, question string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.agreed[place] || t.no != nil {
		return t.no
	}
	ok, err := t.Agree(ctx, place, question)
	if err == nil && !ok {
		err = errDeclined
	}
	t.agreed[place], t.no = err == nil, err
	return err
}

func (t *attempt) declined() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.no
}

func (t *attempt) awaited() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state
}

// visit sends the person to the authorization server, and waits until they come back.
func (t *attempt) visit(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	u, err := url.Parse(args.URL)
	if err == nil {
		err = legible(u)
	}
	if err == nil {
		err = t.web.belongs(u)
	}
	if err == nil && !t.inside {
		err = t.Store.public(ctx, u.Hostname())
	}
	if err == nil {
		err = t.ask(ctx, place(
			u,
		), fmt.Sprintf("The server %s (%s) sends your browser to %s to log in. "+
			"What you get there goes to its token endpoint, and what that gives to the server.",
			t.Name, t.URL, visible.Line(place(u)+u.Path)))
	}
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	t.state = u.Query().Get("state")
	t.mu.Unlock()
	t.url = u
	if err := t.Visit(ctx, args.URL); err != nil {
		return nil, err
	}
	return t.back.wait(ctx)
}

// keep keeps what came of it.
func (t *attempt) keep() error {
	meta := t.web.metadata(t.config.Endpoint.TokenURL)
	g := grant{
		Since:  userstate.Now(),
		Issuer: meta.Issuer, Resource: t.url.Query().Get("resource"), Scopes: strings.Fields(
			t.url.Query().Get("scope"),
		),
		Declared: t.Client.ID, ClientID: t.config.ClientID, Style: t.config.Endpoint.AuthStyle,
		TokenURL: t.config.Endpoint.TokenURL,
		Inside:   t.inside,
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if u, err := url.Parse(meta.RevocationEndpoint); err == nil && t.agreed[place(u)] {
		g.RevokeURL = meta.RevocationEndpoint
	}
	if g.ClientID != t.Client.ID {
		g.Secret = t.config.ClientSecret
	}
	if g.Issuer == "" {
		g.Issuer = place(t.url) // of a server that says nothing of itself
	}
	g.take(t.token)
	t.see(&g)
	return t.Store.update(t.where(), func(e *entry) { *e = entry{Grant: &g} })
}

package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/mcp/login"
)

// OAuth is what a declaration says about the login at its server. All of it may be empty: then we register ourselves.
type OAuth struct {
	ClientID string   `json:"clientId,omitempty"`
	Secret   string   `json:"clientSecret,omitempty"` // a reference
	Issuer   string   `json:"issuer,omitempty"`       // of the authorization server where the client is registered
	Scopes   []string `json:"scopes,omitempty"`
	Port     int      `json:"callbackPort,omitempty"`
}

// oauthKeys are its keys, as a schema describes them.
func oauthKeys() object {
	text := func(doc string) object { return object{"type": "string", "description": doc} }
	return object{
		"clientId": text(
			"A client that you registered there yourself, or the address of a document about it. " +
				"Without one Assent registers itself.",
		),
		"clientSecret": text("Its secret, as a reference such as `${env:NAME}` or `${file:PATH}`."),
		"issuer":       text("The authorization server that the client is registered at: its secret goes to no other."),
		"scopes": object{
			"type": "array", "items": object{"type": "string"},
			"description": "The rights to ask for, instead of those that the server names.",
		},
		"callbackPort": object{
			"type": "integer",
			"description": "The port of this machine to which the browser comes back, if only one is registered. " +
				"Without it, any that is free.",
		},
	}
}

// oneReference is a text that is a reference to a secret, and nothing else.
var oneReference = lazyregexp.New(`^\$\{(env|file):[^}]+\}$`)

// checkOAuth checks what a declaration says about its login, in which JSON alone found nothing wrong.
func (d *Declaration) checkOAuth(written jsonc.Value) *jsonc.Error {
	if d.OAuth == nil {
		return nil
	}
	at, _ := written.Member("oauth")
	for _, m := range at.Value.Members {
		if known := slices.Sorted(maps.Keys(oauthKeys())); !slices.Contains(known, m.Key) {
			return m.Wrong(
				"there is no key %q in oauth; the keys are %s", visible.Line(m.Key), strings.Join(known, ", "),
			)
		}
	}
	if err := d.OAuth.check(d); err != nil {
		return at.Wrong("%v", err)
	}
	return nil
}

func (o *OAuth) check(d *Declaration) error {
	switch {
	case d.Kind == Stdio:
		return errors.New("a server that is started by a command has no oauth: it logs in by itself, if at all")
	case d.authorized():
		return errors.New("it has an Authorization in headers, so nobody logs in, and oauth says nothing")
	case o.ClientID == "" && (o.Secret != "" || o.Issuer != ""):
		return errors.New("oauth: a clientSecret or an issuer belongs to a clientId")
	case o.Secret != "" && o.Issuer == "":
		return errors.New("oauth: a clientSecret needs an issuer, the one authorization server that it goes to")
	case o.Secret != "" && !oneReference().MatchString(o.Secret):
		return errors.New("oauth: clientSecret must be a reference such as ${env:NAME} or ${file:~/secret}")
	case o.Port < 0 || o.Port > 65535:
		return errors.New("oauth: callbackPort must be a port of this machine")
	}
	return nil
}

// texts are those that a person who reads the declaration must be able to see.
func (o *OAuth) texts() []string {
	if o == nil {
		return nil
	}
	return append([]string{o.ClientID, o.Secret, o.Issuer}, o.Scopes...)
}

// authorized reports whether the declaration itself says who we are.
func (d Declaration) authorized() bool {
	for name := range d.Headers {
		if http.CanonicalHeaderKey(name) == "Authorization" {
			return true
		}
	}
	return false
}

// client is what the declaration says about us, with its secret.
func (d Declaration) client(r *resolver) (c login.Client, err error) {
	if d.OAuth == nil {
		return c, nil
	}
	c = login.Client{ID: d.OAuth.ClientID, Issuer: d.OAuth.Issuer, Scopes: d.OAuth.Scopes, Port: d.OAuth.Port}
	c.Secret, err = r.text("oauth clientSecret", d.OAuth.Secret, true)
	return c, err
}

// account is the login at a server elsewhere; nil: there can be none.
func (s *server) account(l launch) *login.Account {
	u := s.loginURL()
	if u == nil {
		return nil
	}
	return &login.Account{
		Store: s.logins, Key: s.login, Name: s.Name, URL: u, Anywhere: s.Kind == SSE, Client: l.client,
		Inside: func() bool { return !s.dialer.public.Load() },
	}
}

// loginURL is the address of a server at which a person can log in; nil: nobody can.
func (d Declaration) loginURL() *url.URL {
	u, err := url.Parse(d.URL)
	if err != nil || d.Kind == Stdio || d.authorized() || login.Possible(asHTTP(u)) != nil {
		return nil
	}
	return asHTTP(u)
}

// loginKey is under which the login at a server is kept. One of the user's own is never that of a workspace's server.
func (s *Source) loginKey(d Declaration) string {
	key := string(d.Origin())
	if !d.Ours {
		key = s.key() + " " + key
	}
	return key
}

// needsLoginError is the end of a sentence that begins with a server.
type needsLoginError struct{ name string }

func (n needsLoginError) Error() string {
	return fmt.Sprintf("wants you to log in: `assent mcp login %s` does that", n.name)
}

// Unwrap lets others find it.
func (n needsLoginError) Unwrap() error { return login.ErrNeeded }

// wantsLogin reports whether an error of the SDK comes of that.
func wantsLogin(err error) bool {
	return errors.Is(err, login.ErrNeeded) || err != nil && strings.Contains(err.Error(), login.ErrNeeded.Error())
}

// Login logs the person in at a server that counts: only their own act may lead here.
func (s *Source) Login(ctx context.Context, name string, who login.Person) error {
	d, err := s.declared(ctx, name)
	if err != nil {
		return err
	}
	switch {
	case d.Why != "":
		return errors.New(d.Why)
	case s.options.Network.Offline():
		return fmt.Errorf("nobody logs in at the server %s: %w", name, network.ErrOffline)
	case d.Kind == Stdio:
		return fmt.Errorf("the server %s is a program on this machine: nobody logs in there", name)
	case d.authorized():
		return fmt.Errorf("the server %s has an Authorization in its headers: nobody logs in there", name)
	}
	server := newServer(d.Declaration, s)
	defer server.end()
	l, err := server.resolve()
	if err != nil {
		return fmt.Errorf("the server %s: %w", name, err)
	}
	account := server.account(l)
	if account == nil {
		return fmt.Errorf("the server %s: a login needs a url that begins with https://", name)
	}
	if err := account.Login(ctx, who, server.httpClient(account.URL, l.headers, nil)); err != nil {
		return fmt.Errorf("the server %s: %s", name, l.secrets.hide(err.Error()))
	}
	return nil
}

// Logout forgets the login at a server, also at one that is declared no more, and tells its authorization server.
func (s *Source) Logout(ctx context.Context, name string) error {
	found := false
	var problems []error
	for _, d := range []Declaration{{Name: name, Ours: true}, {Name: name}} {
		var c login.Client
		if now, err := s.declared(ctx, name); err == nil && now.Ours == d.Ours && now.Why == "" {
			c, _ = now.client(&resolver{}) // without its secret the server may refuse, which is told
		}
		here, err := s.logins.Logout(ctx, s.loginKey(d), c)
		found = found || here
		problems = append(problems, err)
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("the server %s: %w", name, err)
	}
	if !found {
		return fmt.Errorf("nobody is logged in at a server %q", name)
	}
	return nil
}

// CanLogIn reports whether a person could log in at a server.
func (d Declared) CanLogIn() bool {
	return d.Why == "" && !d.Disabled && d.loginURL() != nil
}

// LoggedIn is who is logged in at a server.
func (s *Source) LoggedIn(d Declared) (login.Status, error) {
	u := d.loginURL()
	if u == nil || d.Why != "" {
		return login.Status{}, nil
	}
	a := login.Account{Store: s.logins, Key: s.loginKey(d.Declaration), URL: u}
	if d.OAuth != nil {
		a.Client.ID, a.Client.Issuer = d.OAuth.ClientID, d.OAuth.Issuer
	}
	return a.Status()
}

// declared is the server of a name.
func (s *Source) declared(ctx context.Context, name string) (Declared, error) {
	list, _ := s.Declared(ctx)
	at := slices.IndexFunc(list, func(d Declared) bool { return d.Name == name })
	if at < 0 {
		return Declared{}, fmt.Errorf("there is no server %q; `assent mcp list` names them", name)
	}
	return list[at], nil
}

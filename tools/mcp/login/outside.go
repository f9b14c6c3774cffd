package login

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/web/address"
)

const (
	dialLimit    = 20 * time.Second
	answerLimit  = 30 * time.Second
	maxRedirects = 5
	maxMetadata  = 1 << 20 // bytes
)

// outside is the way to authorization servers, which a server names: whoever that is, they may not lead us anywhere.
type outside struct {
	next   http.RoundTripper
	server *url.URL
	issuer string // the only authorization server of a login; empty: any
	// asks a person about a place before it is asked; nil: they agreed before
	agree func(context.Context, string) error

	mu    sync.Mutex
	found []oauthex.AuthServerMeta // guarded by mu: what authorization servers said about themselves
}

func (a *Account) outside(inside bool, agree func(context.Context, string) error) *outside {
	dialer := a.Store.network.Dialer(network.User{Who: "login at MCP server " + a.Name, Why: "a login"}, dialLimit)
	dialer.Control = func(_, dialled string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(dialled)
		if err == nil && !inside && !address.Public(to.Addr()) {
			err = errInside
		}
		return err
	}
	// no proxy
	transport := &http.Transport{
		DialContext: dialer.DialContext, TLSHandshakeTimeout: dialLimit, DisableKeepAlives: true,
	}
	o := &outside{next: transport, server: a.URL, agree: agree}
	if agree != nil { // what was agreed on before was compared then
		o.issuer = a.Client.Issuer
	}
	return o
}

var errInside = errors.New("it leads into this machine or its network, where a server elsewhere may send nobody")

// public says why a browser is not sent to a host by a server elsewhere; nil: it leads to the public internet.
func (s *Store) public(ctx context.Context, host string) error {
	found, err := s.network.Lookup(ctx, host)
	if err != nil {
		return fmt.Errorf("nobody is sent to %s: %w", host, err)
	}
	for _, addr := range found {
		if !address.Public(addr.Unmap()) {
			return fmt.Errorf("nobody is sent to %s: %w", host, errInside)
		}
	}
	return nil
}

func (o *outside) client() *http.Client {
	return &http.Client{Transport: o, Timeout: answerLimit, CheckRedirect: func(
		r *http.Request, via []*http.Request,
	) error {
		// A redirect of anything else would carry a code or a token on.
		if len(via) >= maxRedirects || r.Method != http.MethodGet || !samePlace(via[0].URL, r.URL) {
			return fmt.Errorf("%s redirects to %s, which is not followed", place(via[0].URL), place(r.URL))
		}
		return nil
	}}
}

// legible says why a person could not tell by an address where it leads, or who listens on the way there; nil: they
// can.
func legible(u *url.URL) error {
	switch {
	case u.Hostname() == "":
		return errors.New("it names an address without a host")
	case strings.ContainsFunc(u.Host, func(r rune) bool { return r <= ' ' || r > '~' }):
		return fmt.Errorf("%s is not asked: its host has other characters than plain ones", visible.Line(place(u)))
	case u.User != nil:
		return fmt.Errorf(
			"%s is not asked: its address has the name of a user in it, which hides where it leads", place(u),
		)
	case Possible(u) != nil:
		return fmt.Errorf("%s is not asked: a login needs https", place(u))
	}
	return nil
}

func place(u *url.URL) string { return u.Scheme + "://" + u.Host }

// RoundTrip implements http.RoundTripper.
func (o *outside) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := legible(r.URL); err != nil {
		return nil, err
	}
	gets := r.Method == http.MethodGet
	if !gets {
		if err := o.belongs(r.URL); err != nil {
			return nil, err
		}
	}
	if o.agree != nil && (!gets || !samePlace(o.server, r.URL)) {
		if err := o.agree(r.Context(), place(r.URL)); err != nil {
			return nil, err
		}
	}
	answer, err := o.next.RoundTrip(r)
	if err != nil || !gets || answer.StatusCode != http.StatusOK {
		return answer, err
	}
	return answer, o.look(answer)
}

// look takes note of what an authorization server says about itself: of all that the SDK reads there it tells the
// endpoints alone.
func (o *outside) look(answer *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxMetadata))
	_ = answer.Body.Close()
	answer.Body = io.NopCloser(bytes.NewReader(data))
	var meta oauthex.AuthServerMeta
	if err == nil && json.Unmarshal(data, &meta) == nil && meta.TokenEndpoint != "" &&
		ownMetadata(answer.Request.URL, meta.Issuer) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.found = append(o.found, meta)
	}
	return err
}

// ownMetadata reports whether an address is where an issuer speaks of itself: anybody can write its name into other
// documents.
func ownMetadata(u *url.URL, issuer string) bool {
	of, err := url.Parse(issuer)
	return err == nil && samePlace(of, u) &&
		(strings.Contains(u.Path, "/.well-known/oauth-authorization-server") ||
			strings.Contains(u.Path, "/.well-known/openid-configuration"))
}

// belongs says why an address gets nothing in a login; nil: it is one of the declared issuer's, or none is declared.
func (o *outside) belongs(u *url.URL) error {
	if o.issuer == "" {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, meta := range o.found {
		if !sameIssuer(meta.Issuer, o.issuer) {
			continue
		}
		for _, endpoint := range []string{meta.RegistrationEndpoint, meta.AuthorizationEndpoint, meta.TokenEndpoint} {
			if e, err := url.Parse(endpoint); err == nil && samePlace(e, u) && e.Path == u.Path {
				return nil
			}
		}
	}
	// of a server that says nothing of itself
	if of, err := url.Parse(o.issuer); err == nil && len(o.found) == 0 && samePlace(of, u) {
		return nil
	}
	return fmt.Errorf(
		"%s is not asked: oauth names the issuer %s, and it is none of its addresses", place(u), visible.Line(o.issuer),
	)
}

// metadata is what the authorization server with this token endpoint said about itself, if it did.
func (o *outside) metadata(tokenURL string) (found oauthex.AuthServerMeta) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, meta := range o.found {
		if meta.TokenEndpoint == tokenURL {
			found = meta
		}
	}
	return found
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// plain is what an error says, on one line, without secrets, not too long.
func (a *Account) plain(err error) string {
	text := err.Error()
	for _, secret := range append(a.Secrets(), a.Client.Secret) {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "[secret]")
		}
	}
	return visible.Line(visible.Shorten(strings.Join(strings.Fields(text), " "), 400))
}

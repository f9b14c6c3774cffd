package mcp_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// authority is an authorization server with one MCP server behind it, which keeps to the specifications and takes
// nothing else.
type authority struct {
	testing.TB
	*httptest.Server                  // the authorization server
	mcp              *httptest.Server // the MCP server; its address is mcp.URL + "/mcp"
	behind           http.Handler     // what the MCP server does for those who are logged in
	change           func(w http.ResponseWriter, r *http.Request) (done bool)

	mu       sync.Mutex // guards what follows
	asked    []string   // the paths of the authorization server that were asked
	seen     []string   // what the MCP server was shown: each path with its Authorization
	form     url.Values // of the last request for a token
	codes    map[string]url.Values
	tokens   map[string][]string // the valid ones, and their scopes
	renewals map[string][]string // likewise, for renewals; each is good for one
	count    int
	scope    string         // that tools want
	lifetime int            // of tokens, in seconds
	says     map[string]any // in place of what the authorization server says about itself
	about    map[string]any // in place of what the MCP server says about it
	asks     []string       // in place of the WWW-Authenticate of the MCP server
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	a := &authority{
		TB: t, codes: map[string]url.Values{}, tokens: map[string][]string{}, renewals: map[string][]string{}, scope: "read", lifetime: 3600, says: map[string]any{},
	}
	a.Server = httptest.NewServer(http.HandlerFunc(a.serve))
	a.behind = streamable("echo")
	a.mcp = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/.well-known/oauth-protected-resource/mcp" {
			about := map[string]any{"resource": a.mcp.URL + "/mcp", "authorization_servers": []string{a.URL}}
			maps.Copy(about, a.about)
			a.json(w, about)
			return
		}
		header := r.Header.Get("Authorization")
		a.mu.Lock()
		a.seen = append(a.seen, r.URL.Path+" "+header)
		scopes, valid := a.tokens[strings.TrimPrefix(header, "Bearer ")]
		wanted := a.scope
		a.mu.Unlock()
		if !valid || !slices.Contains(scopes, wanted) {
			status, why := http.StatusUnauthorized, ""
			if valid {
				status, why = http.StatusForbidden, `, error="insufficient_scope"`
			}
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer resource_metadata="%s/.well-known/oauth-protected-resource/mcp", scope=%q%s`, a.mcp.URL, wanted, why))
			if a.asks != nil {
				w.Header()["Www-Authenticate"] = a.asks
			}
			w.WriteHeader(status)
			return
		}
		a.behind.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		a.mcp.CloseClientConnections()
		a.mcp.Close()
		a.Close()
	})
	return a
}

func (a *authority) json(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		a.Error(err)
	}
}

func (a *authority) serve(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, r.URL.Path)
	if a.change != nil && a.change(w, r) {
		return
	}
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		meta := map[string]any{
			"issuer": a.URL, "authorization_endpoint": a.URL + "/authorize", "token_endpoint": a.URL + "/token", "registration_endpoint": a.URL + "/register",
			"revocation_endpoint": a.URL + "/revoke", "code_challenge_methods_supported": []string{"S256"}, "authorization_response_iss_parameter_supported": true,
		}
		maps.Copy(meta, a.says)
		a.json(w, meta)
	case "/register":
		w.WriteHeader(http.StatusCreated)
		a.json(w, map[string]any{"client_id": "registered", "client_secret": "canary-of-the-client", "token_endpoint_auth_method": "client_secret_post"})
	case "/authorize":
		q := r.URL.Query()
		a.count++
		code := fmt.Sprint("code-", a.count)
		a.codes[code] = q
		back := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {a.URL}}
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	case "/token":
		a.token(w, r)
	case "/revoke":
		delete(a.renewals, r.FormValue("token"))
		a.tokens = map[string][]string{}
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (a *authority) token(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		a.Error(err)
	}
	a.form = r.PostForm
	refuse := func(why string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error": "invalid_grant", "error_description": %q}`, why)
	}
	var scopes []string
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		sent, known := a.codes[r.PostFormValue("code")]
		delete(a.codes, r.PostFormValue("code"))
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		switch {
		case !known || sent.Get("redirect_uri") != r.PostFormValue("redirect_uri") || sent.Get("client_id") != r.PostFormValue("client_id"):
			refuse("no such code")
			return
		case sent.Get("code_challenge_method") != "S256" || sent.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]):
			refuse("no such verifier")
			return
		}
		scopes = strings.Fields(sent.Get("scope"))
	case "refresh_token":
		var known bool
		if scopes, known = a.renewals[r.PostFormValue("refresh_token")]; !known {
			refuse("no such token")
			return
		}
		delete(a.renewals, r.PostFormValue("refresh_token"))
	}
	if r.PostFormValue("resource") != a.mcp.URL+"/mcp" || r.PostFormValue("client_secret") != "canary-of-the-client" && r.PostFormValue("client_secret") != "" {
		refuse("for what?")
		return
	}
	a.count++
	token, renewal := fmt.Sprint("canary-token-", a.count), fmt.Sprint("canary-renewal-", a.count)
	a.tokens = map[string][]string{token: scopes} // the one before is over
	a.renewals[renewal] = scopes
	a.json(w, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": a.lifetime, "refresh_token": renewal})
}

// do changes something while nothing else looks.
func (a *authority) do(what func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	what()
}

// requests are what the authorization server was asked.
func (a *authority) requests() (paths []string) {
	a.do(func() { paths = slices.Clone(a.asked) })
	return paths
}

// shown is what the MCP server was shown.
func (a *authority) shown() (headers []string) {
	a.do(func() { headers = slices.Clone(a.seen) })
	return headers
}

func (a *authority) server() map[string]any { return map[string]any{"url": a.mcp.URL + "/mcp"} }

package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/mcp/login"
)

// loginWords are in the one sentence by which a run says that a server wants a login.
const loginWords = "wants you to log in: `assent mcp login "

// person is somebody who logs in, with a browser that follows where it is sent.
type person struct {
	agree     func(question string) bool // nil: they agree to everything
	browse    func(address string)       // nil: as browsers do
	questions []string
	visited   []string
}

func (p *person) Agree(_ context.Context, _, question string) (bool, error) {
	p.questions = append(p.questions, question)
	return p.agree == nil || p.agree(question), nil
}

func (p *person) Visit(_ context.Context, address string) error {
	p.visited = append(p.visited, address)
	if p.browse != nil {
		p.browse(address)
		return nil
	}
	_, err := visit(address)
	return err
}

// visit is what a browser does with an address.
func visit(address string) (status int, err error) {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, answer.Body.Close()
}

// logsIn is a person who logs in.
func (p *place) logsIn(name string) {
	p.Helper()
	if err := p.source.Login(p.Context(), name, &person{}); err != nil {
		p.Fatal(err)
	}
}

// echoes is a run that uses the server behind an authority: what its tool answers, or else the problems.
func (p *place) echoes() string {
	p.Helper()
	d, problems := p.now()
	if problems != "" {
		return problems
	}
	return p.run(d, "echo", `{"text": "x"}`).Text()
}

// logins is the file with the logins.
func (p *place) logins() string {
	p.Helper()
	path := filepath.Join(p.state.Dir(), "mcp-logins.json")
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	info, err2 := os.Stat(path)
	if err := errors.Join(err, err2); err != nil || info.Mode().Perm() != 0o600 {
		p.Fatal(info, err)
	}
	return string(data)
}

// TestAPersonLogsIn: a run never does. Who does is told where, before anything is sent there.
func TestAPersonLogsIn(t *testing.T) {
	a, p := newAuthority(t), newPlace(t)
	p.declares("tickets", a.server())
	for range 2 {
		p.restart()
		if said := p.echoes(); !strings.Contains(said, "The server tickets: "+loginWords+"tickets` does that") || strings.Contains(said, "\n") {
			t.Error(said)
		}
	}
	who := &person{agree: func(string) bool {
		if asked := a.requests(); len(asked) > 0 {
			t.Errorf("asked before anybody agreed: %q", asked)
		}
		return true
	}}
	if err := p.source.Login(t.Context(), "tickets", who); err != nil {
		t.Fatal(err)
	}
	if len(who.questions) != 1 || !strings.Contains(who.questions[0], "The server tickets ("+a.mcp.URL+"/mcp) sends you to "+a.URL+" to log in") {
		t.Errorf("%q", who.questions)
	}
	if u, err := url.Parse(who.visited[0]); err != nil || u.Query().Get("resource") != a.mcp.URL+"/mcp" || u.Query().Get("scope") != "read" ||
		!strings.HasPrefix(u.Query().Get("redirect_uri"), "http://127.0.0.1:") || len(u.Query().Get("state")) < 20 {
		t.Errorf("%q", who.visited)
	}
	if _, err := visit(who.visited[0]); err == nil {
		t.Error("somebody still waits for a browser")
	}
	contains(t, p.echoes(), "echo: x")
	p.restart()
	contains(t, p.echoes(), "echo: x")
	contains(t, p.logins(), `"server tickets at `+a.mcp.URL+`/mcp"`, `"issuer": "`+a.URL+`"`)
	if who, err := p.source.LoggedIn(p.server("tickets")); err != nil || who.Issuer != a.URL {
		t.Error(who, err)
	}
	if err := p.source.Logout(t.Context(), "tickets"); err != nil {
		t.Error(err)
	}
	if asked := a.requests(); asked[len(asked)-1] != "/revoke" || len(a.renewals) > 0 || strings.Contains(p.logins(), "canary") {
		t.Errorf("%q, %v, %s", asked, a.renewals, p.logins())
	}
	contains(t, p.echoes(), loginWords)
	if err := p.source.Logout(t.Context(), "tickets"); err == nil || !strings.Contains(err.Error(), "nobody is logged in") {
		t.Error(err)
	}
}

// A logout tells nobody whom the person never agreed to.
// Promise 9.
func TestALogoutTellsNobodyElse(t *testing.T) {
	a, p := newAuthority(t), newPlace(t)
	other := newSite(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	a.says["revocation_endpoint"] = other.URL + "/revoke"
	p.declares("tickets", a.server())
	p.logsIn("tickets")
	if err := p.source.Logout(t.Context(), "tickets"); !errors.Is(err, login.ErrNotRevoked) || len(other.requests()) > 0 || strings.Contains(p.logins(), "canary") {
		t.Error(err, other.requests())
	}
}

// Servers that are spoken with otherwise want a login in the same way.
func TestALoginForEachKind(t *testing.T) {
	for kind, handler := range map[string]http.Handler{
		"sse": sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return good("echo") }, nil), "websocket": overWebSocket("echo"),
	} {
		a, p := newAuthority(t), newPlace(t)
		a.behind = handler
		p.declares("tickets", map[string]any{"type": kind, "url": addressOf(kind, &site{Server: a.mcp})})
		contains(t, p.echoes(), loginWords)
		p.logsIn("tickets")
		contains(t, p.echoes(), "echo: x")
		if shown := a.shown(); !strings.HasPrefix(shown[len(shown)-1], "/mcp Bearer canary-token-") {
			t.Errorf("%s: %q", kind, shown)
		}
	}
}

// Who does not agree has sent and opened nothing, and a server that is not trusted cannot even ask.
// Promise 9. Invariant 16.
func TestNobodyLogsInUnasked(t *testing.T) {
	a, p := newAuthority(t), newPlace(t)
	p.declares("tickets", a.server())
	p.theirs("theirs", a.server())
	p.echoes()
	before := len(a.shown())
	if err := p.source.Login(t.Context(), "theirs", &person{}); err == nil || !strings.Contains(err.Error(), "does nothing until you trust it") || len(a.shown()) != before {
		t.Error(err)
	}
	no := &person{agree: func(string) bool { return false }}
	if err := p.source.Login(t.Context(), "tickets", no); err == nil || err.Error() != "the server tickets: you did not agree: nothing was sent there" || len(no.questions) != 1 {
		t.Error(err, no.questions)
	}
	if asked := a.requests(); len(asked) > 0 || len(no.visited) > 0 || strings.Contains(p.logins(), "grant") {
		t.Errorf("%q, %q, %s", asked, no.visited, p.logins())
	}
	elsewhere := newAuthority(t)
	a.do(func() { a.says["authorization_endpoint"] = elsewhere.URL + "/authorize" })
	half := &person{agree: func(question string) bool { return strings.Contains(question, a.URL+" ") }}
	if err := p.source.Login(t.Context(), "tickets", half); err == nil || len(half.questions) != 2 || len(half.visited) > 0 || len(elsewhere.requests()) > 0 {
		t.Error(err, half.questions, half.visited)
	} else if !strings.Contains(half.questions[1], "sends your browser to "+elsewhere.URL+"/authorize to log in") {
		t.Errorf("%q", half.questions)
	}
	for name, want := range map[string]string{"none": "there is no server", "program": "is a program", "token": "has an Authorization in its headers", "plain": "begins with https://"} {
		p.declares("program", fake("echo"), "token", remote("http", a.mcp.URL), "plain", map[string]any{"url": "http://tickets.example.org/mcp"})
		if err := p.source.Login(t.Context(), name, &person{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A token that is over is renewed, for the resource that it was for, without a person; one that cannot be is told.
func TestALoginIsRenewed(t *testing.T) {
	a, p := newAuthority(t), newPlace(t)
	p.declares("tickets", a.server())
	p.logsIn("tickets")
	contains(t, p.echoes(), "echo: x")
	a.do(func() { a.tokens = nil }) // the server takes it no more, although it is not over
	contains(t, p.echoes(), "echo: x")
	if form := a.form; form.Get("grant_type") != "refresh_token" || form.Get("resource") != a.mcp.URL+"/mcp" {
		t.Errorf("%v", form)
	}
	a.do(func() { a.lifetime, a.tokens = 20, nil }) // from now on each is over at once
	contains(t, p.echoes(), "echo: x")
	if first := a.form.Get("refresh_token"); p.echoes() == "" || a.form.Get("refresh_token") == first || a.form.Get("refresh_token") == "" {
		t.Errorf("not renewed: %v", a.form)
	}
	a.do(func() {
		a.change = func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusBadGateway); return true }
	})
	p.restart()
	contains(t, p.echoes(), "the login cannot be renewed")
	a.do(func() { a.change = nil })
	p.restart()
	contains(t, p.echoes(), "echo: x")
	a.do(func() { a.renewals = nil })
	contains(t, p.echoes(), loginWords)
	if strings.Contains(p.logins(), "canary") {
		t.Error("what is over is kept")
	}
}

// Calls at the same time renew once.
func TestOneRenewalForManyCalls(t *testing.T) {
	a, p := newAuthority(t), newPlace(t)
	p.declares("tickets", a.server())
	p.logsIn("tickets")
	d, _ := p.now()
	a.do(func() { a.tokens, a.asked = nil, nil })
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if said := p.run(d, "echo", `{"text": "x"}`).Text(); !strings.Contains(said, "echo: x") {
				t.Error(said)
			}
		})
	}
	wg.Wait()
	if asked := a.requests(); len(asked) != 1 {
		t.Errorf("%q", asked)
	}
}

// Two processes that renew at once do not log each other out.
func TestAnotherProcessRenews(t *testing.T) {
	a, p := newAuthority(t), newPlace(t)
	p.declares("tickets", a.server())
	p.logsIn("tickets")
	q := *p
	q.sources = nil
	q.restart()
	contains(t, p.echoes(), "echo: x")
	contains(t, q.echoes(), "echo: x")
	for range 3 {
		a.do(func() { a.tokens = nil })
		contains(t, p.echoes(), "echo: x")
		contains(t, q.echoes(), "echo: x")
	}
}

// A request for which the login has too few rights says so; the next login asks for them, and nobody is sent round in
// circles.
func TestMoreRights(t *testing.T) {
	a, p := newAuthority(t), newPlace(t)
	p.declares("tickets", a.server())
	p.logsIn("tickets")
	d, _ := p.now()
	a.do(func() { a.scope = "write" })
	if r := p.run(d, "echo", `{"text": "x"}`); !r.Failed || !strings.Contains(r.Text(), "The server "+loginWords+"tickets`") && !strings.Contains(r.Text(), "the server "+loginWords+"tickets`") {
		t.Error(r.Text())
	}
	who := &person{}
	if err := p.source.Login(t.Context(), "tickets", who); err != nil {
		t.Fatal(err)
	}
	u, _ := url.Parse(who.visited[0])
	if scopes := strings.Fields(u.Query().Get("scope")); len(scopes) != 2 || !slices.Contains(scopes, "read") || !slices.Contains(scopes, "write") {
		t.Errorf("%q", who.visited)
	}
	contains(t, p.echoes(), "echo: x")
	a.do(func() {
		for token := range a.tokens {
			a.tokens[token] = nil // it never gives what it asks for
		}
	})
	p.restart()
	if said := p.echoes(); !strings.Contains(said, "although you are logged in with the rights that it asks for (write)") {
		t.Error(said)
	}
}

// S21: a token goes to what it is for and nowhere else, and is shown to nobody.
// Promise 9. Invariant 16.
func TestATokenGoesNowhereElse(t *testing.T) {
	a, p := newAuthority(t), newPlace(t)
	p.declares("tickets", a.server())
	p.logsIn("tickets")
	contains(t, p.echoes(), "echo: x")
	other := newSite(t, streamable("echo"))
	p.declares("tickets", map[string]any{"url": other.URL + "/mcp"})
	contains(t, p.echoes(), "echo: x")
	p.declares()
	p.theirs("tickets", a.server())
	p.trusts("tickets")
	contains(t, p.echoes(), loginWords)
	p.logsIn("tickets")
	q := newPlace(t) // another workspace
	q.state, q.trust = p.state, p.trust
	q.restart()
	q.theirs("tickets", a.server())
	q.trusts("tickets")
	contains(t, q.echoes(), loginWords)
	before := len(a.shown())
	p.declares("tickets", map[string]any{"url": a.mcp.URL + "/other"}, "another", a.server())
	p.echoes()
	p.declares("tickets", map[string]any{"url": a.mcp.URL + "/mcp", "oauth": map[string]any{"clientId": "mine"}})
	p.echoes()
	for _, header := range append(other.requests(), a.shown()[before:]...) {
		if strings.Contains(header, "canary") {
			t.Errorf("a token goes with %q", header)
		}
	}
	p.theirs()
	p.declares("tickets", a.server())
	a.do(func() { a.tokens = nil }) // two logins have none in common
	d, problems := p.now()
	for token := range a.tokens {
		contains(t, problems+p.run(d, "echo", `{"text": "it is `+token+`"}`).Text(), "it is [secret]")
	}
	if log := p.log("tickets"); strings.Contains(log, "canary") {
		t.Error(log)
	}
}

// A redirect within the server leads to no other resource of it with the token.
// Promise 9.
func TestATokenStaysWithItsPath(t *testing.T) {
	a, p := newAuthority(t), newPlace(t)
	p.declares("tickets", a.server())
	p.logsIn("tickets")
	inner := a.mcp.Config.Handler
	a.mcp.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/mcp" && r.Method == http.MethodPost {
			http.Redirect(w, r, "/someone-elses", http.StatusTemporaryRedirect)
			return
		}
		inner.ServeHTTP(w, r)
	})
	contains(t, p.echoes(), loginWords)
	if !slices.Contains(a.shown(), "/someone-elses ") {
		t.Errorf("%q", a.shown())
	}
}

// What an attacker could do at each step ends the login in a sentence, and nothing is kept.
// Promise 9.
func TestALoginThatIsAttacked(t *testing.T) {
	secret := newSite(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	answer := func(path, body string) func(*authority, *person) {
		return func(a *authority, _ *person) {
			a.change = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != path {
					return false
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(body))
				return true
			}
		}
	}
	says := func(key string, value any) func(*authority, *person) {
		return func(a *authority, _ *person) { a.says[key] = value }
	}
	back := func(change func(url.Values)) func(*authority, *person) {
		return func(a *authority, p *person) {
			p.browse = func(address string) {
				u, _ := url.Parse(address)
				q := url.Values{"code": {"x"}, "state": {u.Query().Get("state")}, "iss": {a.URL}}
				change(q)
				if status, err := visit(u.Query().Get("redirect_uri") + "?" + q.Encode()); err != nil || status != http.StatusOK {
					t.Error(status, err)
				}
			}
		}
	}
	for name, c := range map[string]struct {
		attack func(*authority, *person)
		want   string
	}{
		"another issuer":                 {says("issuer", "https://other.example.org"), "does not match issuer"},
		"a host that looks like another": {says("token_endpoint", "https://tоkens.example.org/"), "other characters than plain ones"}, // the first o is Cyrillic
		"a host behind another":          {says("authorization_endpoint", "https://login.example.org@evil.example.org/"), "the name of a user in it"},
		"it takes no clients":            {says("registration_endpoint", ""), "register one there and write it into oauth"},
		"no PKCE":                        {says("code_challenge_methods_supported", []string{}), "does not implement PKCE"},
		"a token endpoint in plain":      {says("token_endpoint", "http://tokens.example.org/"), "does not use HTTPS"},
		"a browser address in plain":     {says("authorization_endpoint", "http://login.example.org/"), "does not use HTTPS"},
		"a browser address of script":    {says("authorization_endpoint", "javascript:alert(1)"), "disallowed scheme"},
		"mix-up: another iss":            {back(func(q url.Values) { q.Set("iss", "https://other.example.org") }), "does not match expected issuer"},
		"mix-up: no iss":                 {back(func(q url.Values) { q.Del("iss") }), "none was received"},
		"the person says no": {back(func(q url.Values) {
			q.Del("code")
			q.Set("error", "access_denied")
			q.Set("error_description", "no\u202e\x1b[31m")
		}), `the authorization server said no: access_denied no`},
		"a wrong code":            {back(func(url.Values) {}), "no such code"},
		"a token of another kind": {answer("/token", `{"access_token": "canary", "token_type": "mac"}`), `the type "MAC"`},
		"no token":                {answer("/token", `{}`), "missing access_token"},
		"nothing":                 {answer("/token", ``), "cannot parse"},
		"a token that is passed on": {func(a *authority, _ *person) {
			a.change = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/token" {
					return false
				}
				http.Redirect(w, r, secret.URL, http.StatusTemporaryRedirect)
				return true
			}
		}, "which is not followed"},
		"metadata from elsewhere": {func(a *authority, _ *person) {
			a.change = func(w http.ResponseWriter, r *http.Request) bool {
				http.Redirect(w, r, secret.URL, http.StatusFound)
				return true
			}
		}, "which is not followed"},
		"a lot": {answer("/.well-known/oauth-authorization-server", strings.Repeat(" ", 2<<20)), "login failed"},
	} {
		t.Run(name, func(t *testing.T) {
			a, p, who := newAuthority(t), newPlace(t), &person{}
			p.declares("tickets", a.server())
			c.attack(a, who)
			err := p.source.Login(t.Context(), "tickets", who)
			if err == nil || !strings.Contains(err.Error(), "the server tickets: the login failed: ") || !strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), "\n\x1b\u202e") || len(err.Error()) > 600 {
				t.Errorf("%q", err)
			}
			if strings.Contains(p.logins(), "grant") {
				t.Error(p.logins())
			}
		})
	}
	if asked := secret.requests(); len(asked) > 0 {
		t.Errorf("somebody else got %q", asked)
	}
}

// What a server says about its login may be anything: it ends in a sentence, and asks nobody whom the person did not
// agree to. Promise 9.
func TestOddWordsOfAServer(t *testing.T) {
	for name, odd := range map[string]func(*authority){
		"no header":             func(a *authority) { a.asks = []string{} },
		"an empty header":       func(a *authority) { a.asks = []string{""} },
		"a quote that is open":  func(a *authority) { a.asks = []string{`Bearer realm="x`} },
		"only Basic":            func(a *authority) { a.asks = []string{`Basic realm="x"`} },
		"many challenges":       func(a *authority) { a.asks = slices.Repeat([]string{`Bearer scope="a b"`}, 1000) },
		"metadata at no place":  func(a *authority) { a.asks = []string{`Bearer resource_metadata="/relative"`} },
		"metadata of a script":  func(a *authority) { a.asks = []string{`Bearer resource_metadata="javascript:alert(1)"`} },
		"metadata of a file":    func(a *authority) { a.asks = []string{`Bearer resource_metadata="file:///etc/passwd"`} },
		"metadata inside":       func(a *authority) { a.asks = []string{`Bearer resource_metadata="https://10.0.0.1/x"`} },
		"no server":             func(a *authority) { a.about = map[string]any{"authorization_servers": []string{}} },
		"an empty server":       func(a *authority) { a.about = map[string]any{"authorization_servers": []string{""}} },
		"a relative server":     func(a *authority) { a.about = map[string]any{"authorization_servers": []string{"/x", a.URL}} },
		"a server of a file":    func(a *authority) { a.about = map[string]any{"authorization_servers": []string{"file:///etc/passwd"}} },
		"a server without host": func(a *authority) { a.about = map[string]any{"authorization_servers": []string{"https://"}} },
		"many servers": func(a *authority) {
			a.about = map[string]any{"authorization_servers": slices.Repeat([]string{"https://192.0.2.1"}, 10_000)}
		},
		"another resource":   func(a *authority) { a.about = map[string]any{"resource": "https://other.example.org/mcp"} },
		"servers as a text":  func(a *authority) { a.about = map[string]any{"authorization_servers": a.URL} },
		"long scopes":        func(a *authority) { a.asks = []string{`Bearer scope="` + strings.Repeat("x ", 1<<15) + `"`} },
		"no endpoints":       func(a *authority) { a.says = map[string]any{"authorization_endpoint": "", "token_endpoint": ""} },
		"relative endpoints": func(a *authority) { a.says = map[string]any{"authorization_endpoint": "/a", "token_endpoint": "/b"} },
	} {
		t.Run(name, func(t *testing.T) {
			a, p := newAuthority(t), newPlace(t)
			odd(a)
			p.declares("tickets", a.server())
			contains(t, p.echoes(), loginWords)
			who := &person{agree: func(question string) bool {
				return strings.Contains(question, a.URL+" ") || strings.Contains(question, a.mcp.URL+" ")
			}}
			err := p.source.Login(t.Context(), "tickets", who)
			if err != nil && (strings.ContainsAny(err.Error(), "\n\x1b") || len(err.Error()) > 600) {
				t.Errorf("%q", err)
			}
			t.Logf("%v; asked %q", err, who.questions)
			if good := err == nil; good != slices.Contains([]string{"no header", "an empty header", "only Basic", "many challenges", "metadata at no place", "metadata of a script", "metadata of a file", "metadata inside", "long scopes"}, name) {
				t.Errorf("logged in: %v, %v", good, err)
			}
		})
	}
}

// Only the answer that belongs to the login counts, and it counts once.
// Promise 9.
func TestTheBrowserComesBackOnce(t *testing.T) {
	a, p := newAuthority(t), newPlace(t)
	p.declares("tickets", a.server())
	status := func(address, host string) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		r.RequestURI = ""
		if host != "" {
			r.Host = host
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	who := &person{}
	who.browse = func(address string) {
		u, _ := url.Parse(address)
		back := u.Query().Get("redirect_uri")
		good := back + "?code=x&iss=" + url.QueryEscape(a.URL) + "&state=" + u.Query().Get("state")
		for _, c := range [][2]string{
			{back + "?code=x&state=guessed", ""}, {back + "?code=x", ""}, {strings.Replace(good, "/callback", "/other", 1), ""}, {good, "rebound.example.org"},
		} {
			if got := status(c[0], c[1]); got != http.StatusBadRequest {
				t.Errorf("%q: %d", c, got)
			}
		}
		if status, err := visit(address); err != nil || status != http.StatusOK { // the true one
			t.Error(status, err)
		}
	}
	if err := p.source.Login(t.Context(), "tickets", who); err != nil {
		t.Error(err)
	}
	contains(t, p.echoes(), "echo: x")
}

// A client that the user registered is used as it is declared, at its own authorization server alone.
func TestADeclaredClient(t *testing.T) {
	t.Setenv("SECRET", "canary-of-the-client")
	a, p := newAuthority(t), newPlace(t)
	declare := func(issuer string) {
		p.declares("tickets", map[string]any{"url": a.mcp.URL + "/mcp", "oauth": map[string]any{
			"clientId": "mine", "clientSecret": "${env:SECRET}", "issuer": issuer, "scopes": []string{"all", "read"},
		}})
	}
	declare("https://other.example.org")
	if err := p.source.Login(t.Context(), "tickets", &person{}); err == nil || !strings.Contains(err.Error(), "does not match pre-registered") {
		t.Error(err)
	}
	declare(a.URL)
	a.do(func() { a.says["token_endpoint_auth_methods_supported"] = []string{"client_secret_post"} })
	who := &person{}
	if err := p.source.Login(t.Context(), "tickets", who); err != nil || !strings.Contains(strings.Join(who.questions, "\n"), "Assent would send your client mine and its secret there") {
		t.Error(err, who.questions)
	}
	contains(t, p.echoes(), "echo: x")
	if slices.Contains(a.requests(), "/register") || strings.Contains(p.logins(), "canary-of-the-client") {
		t.Errorf("%q, %s", a.requests(), p.logins())
	}
	a.do(func() { a.tokens = nil })
	contains(t, p.echoes(), "echo: x")
	if a.form.Get("client_secret") != "canary-of-the-client" || a.form.Get("client_id") != "mine" {
		t.Errorf("%v", a.form)
	}
	p.declares("tickets", map[string]any{"url": a.mcp.URL + "/mcp", "oauth": map[string]any{"clientId": "mine", "clientSecret": "${env:MISSING}", "issuer": a.URL}})
	contains(t, p.echoes(), "the environment variable MISSING")
}

// What a file says about a login is read strictly, and trusted with all of it.
func TestOAuthIsReadStrictly(t *testing.T) {
	for text, want := range map[string]string{
		`{"url": "https://a.example/", "oauth": {"clientID": "x"}}`:                                                             `there is no key "clientID" in oauth`,
		`{"url": "https://a.example/", "oauth": {"clientId": 1}}`:                                                               "must not be a JSON number",
		`{"url": "https://a.example/", "oauth": {"clientId": "a", "clientId": "b"}}`:                                            "twice",
		`{"url": "https://a.example/", "oauth": {"clientId": "a", "clientSecret": "plain", "issuer": "https://b.example"}}`:     "must be a reference",
		`{"url": "https://a.example/", "oauth": {"clientId": "a", "clientSecret": "x${env:A}", "issuer": "https://b.example"}}`: "must be a reference",
		`{"url": "https://a.example/", "oauth": {"clientId": "a", "clientSecret": "${env:A}"}}`:                                 "needs an issuer",
		`{"url": "https://a.example/", "oauth": {"clientSecret": "${env:A}"}}`:                                                  "belongs to a clientId",
		`{"url": "https://a.example/", "oauth": {"callbackPort": 70000}}`:                                                       "must be a port",
		`{"url": "https://a.example/", "oauth": {"clientId": "a\u202eb"}}`:                                                      "cannot be seen",
		`{"url": "https://a.example/", "headers": {"authorization": "x"}, "oauth": {}}`:                                         "has an Authorization",

		`{"command": "x", "oauth": {}}`: "has no oauth",
	} {
		_, problems := mcp.Parse([]byte(`{"mcpServers": {"a": ` + text + `}}`))
		if len(problems) != 1 || !strings.Contains(problems[0].Error(), want) {
			t.Errorf("%s: %v", text, problems)
		}
	}
	p := newPlace(t)
	p.theirs("remote", map[string]any{"url": "https://a.example/", "oauth": map[string]any{"clientId": "a"}})
	p.trusts("remote")
	for _, changed := range []any{map[string]any{"clientId": "b"}, map[string]any{"clientId": "a", "scopes": []string{"all"}}, nil} {
		p.theirs("remote", map[string]any{"url": "https://a.example/", "oauth": changed})
		if d := p.server("remote"); !strings.Contains(d.Why, "changed since you trusted it") {
			t.Errorf("%v is trusted: %q", changed, d.Why)
		}
	}
}

// A login is told apart from other errors by those who show it otherwise.
func TestALoginThatIsWantedIsKnown(t *testing.T) {
	a, p := newAuthority(t), newPlace(t)
	p.declares("tickets", a.server())
	if err := p.source.Start(t.Context(), "tickets"); !errors.Is(err, login.ErrNeeded) || err.Error() != "the server tickets "+loginWords+"tickets` does that" {
		t.Error(err)
	}
}

// A refusal that may pass, and one that another process caused by renewing at the same moment, end no login.
func TestALoginOutlivesARefusal(t *testing.T) {
	a, p := newAuthority(t), newPlace(t)
	p.declares("tickets", a.server())
	p.logsIn("tickets")
	q := *p
	q.sources = nil
	q.restart()
	contains(t, q.echoes(), "echo: x")
	refuse := func(code string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(`{"error": "` + code + `"}`))
			return true
		}
	}
	a.do(func() { a.tokens, a.change = nil, refuse("temporarily_unavailable") })
	p.restart()
	contains(t, p.echoes(), "the login cannot be renewed")
	a.do(func() { a.change = nil })
	p.restart()
	contains(t, p.echoes(), "echo: x")

	q.restart() // while p renews, q is refused and forgets the login
	a.do(func() {
		a.tokens = nil
		a.change = func(w http.ResponseWriter, r *http.Request) bool {
			a.change = refuse("invalid_grant")
			a.mu.Unlock()
			contains(t, q.echoes(), loginWords)
			a.mu.Lock()
			a.change = nil
			return false
		}
	})
	p.restart()
	contains(t, p.echoes(), "echo: x")
	q.restart()
	contains(t, q.echoes(), "echo: x")
}

// The secret of a declared client goes to no authorization server that the declaration does not name, also if one was
// used before.
// Promise 9.
func TestASecretGoesToItsIssuerAlone(t *testing.T) {
	t.Setenv("SECRET", "canary-of-the-client")
	a, p := newAuthority(t), newPlace(t)
	got := ""
	a.change = func(_ http.ResponseWriter, r *http.Request) bool {
		_ = r.ParseForm()
		got += fmt.Sprint(r.URL.Path, r.Form, r.Header["Authorization"])
		return false
	}
	at := func(oauth map[string]any) map[string]any {
		return map[string]any{"url": a.mcp.URL + "/mcp", "oauth": oauth}
	}
	a.says["token_endpoint_auth_methods_supported"] = []string{"client_secret_post"}
	p.declares("tickets", at(map[string]any{"clientId": "registered"}))
	p.logsIn("tickets")
	a.do(func() { a.tokens = nil })
	other := map[string]any{"clientId": "registered", "clientSecret": "${env:SECRET}", "issuer": "https://other.example.org"}
	p.declares("tickets", at(other))
	contains(t, p.echoes(), loginWords)
	_ = p.source.Logout(t.Context(), "tickets")
	p.declares("tickets", a.server()) // it registers us under the name that is declared later
	p.logsIn("tickets")
	p.declares("tickets", at(map[string]any{"clientId": "registered", "clientSecret": "${env:OTHER}", "issuer": "https://other.example.org"}))
	t.Setenv("OTHER", "canary-of-another")
	_ = p.source.Logout(t.Context(), "tickets")
	if strings.Contains(got, "canary-of-another") || strings.Count(got, "/token") != 2 {
		t.Error(got)
	}
	got = ""
	p.declares("tickets", at(map[string]any{"clientId": "https://client.example.org/about.json", "issuer": "https://other.example.org"}))
	if err := p.source.Login(t.Context(), "tickets", &person{}); err == nil || !strings.Contains(err.Error(), "none of its addresses") || strings.Contains(got, "/register") {
		t.Error(err, got)
	}
}

// Only an authorization server says which one it is, at its own address: what is said elsewhere in its form counts for
// nothing.
func TestNobodyNamesAnotherIssuer(t *testing.T) {
	a, p := newAuthority(t), newPlace(t)
	a.about = map[string]any{"issuer": "https://bank.example.org", "token_endpoint": a.URL + "/token"}
	a.change = func(w http.ResponseWriter, r *http.Request) bool {
		silent := strings.HasPrefix(r.URL.Path, "/.well-known/")
		if silent {
			w.WriteHeader(http.StatusNotFound)
		}
		return silent
	}
	p.declares("tickets", a.server())
	p.logsIn("tickets")
	if who, err := p.source.LoggedIn(p.server("tickets")); err != nil || who.Issuer != a.URL {
		t.Error(who, err)
	}
}

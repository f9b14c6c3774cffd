package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// guard lets requests through that name this computer as their host, come from no foreign page, and carry the token. A
// page in a browser can be made to send requests here under a name of its own (DNS rebinding), which the host gives
// away.
type guard struct {
	host  string // that the server was told to listen on
	token string // empty: the caller checks none
	next  http.Handler
}

// ServeHTTP implements http.Handler.
func (g guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch origins := r.Header.Values("Origin"); {
	case !g.here(r):
		http.Error(w, "This host is not served: use the address that the server listens on.", http.StatusForbidden)
	case len(origins) > 1 || len(origins) == 1 && !local(origins[0]):
		http.Error(w, "Pages of other origins are not served.", http.StatusForbidden)
	case namesToken(r.URL):
		http.Error(
			w, "The token goes into the header Authorization, never into the address, which others log.",
			http.StatusBadRequest,
		)
	case g.token != "" && !g.authorized(r):
		w.Header().Set("WWW-Authenticate", `Bearer realm="assent"`)
		http.Error(
			w,
			"The header Authorization: Bearer TOKEN is needed. "+
				"The token is in the file that the server named when it started.",
			http.StatusUnauthorized,
		)
	case r.URL.Path != Path:
		http.Error(w, "Only "+Path+" is served.", http.StatusNotFound)
	default:
		g.next.ServeHTTP(w, r)
	}
}

// here reports whether a request names this computer: the address that it came in at, localhost, or what the server was
// told to listen on.
func (g guard) here(r *http.Request) bool {
	name := hostOf(r.Host)
	if isLoopback(name) || g.host != "" && strings.EqualFold(name, g.host) {
		return true
	}
	ip := net.ParseIP(name)
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ip != nil && ok && ip.Equal(at.IP)
}

// isLoopback reports whether a host is this computer, for whoever asks.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// hostOf is the host of an authority, without its port.
func hostOf(authority string) string {
	if host, _, err := net.SplitHostPort(authority); err == nil {
		return host
	}
	return strings.TrimSuffix(strings.TrimPrefix(authority, "["), "]")
}

// local reports whether an origin is a page of this computer.
func local(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && isLoopback(u.Hostname())
}

// namesToken reports whether an address carries a token, by the names that programs use.
func namesToken(u *url.URL) bool {
	for name := range u.Query() {
		switch strings.ToLower(name) {
		case "token", "access_token", "auth", "authorization", "bearer", "key", "api_key":
			return true
		}
	}
	return u.User != nil
}

// authorized compares the token in a time that says nothing of it.
func (g guard) authorized(r *http.Request) bool {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	sent, want := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(g.token))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sent[:], want[:]) == 1
}

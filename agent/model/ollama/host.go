package ollama

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/assent-ls/assent/agent/model/transport"
)

const (
	defaultHost = "127.0.0.1"
	defaultPort = "11434"
)

// ParseHost reads the forms of OLLAMA_HOST: nothing, a host, host:port, :port, [IPv6]:port, or a URL. The ports are
// Ollama's own: 11434, but 80 and 443 after http:// and https://. An address that only a server can listen on (0.0.0.0)
// means this machine.
func ParseHost(text string) (*url.URL, error) {
	text = strings.Trim(strings.TrimSpace(text), `"'`)
	scheme, rest, given := strings.Cut(text, "://")
	port := defaultPort
	switch {
	case !given:
		scheme, rest = "http", text
	case scheme == "http":
		port = "80"
	case scheme == "https":
		port = "443"
	default:
		return nil, badHost(text, "only http and https are known")
	}
	hostport, path, _ := strings.Cut(rest, "/")
	if strings.ContainsAny(rest, "?#@ \t\\") {
		return nil, badHost("", "an address has no user, query or blanks") // it may hold a password: not repeated
	}
	host, explicit, err := splitHostPort(hostport)
	if err != nil {
		return nil, badHost(text, err.Error())
	}
	if explicit != "" {
		n, err := strconv.ParseUint(explicit, 10, 16)
		if err != nil || n == 0 {
			return nil, badHost(text, fmt.Sprintf("%q is no port", explicit))
		}
		port = strconv.FormatUint(n, 10)
	}
	u := &url.URL{Scheme: scheme, Host: net.JoinHostPort(reachable(host), port)}
	if path = strings.Trim(path, "/"); path != "" {
		u.Path = "/" + path
	}
	if _, err := url.Parse(u.String()); err != nil {
		return nil, badHost(text, "it is no address")
	}
	return u, nil
}

// splitHostPort splits what net.SplitHostPort does, and hosts without a port, IPv6 ones with and without brackets too.
func splitHostPort(text string) (host, port string, err error) {
	bare := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	if _, err := netip.ParseAddr(bare); err == nil || !strings.Contains(text, ":") {
		return bare, "", nil
	}
	return net.SplitHostPort(text)
}

// reachable turns an address to listen on into one to connect to, and gives localhost the spelling that all resolvers
// know.
func reachable(host string) string {
	switch {
	case host == "":
		return defaultHost
	case transport.IsLocalhost(host):
		return "localhost"
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		if ip.Is4() {
			return defaultHost
		}
		return "::1"
	}
	return host
}

func badHost(text, why string) error {
	if text != "" {
		text = " " + strconv.Quote(text)
	}
	return fmt.Errorf(
		"the address%s of the Ollama server (OLLAMA_HOST) cannot be used: %s; write HOST:PORT or http://HOST:PORT",
		text, why,
	)
}

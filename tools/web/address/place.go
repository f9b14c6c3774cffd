package address

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
)

// Place is a host that a command may reach, in the spelling of Host, and a port of it.
type Place struct{ Host, Port string } // Port is empty: 443 and 80

// String is a place as it is written: example.org, example.org:8443, [2001:db8::1]:443.
func (p Place) String() string {
	switch {
	case p.Port != "":
		return net.JoinHostPort(p.Host, p.Port)
	case strings.Contains(p.Host, ":"):
		return "[" + p.Host + "]"
	}
	return p.Host
}

// ParsePlace reads a host with or without a port, as a person writes it. There are no patterns. The error is a sentence
// without its end.
func ParsePlace(text string) (Place, error) {
	wrong := fmt.Errorf("%s is no host such as example.org or example.org:8443", visible.Line(strconv.Quote(text)))
	host, port := text, ""
	if addr, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil && !addr.Is4() {
		host = addr.String()
	} else if strings.Contains(text, ":") {
		if host, port, err = net.SplitHostPort(text); err != nil || !IsPort(port) {
			return Place{}, wrong
		}
	}
	host, err := Host(host)
	if err != nil {
		return Place{}, wrong
	}
	return Place{host, port}, nil
}

// IsPort reports whether a text is a port, in its one spelling.
func IsPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0 && strconv.FormatUint(n, 10) == text
}

// PortOf is the port that the address of a page names, or that of its scheme; empty: there is none.
func PortOf(u *url.URL) string {
	return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}

// ParsePlaces reads a list of hosts, divided by commas or spaces.
func ParsePlaces(text string) (all []Place, err error) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) }) {
		p, wrong := ParsePlace(word)
		if err = errors.Join(err, wrong); wrong == nil {
			all = append(all, p)
		}
	}
	return all, err
}

// Covers reports whether a place is what a command asks for, which has a port.
func (p Place) Covers(asked Place) bool {
	return p.Host == asked.Host && (p.Port == asked.Port || p.Port == "" && (asked.Port == "443" || asked.Port == "80"))
}

// Inner reports whether a place is an address that is not of the public internet.
func (p Place) Inner() bool {
	addr, err := netip.ParseAddr(p.Host)
	return err == nil && !Public(addr)
}
